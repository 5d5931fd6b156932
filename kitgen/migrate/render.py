"""Run `kitgen migrate render`: write what a target deploys in one phase of a migration."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from kitgen.files.apply import apply_tree, recover_write
from kitgen.files.tree_changes import TreeChanges
from kitgen.findings import Finding
from kitgen.kit.model import Target
from kitgen.kit.model.migration import Migration
from kitgen.migrate.phases.objects import PhaseMade
from kitgen.migrate.phases.run import Phases, check_phase_order, open_migration, resolve_phase, resolve_target
from kitgen.render.file_tree import FileTree
from kitgen.render.overlays.files import assign_file_names, render_document, render_kustomization
from kitgen.workspace.kit import raise_on_errors
from kitgen.workspace.render import refuse_kit_folder
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
    target, phase = resolve_target(opening, request.target), resolve_phase(migration, request.phase)
    if request.start:
        raise_on_errors(check_phase_order(migration, resolve_phase(migration, request.start), phase), root)
    refuse_kit_folder(root, request.out)
    progress(f"compiling {target.name}")
    phases = Phases(opening, target)
    made = phases.build(phase)
    progress("checking")
    findings = phases.check(made)
    raise_on_errors(findings, root)
    tree = render_phase_files(made, migration, target)
    recover_write(request.out)
    changes = apply_tree(tree, request.out, waiting=lambda: progress(WAITING))
    return PhaseWritten(
        root=root,
        phase=phase,
        release=made.release,
        objects=len(made.objects),
        changes=changes,
        findings=tuple(findings),
    )


def render_phase_files(made: PhaseMade, migration: Migration, target: Target) -> FileTree:
    """Return the files of a phase, by their path in its folder."""
    origins = (migration.origin.file, target.origin.file)
    known = {each.id: each for each in made.objects}
    files = {
        name: render_document(known[identity].body, *origins)
        for identity, name in assign_file_names(known).items()
    }
    note = f"{migration.name}, phase {made.phase}: {target.name} as in release {made.release}"
    listed = {"sortOptions": FIFO, "resources": list(files)}
    return {"kustomization.yaml": render_kustomization(listed, *origins, note=note), **files}
