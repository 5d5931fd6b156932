"""A phase of a migration as a folder that kustomize builds: a file for each object."""

from __future__ import annotations

from kitgen.kit.model import Target
from kitgen.kit.model.migration import Migration
from kitgen.migrate.phases.objects import PhaseMade
from kitgen.render.file_tree import FileTree
from kitgen.render.overlays.files import document, file_names, kustomization

FIFO = {"order": "fifo"}


def phase_files(made: PhaseMade, migration: Migration, target: Target) -> FileTree:
    """Return the files of a phase, by their path in its folder."""
    origins = (migration.origin.file, target.origin.file)
    known = {each.id: each for each in made.objects}
    files = {name: document(known[identity].body, *origins) for identity, name in file_names(known).items()}
    note = f"{migration.name}, phase {made.phase}: {target.name} as in release {made.release}"
    listed = {"sortOptions": FIFO, "resources": list(files)}
    return {"kustomization.yaml": kustomization(listed, *origins, note=note), **files}
