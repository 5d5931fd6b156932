"""Run `kitgen migrate plan`: make the runbook of a migration for one target."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from kitgen.findings import Finding, deduplicate_findings
from kitgen.migrate.phases.run import Phases, open_migration, resolve_target
from kitgen.migrate.runbook.managers import build_migration_site
from kitgen.migrate.runbook.model import Runbook
from kitgen.migrate.runbook.plan import build_runbook
from kitgen.workspace.kit import raise_on_errors
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
    target = resolve_target(opening, request.target)
    progress(f"compiling {target.name}")
    phases = Phases(opening, target)
    made = [phases.build(each) for each in opening.migration.phases]
    findings: list[Finding] = []
    for each in made:
        progress(f"checking {each.phase}")
        findings += phases.check(each)
    found, root = deduplicate_findings(findings), opening.opened.root
    raise_on_errors(found, root)
    place = build_migration_site(opening.migration, target, phases.plans)
    return RunbookMade(
        root=root, runbook=build_runbook(opening.migration, place, made), findings=tuple(found)
    )
