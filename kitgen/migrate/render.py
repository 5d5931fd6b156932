"""What `kitgen migrate render` does: write what a target brings in one phase of a migration."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from kitgen.files.apply import apply, recover
from kitgen.files.tree_changes import TreeChanges
from kitgen.findings import Finding
from kitgen.migrate.phases.files import phase_files
from kitgen.migrate.phases.run import Phases, open_migration, phase_named, skipped, target_of
from kitgen.workspace.kit import require
from kitgen.workspace.render import refuse_own
from kitgen.workspace.render_request import WAITING, Progress


class PhaseRequest(Struct, frozen=True, kw_only=True):
    """Which phase of which migration to write, and where."""

    root: Path | None = None
    name: str
    target: str
    phase: str
    start: str = ""
    """The phase that the cluster is in; the one before when empty."""
    out: Path


class PhaseWritten(Struct, frozen=True, kw_only=True):
    """What was written."""

    root: Path
    phase: str
    release: str
    objects: int
    changes: TreeChanges
    findings: tuple[Finding, ...]


def render_phase(request: PhaseRequest, progress: Progress) -> PhaseWritten:
    """Write the objects of a phase as a folder that kustomize builds; nothing while an error stands."""
    opening = open_migration(request.root, request.name)
    migration, root = opening.migration, opening.opened.root
    target, phase = target_of(opening, request.target), phase_named(migration, request.phase)
    if request.start:
        require(skipped(migration, phase_named(migration, request.start), phase), root)
    refuse_own(root, request.out)
    progress(f"compiling {target.name}")
    phases = Phases(opening, target)
    made = phases.at(phase)
    progress("checking")
    findings = phases.findings(made)
    require(findings, root)
    tree = phase_files(made, migration, target)
    recover(request.out)
    changes = apply(tree, request.out, waiting=lambda: progress(WAITING))
    return PhaseWritten(
        root=root,
        phase=phase,
        release=made.release,
        objects=len(made.objects),
        changes=changes,
        findings=tuple(findings),
    )
