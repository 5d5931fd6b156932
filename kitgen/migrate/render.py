"""Run `kitgen migrate render`: write what a target deploys in one phase of a migration."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from kitgen.files.apply import apply, recover
from kitgen.files.tree_changes import TreeChanges
from kitgen.findings import Finding
from kitgen.kit.model import Target
from kitgen.kit.model.migration import Migration
from kitgen.migrate.phases.objects import PhaseMade
from kitgen.migrate.phases.run import Phases, open_migration, phase_named, skipped, target_of
from kitgen.render.file_tree import FileTree
from kitgen.render.overlays.files import document, file_names, kustomization
from kitgen.workspace.kit import require
from kitgen.workspace.render import refuse_own
from kitgen.workspace.render_request import WAITING, Progress

FIFO = {"order": "fifo"}


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


def phase_files(made: PhaseMade, migration: Migration, target: Target) -> FileTree:
    """Return the files of a phase, by their path in its folder."""
    origins = (migration.origin.file, target.origin.file)
    known = {each.id: each for each in made.objects}
    files = {name: document(known[identity].body, *origins) for identity, name in file_names(known).items()}
    note = f"{migration.name}, phase {made.phase}: {target.name} as in release {made.release}"
    listed = {"sortOptions": FIFO, "resources": list(files)}
    return {"kustomization.yaml": kustomization(listed, *origins, note=note), **files}
