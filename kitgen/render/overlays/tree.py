"""The whole of overlays/: bases, and each target's components with their joint kustomization."""

from __future__ import annotations

from collections.abc import Iterable

from kitgen.files.root import CRDS
from kitgen.render.file_tree import FileTree, below
from kitgen.render.overlays.base import Bases
from kitgen.render.overlays.files import document, kustomization
from kitgen.render.overlays.overlay import (
    OverlayLayout,
    as_patched,
    bundle_note,
    crd_patches,
    labels_entry,
    overlay_files,
    unlabelled,
)
from kitgen.render.plan import TargetPlan
from kitgen.text.yaml import JsonObject


def overlays(plans: Iterable[TargetPlan]) -> FileTree:
    """Return every file of overlays/, by its path below that folder."""
    bases = Bases()
    targets: FileTree = {}
    for plan in plans:
        targets |= below(plan.target.name, _target_files(plan, bases))
    return bases.tree | targets


def _target_files(plan: TargetPlan, bases: Bases) -> FileTree:
    files: FileTree = {}
    origin = plan.target.origin.file
    for unit in plan.units:
        component, base = unit.context.component, plan.bases[unit.context.component.name]
        layout = OverlayLayout(
            note=bundle_note(plan, component),
            base=f"../../{bases.objects(base)}" if base.assembled else "",
            crds=tuple(f"../../{bases.crds(plan.bases[each.name])}" for each in unit.with_crds),
        )
        files |= below(component.name, overlay_files(unit, base, layout))
    # Without resources it builds to nothing, which is what a target that manages nothing is.
    files["kustomization.yaml"] = kustomization(
        {
            "sortOptions": {"order": "fifo"},
            "resources": [unit.context.component.name for unit in plan.units],
        },
        origin,
        note=bundle_note(plan),
    )
    if plan.cluster:
        files["datasciencecluster.yaml"] = document(plan.cluster.body, origin)
    # The CRDs that the target keeps apart, for the bundle of the ODH operator.
    for each in plan.bundled:
        base = plan.bases[each.component.name]
        patches = crd_patches(each.changed_crds, (origin,))
        crds = [*as_patched(base.crds, each.changed_crds)]
        last = unlabelled(crds, each.labels, each.spared, "", (origin,))
        entry: JsonObject = {
            "labels": [labels_entry(rule) for rule in each.labels],
            "resources": [f"../../../{bases.crds(base)}"],
            "patches": list(patches.patches),
            "transformers": list(last),
        }
        made = {"kustomization.yaml": kustomization(entry, origin), **patches.files, **last}
        files |= below(f"{CRDS}/{each.component.name}", made)
    if names := [each.component.name for each in plan.bundled]:
        files[f"{CRDS}/kustomization.yaml"] = kustomization({"resources": names}, origin)
    return files
