"""Run `kitgen migrate plan`: make the runbook of a migration for one target."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from kitgen.findings import Finding, unique
from kitgen.migrate.phases.run import Phases, open_migration, target_of
from kitgen.migrate.runbook.managers import place_of
from kitgen.migrate.runbook.model import Runbook
from kitgen.migrate.runbook.plan import runbook_of
from kitgen.workspace.kit import require
from kitgen.workspace.render_request import Progress


class RunbookRequest(Struct, frozen=True, kw_only=True):
    """Which migration to plan, and for which target."""

    root: Path | None = None
    name: str
    target: str


class RunbookMade(Struct, frozen=True, kw_only=True):
    """The runbook."""

    root: Path
    runbook: Runbook
    findings: tuple[Finding, ...]
    """What stands against no phase, but is worth a look."""


def plan_migration(request: RunbookRequest, progress: Progress) -> RunbookMade:
    """Return the runbook; what is wrong with any phase is a FindingsError."""
    opening = open_migration(request.root, request.name)
    target = target_of(opening, request.target)
    progress(f"compiling {target.name}")
    phases = Phases(opening, target)
    made = [phases.at(each) for each in opening.migration.phases]
    findings: list[Finding] = []
    for each in made:
        progress(f"checking {each.phase}")
        findings += phases.findings(each)
    found, root = unique(findings), opening.opened.root
    require(found, root)
    place = place_of(opening.migration, target, phases.plans)
    return RunbookMade(root=root, runbook=runbook_of(opening.migration, place, made), findings=tuple(found))
