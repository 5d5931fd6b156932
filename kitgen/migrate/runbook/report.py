"""Write the runbook of a migration: as Markdown, or for programs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from kitgen.kit.model.migration import Migration, MovedKey, Phase
from kitgen.migrate.runbook.model import Manager, PhaseSteps, Runbook, RunbookStep
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
    lines = [f"# {prose(runbook.title)}", "", *_apart(runbook.intro)]
    lines += ["## What moves", "", *_kinds(runbook.migration), *_keys(runbook.migration)]
    for each in runbook.surroundings:
        lines += [f"## {prose(each.title)}", "", *_listed(each.notes)]
    for number, phase in enumerate(runbook.phases):
        lines += _phase(number, phase)
    lines += ["## What no tool can do for you", "", *_listed(runbook.limits)]
    return "".join(f"{line}\n" for line in lines[:-1])


def _kinds(migration: Migration) -> list[str]:
    rows = [f"| {code(str(each.before))} | {code(str(each.after))} |" for each in migration.kinds]
    rows += [f"| {code(str(each.kind))} | goes: {prose(each.reason)} |" for each in migration.drops]
    return ["| old kind | new kind |", "|---|---|", *rows, ""]


def _keys(migration: Migration) -> list[str]:
    if not migration.keys:
        return []
    head = [
        "Keys of labels, annotations and finalizers that carry the old group. Each is a decision of its own; "
        "none "
        "changes because the group does.",
        "",
        "| key | policy | becomes | reason |",
        "|---|---|---|---|",
    ]
    return [*head, *(_key(each) for each in migration.keys), ""]


def _key(each: MovedKey) -> str:
    to = code(each.to) if each.to else ""
    return f"| {code(each.key)} | {each.policy} | {to} | {prose(each.reason)} |"


def _phase(number: int, phase: PhaseSteps) -> Iterator[str]:
    yield from (f"## Phase {number}: {phase.phase}", "", prose(phase.about), "")
    yield from (f"Release {prose(phase.release)}, with version {prose(phase.version)} of the component.", "")
    if phase.changes:
        yield from ("Compared with the phase before, it:", "", *_listed(phase.changes))
    yield from _steps("Steps", phase.steps, numbered=True)
    yield from ("### What it puts at risk", "", *_listed(phase.risks))
    yield from _steps("The way back", phase.back)
    yield from _steps("At the end" if phase.phase is Phase.AFTER else "Before the next phase", phase.checks)


def _steps(title: str, steps: Iterable[RunbookStep], *, numbered: bool = False) -> Iterator[str]:
    yield from (f"### {title}", "")
    for number, each in enumerate(steps, start=1):
        by = f" ({WITH[each.by]})" if each.by else ""
        mark = f"{number}. " if numbered else ""
        yield from (f"**{mark}{prose(each.title)}{by}.**" + (f" {prose(each.why)}" if each.why else ""), "")
        yield from _fenced("\n".join(each.commands)) if each.commands else ()


def _fenced(text: str) -> Iterator[str]:
    """Yield a block of code, however many backquotes are in it."""
    fence = "`" * max(3, 1 + max((len(each) for each in re.findall("`+", text)), default=0))
    yield from (f"{fence}sh", *map(printable, text.split("\n")), fence, "")


def _listed(some: Iterable[str]) -> list[str]:
    return [*(f"- {prose(each)}" for each in some), ""]


def _apart(some: Iterable[str]) -> list[str]:
    return [line for each in some for line in (prose(each), "")]


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
