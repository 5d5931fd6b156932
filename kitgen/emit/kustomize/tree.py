"""The whole of overlays/: bases, and for each target its components and what holds them together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kitgen.compile import Plan, Unit
from kitgen.emit.kustomize.base import base_files, crd_files
from kitgen.emit.kustomize.files import document, kustomization
from kitgen.emit.kustomize.overlay import Layout, bundle_note, labels_entry, overlay_files
from kitgen.emit.tree import FileTree, base_folder, below
from kitgen.root import CRDS
from kitgen.semver import version_key


def overlays(plans: Iterable[Plan]) -> FileTree:
    """Return every file of overlays/, by its path below that folder."""
    known = list(plans)
    used = {_key(base): base for plan in known for base in plan.bases.values()}
    folders = _base_folders(used)
    tree: FileTree = {}
    for key, base in used.items():
        tree |= below(folders[key], base_files(base))
        tree |= below(f"{folders[key]}/{CRDS}", crd_files(base))
    for plan in known:
        tree |= below(plan.target.name, _target_files(plan, folders))
    return tree


def _key(base: Unit) -> tuple[str, str]:
    return base.context.component.name, base.context.component.version


def _base_folders(used: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str]:
    newest: dict[str, str] = {}
    for name, version in used:
        newest[name] = max(version, newest.get(name, version), key=version_key)
    return {(name, version): base_folder(name, version, newest[name]) for name, version in used}


def _target_files(plan: Plan, folders: Mapping[tuple[str, str], str]) -> FileTree:
    def folder(component: str) -> str:
        return folders[_key(plan.bases[component])]

    files: FileTree = {}
    origin = plan.target.origin.file
    for unit in plan.units:
        component, base = unit.context.component, plan.bases[unit.context.component.name]
        layout = Layout(
            note=bundle_note(plan, component),
            base=f"../../{folder(component.name)}",
            crds=tuple(f"../../{folder(c.name)}/{CRDS}" for c in unit.with_crds),
        )
        files |= below(component.name, overlay_files(unit, base, layout))
    # Without resources it builds to nothing, which is what a target that manages nothing is.
    fields = {
        "sortOptions": {"order": "fifo"},
        "resources": [unit.context.component.name for unit in plan.units],
    }
    files["kustomization.yaml"] = kustomization(fields, origin, note=bundle_note(plan))
    if plan.cluster:
        files["datasciencecluster.yaml"] = document(plan.cluster.body, plan.cluster.sources[0].origin.file)
    # The CRDs that the target keeps apart, for the bundle of the ODH operator.
    for each in plan.bundled:
        place = folder(each.component.name)
        entry = {
            "labels": [labels_entry(rule) for rule in each.labels],
            "resources": [f"../../../{place}/{CRDS}"],
        }
        files[f"{CRDS}/{each.component.name}/kustomization.yaml"] = kustomization(entry, origin)
    if plan.bundled:
        names = [each.component.name for each in plan.bundled]
        files[f"{CRDS}/kustomization.yaml"] = kustomization({"resources": names}, origin)
    return files
