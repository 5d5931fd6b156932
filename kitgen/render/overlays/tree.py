"""The whole of overlays/: bases, and each target's components with their joint kustomization."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kitgen.files.root import CRDS
from kitgen.render.file_tree import FileTree, nest_files
from kitgen.render.overlays.base import BaseFolder
from kitgen.render.overlays.files import render_document, render_kustomization
from kitgen.render.overlays.overlay import (
    OverlayLayout,
    apply_crd_changes,
    build_crd_patches,
    describe_bundled_crds,
    overlay_files,
    render_label_removals,
    to_labels_entry,
)
from kitgen.render.plan import TargetPlan
from kitgen.text.yaml import JsonObject

if TYPE_CHECKING:
    from kitgen.kit.model import Component
    from kitgen.render.session import Session


def list_base_folders(plan: TargetPlan) -> list[BaseFolder]:
    """Return the folders that the files of a target build on."""
    folders = [plan.bases[unit.context.component.name].folders.objects for unit in plan.units]
    folders += [plan.bases[each.name].folders.crds for unit in plan.units for each in unit.with_crds]
    folders += [plan.bases[each.component.name].folders.crds for each in plan.bundled]
    return [*{each.path: each for folder in folders for each in folder.list_chain()}.values()]


def find_base_folder(session: Session, component: Component, path: str) -> BaseFolder:
    """Return a folder that a component has, by its path below overlays/."""
    folders = session.get_base(component).folders
    return next(each for each in (folders.objects, folders.crds) if each.path == path)


def render_overlay(plan: TargetPlan) -> FileTree:
    """Return the files in the folder of a target, by their paths below overlays/."""
    files: FileTree = {}
    origin = plan.target.origin.file
    for unit in plan.units:
        component, base = unit.context.component, plan.bases[unit.context.component.name]
        layout = OverlayLayout(
            note=describe_bundled_crds(plan, component),
            base=f"../../{base.folders.objects.path}" if base.assembled else "",
            crds=tuple(f"../../{plan.bases[each.name].folders.crds.path}" for each in unit.with_crds),
        )
        files |= nest_files(component.name, overlay_files(unit, base, layout))
    # Without resources it builds to nothing, which is what a target that manages nothing is.
    files["kustomization.yaml"] = render_kustomization(
        {
            "sortOptions": {"order": "fifo"},
            "resources": [unit.context.component.name for unit in plan.units],
        },
        origin,
        note=describe_bundled_crds(plan),
    )
    if plan.cluster:
        files["datasciencecluster.yaml"] = render_document(plan.cluster.body, origin)
    # The CRDs that the target keeps apart, for the bundle of the ODH operator.
    for each in plan.bundled:
        base = plan.bases[each.component.name]
        patches = build_crd_patches(each.changed_crds, (origin,))
        crds = [*apply_crd_changes(base.crds, each.changed_crds)]
        last = render_label_removals(crds, each.labels, each.spared, "", (origin,))
        entry: JsonObject = {
            "labels": [to_labels_entry(rule) for rule in each.labels],
            "resources": [f"../../../{base.folders.crds.path}"],
            "patches": list(patches.patches),
            "transformers": list(last),
        }
        made = {"kustomization.yaml": render_kustomization(entry, origin), **patches.files, **last}
        files |= nest_files(f"{CRDS}/{each.component.name}", made)
    if names := [each.component.name for each in plan.bundled]:
        files[f"{CRDS}/kustomization.yaml"] = render_kustomization({"resources": names}, origin)
    return nest_files(plan.target.name, files)
