"""The tree that the ODH operator mounts: one self-contained folder per component."""

from __future__ import annotations

from collections.abc import Iterable

from kitgen.files.root import BASES, CRDS
from kitgen.kit.model import Export
from kitgen.render.file_tree import FileTree, below
from kitgen.render.overlays.base import base_files, crd_files
from kitgen.render.overlays.files import document
from kitgen.render.overlays.overlay import OverlayLayout, bundle_note, origins_of, overlay_files, params_files
from kitgen.render.plan import TargetPlan
from kitgen.render.unit import Unit
from kitgen.text.yaml import JsonObject

METADATA = "component_metadata.yaml"


def export(plans: Iterable[TargetPlan]) -> FileTree:
    """Return every file of the export, by its path below the folder that the operator mounts."""
    tree: FileTree = {}
    for plan in plans:
        for unit in plan.units:
            if (said := unit.context.settings.export) is not None:
                tree |= below(said.folder, _component_files(plan, unit, said))
    return tree


def _component_files(plan: TargetPlan, unit: Unit, said: Export) -> FileTree:
    base = plan.bases[unit.context.component.name]
    elsewhere = unit.params is not None and said.params != said.build
    layout = OverlayLayout(
        note=bundle_note(plan, unit.context.component),
        base=f"../{BASES}" if base.assembled else "",
        crds=tuple(f"../{CRDS}/{each.name}" for each in unit.with_crds),
        params=f"../{said.params}" if elsewhere else "",
    )
    files = below(said.build, overlay_files(unit, base, layout)) | below(BASES, base_files(base))
    for each in unit.with_crds:
        files |= below(f"{CRDS}/{each.name}", crd_files(plan.bases[each.name]))
    files |= below(said.params, params_files(unit)) if elsewhere else {}
    return files | _metadata(plan, unit, said)


def _metadata(plan: TargetPlan, unit: Unit, said: Export) -> FileTree:
    """Return what the operator shows of a component, if the release has it; no kustomization names it."""
    shown, component = said.metadata, unit.context.component
    if shown is None or not shown.fits(plan.release.name):
        return {}
    release: JsonObject = {
        "name": shown.name,
        "version": component.version.removeprefix("v"),
        "repoUrl": f"https://github.com/{shown.repository}",
    }
    return {METADATA: document({"releases": [release]}, *origins_of(unit))}
