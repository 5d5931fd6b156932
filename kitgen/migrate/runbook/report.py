"""Write the runbook of a migration: as Markdown, or for programs."""

from __future__ import annotations

import re
from collections.abc import Iterable

from kitgen.migrate.runbook.model import Manager, PhaseSteps, Runbook, RunbookStep
from kitgen.migrate.runbook.plan import templates
from kitgen.report.documents import DocumentSchema, document
from kitgen.text.wording import code, printable, prose
from kitgen.text.yaml import JsonObject

WITH = {
    Manager.KUBECTL: "without OLM",
    Manager.OLM: "with OLM",
    Manager.ODH: "with the ODH operator",
    Manager.ARGOCD: "with Argo CD",
}


def as_markdown(runbook: Runbook) -> str:
    """Write a runbook for people."""
    layout = templates().overlay(autoescape=False, finalize=None, trim_blocks=True)
    layout.filters |= {"prose": prose, "code": code, "fence": _fence, "lines": _lines}
    facts = {field: getattr(runbook, field) for field in runbook.__struct_fields__}
    return layout.get_template("runbook.md.j2").render(facts, managers=WITH)


def _fence(commands: Iterable[str]) -> str:
    """Return what stands around a block of code, however many backquotes are in it."""
    runs = (len(run) for each in commands for run in re.findall("`+", each))
    return "`" * max(3, 1 + max(runs, default=0))


def _lines(text: str) -> list[str]:
    return [*map(printable, text.split("\n"))]


def as_json(runbook: Runbook) -> str:
    """Write a runbook for a program."""
    migration = runbook.migration
    return document(
        DocumentSchema.RUNBOOK,
        migration=migration.name,
        target=runbook.target,
        title=runbook.title,
        path=migration.way.value,
        intro=[*runbook.intro],
        kinds=[{"from": str(each.before), "to": str(each.after)} for each in migration.kinds],
        drops=[{"kind": str(each.kind), "reason": each.reason} for each in migration.drops],
        keys=[
            {"key": each.key, "policy": each.policy.value, "to": each.to or None, "reason": each.reason}
            for each in migration.keys
        ],
        surroundings=[
            {"by": each.by.value, "title": each.title, "notes": [*each.notes]}
            for each in runbook.surroundings
        ],
        phases=[_plain(each) for each in runbook.phases],
        limits=[*runbook.limits],
    )


def _plain(phase: PhaseSteps) -> JsonObject:
    return {
        "phase": phase.phase.value,
        "about": phase.about,
        "release": phase.release,
        "version": phase.version,
        "changes": [*phase.changes],
        "steps": [_plain_step(each) for each in phase.steps],
        "risks": [*phase.risks],
        "back": [_plain_step(each) for each in phase.back],
        "checks": [_plain_step(each) for each in phase.checks],
    }


def _plain_step(step: RunbookStep) -> JsonObject:
    return {
        "title": step.title,
        "why": step.why or None,
        "commands": [*step.commands],
        "by": step.by.value if step.by else None,
    }
