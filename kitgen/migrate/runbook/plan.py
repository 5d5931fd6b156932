"""Assemble the runbook of a migration from templates, whose notation is parsed here."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache, partial
from pathlib import Path
from shlex import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from kitgen.kit.model.migration import Migration, Phase
from kitgen.migrate.phases.admission import POLICY_MINOR, policy_name
from kitgen.migrate.phases.objects import PhaseMade
from kitgen.migrate.phases.permissions import role_name
from kitgen.migrate.runbook.managers import MigrationSite
from kitgen.migrate.runbook.model import (
    Manager,
    PhaseSteps,
    Runbook,
    RunbookDrop,
    RunbookKey,
    RunbookKind,
    RunbookStep,
    SurroundingManager,
    TargetManager,
)
from kitgen.migrate.runbook.phases import RunbookPhase, build_runbook_phases
from kitgen.text.wording import join_words

NEWLINE = "\0"
"""What stands for the end of a line within a value; no text of YAML has it."""
SECTION, STEP, ITEM, COMMAND, REASON = "::", "#", "-", "$", ">"
"""How lines of the notation begin; any other goes on with what is said above it."""
TITLES: dict[SurroundingManager, str] = {
    Manager.OLM: "OLM",
    Manager.ODH: "The ODH operator",
    Manager.ARGOCD: "Argo CD",
}


@cache
def build_environment() -> Environment:
    """Return what renders the templates; no value can begin a line of the notation."""
    made = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        undefined=StrictUndefined,
        autoescape=True,  # so that macros are told from values, which are put on one line
        finalize=_to_one_line,
        lstrip_blocks=True,
    )
    made.globals |= {"POLICY_MINOR": POLICY_MINOR, "NEWLINE": "\n"}
    made.filters["sh"] = lambda value: quote(str(value))
    made.filters["json"] = partial(json.dumps, separators=(",", ":"))
    made.filters["enumerate_words"] = partial(join_words, last="and")
    return made


def _to_one_line(value: object) -> Markup:
    return value if isinstance(value, Markup) else Markup(str(value).replace("\n", NEWLINE))


def _render_sections(template: str, **facts: object) -> dict[str, list[RunbookStep]]:
    """Return the steps of each section that a template has; of a list, each item is the title of one."""
    found: dict[str, list[RunbookStep]] = {}
    steps: list[RunbookStep] = []
    lines = build_environment().get_template(template).render(facts).split("\n")
    for mark, _, rest in (line.lstrip().partition(" ") for line in lines if line.strip()):
        text = rest.replace(NEWLINE, "\n")
        if mark == SECTION:
            steps = found.setdefault(text, [])
        elif mark == ITEM or mark.startswith(STEP):
            by = Manager(mark[1:]) if mark[1:] else None
            steps.append(RunbookStep(title=text, by=by))
        elif mark == COMMAND:
            steps[-1].commands.append(text)
        elif mark == REASON:
            steps[-1].why = text or None
        else:
            steps[-1].why = " ".join(filter(None, (steps[-1].why, f"{mark} {text}".strip())))
    return found


def _format_items(steps: Sequence[RunbookStep]) -> tuple[str, ...]:
    return tuple(" ".join(filter(None, (each.title, each.why))) for each in steps)


def build_runbook(migration: Migration, site: MigrationSite, made: Sequence[PhaseMade]) -> Runbook:
    """Return the runbook of a migration for a target, from what it brings in each phase."""
    phases = build_runbook_phases(migration, site, made)
    guarded = any(each.has_policy(each.made) for each in phases if each.phase is Phase.READ_ONLY)
    found = _render_sections(
        "overview.j2", migration=migration, site=site, across=phases[0].across, guarded=guarded
    )
    return Runbook(
        migration=migration.name,
        target=site.target.name,
        title=f"{migration.name} for {site.target.name}: {migration.about}",
        path=migration.way,
        intro=_format_items(found["intro"]),
        kinds=tuple(RunbookKind(before=str(each.before), after=str(each.after)) for each in migration.kinds),
        drops=tuple(RunbookDrop(kind=str(each.kind), reason=each.reason) for each in migration.drops),
        keys=tuple(
            RunbookKey(key=each.key, policy=each.policy, to=each.to or None, reason=each.reason)
            for each in migration.keys
        ),
        surroundings=tuple(
            TargetManager(by=by, title=title, notes=_format_items(found[by]))
            for by, title in TITLES.items()
            if by in found
        ),
        phases=tuple(map(_build_phase_steps, phases)),
        limits=_format_items(found["limits"]),
    )


def _build_phase_steps(at: RunbookPhase) -> PhaseSteps:
    found = _render_sections(
        "phase.j2",
        at=at,
        migration=at.migration,
        site=at.site,
        phase=at.phase,
        earlier=at.before.phase if at.before else None,
        role=role_name(at.migration),
        policy=policy_name(at.migration),
    )
    return PhaseSteps(
        phase=at.phase,
        about=_format_items(found["about"])[0],
        release=at.made.release,
        version=at.site.versions[at.made.release],
        changes=at.changes,
        steps=tuple(found["steps"]),
        risks=_format_items(found["risks"]),
        back=tuple(found["back"]),
        checks=tuple(found["checks"]),
    )
