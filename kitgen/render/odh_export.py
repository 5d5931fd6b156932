"""The tree that the ODH operator mounts: one self-contained folder per component."""

from __future__ import annotations

from kitgen.files.root import BASES, CRDS
from kitgen.kit.model import Export
from kitgen.render.file_tree import FileTree, nest_files
from kitgen.render.overlays.base import base_files, crd_files
from kitgen.render.overlays.files import render_document
from kitgen.render.overlays.overlay import (
    OverlayLayout,
    describe_bundled_crds,
    origins_of,
    overlay_files,
    params_files,
)
from kitgen.render.plan import TargetPlan
from kitgen.render.unit import Unit
from kitgen.text.yaml import JsonObject

METADATA = "component_metadata.yaml"


def render_export(plan: TargetPlan) -> FileTree:
    """Return every file of the export, by its path below the folder that the operator mounts."""
    tree: FileTree = {}
    for unit in plan.units:
        if (said := unit.context.settings.export) is not None:
            tree |= nest_files(said.folder, _component_files(plan, unit, said))
    return tree


def _component_files(plan: TargetPlan, unit: Unit, said: Export) -> FileTree:
    base = plan.bases[unit.context.component.name]
    elsewhere = unit.params is not None and said.params != said.build
    layout = OverlayLayout(
        note=describe_bundled_crds(plan, unit.context.component),
        base=f"../{BASES}" if base.assembled else "",
        crds=tuple(f"../{CRDS}/{each.name}" for each in unit.with_crds),
        params=f"../{said.params}" if elsewhere else "",
    )
    files = nest_files(said.build, overlay_files(unit, base, layout)) | nest_files(BASES, base_files(base))
    for each in unit.with_crds:
        files |= nest_files(f"{CRDS}/{each.name}", crd_files(plan.bases[each.name]))
    files |= nest_files(said.params, params_files(unit)) if elsewhere else {}
    return files | _render_metadata(plan, unit, said)


def _render_metadata(plan: TargetPlan, unit: Unit, said: Export) -> FileTree:
    """Return what the operator shows of a component, if the release has it; no kustomization names it."""
    shown, component = said.metadata, unit.context.component
    if shown is None or not shown.applies_to(plan.release.name):
        return {}
    release: JsonObject = {
        "name": shown.name,
        "version": component.version.removeprefix("v"),
        "repoUrl": f"https://github.com/{shown.repository}",
    }
    return {METADATA: render_document({"releases": [release]}, *origins_of(unit))}
