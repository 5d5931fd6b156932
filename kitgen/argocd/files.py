"""What Argo CD syncs: a layer over each overlay, and the objects that tell Argo CD of it.

The overlays stay as they are. A layer adds annotations by kustomize's own patches, a file for all objects
that get the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from kitgen.argocd.annotations import WAVES, AnnotatedObject
from kitgen.argocd.layers import SyncedTarget, SyncLayer, find_synced_target
from kitgen.files.root import APPS, ARGOCD, FLEET, MARK, SETS
from kitgen.kit.model import Target
from kitgen.kube.manifest import Manifest
from kitgen.render.file_tree import FileTree, nest_files
from kitgen.render.overlays.difference import build_patch_target
from kitgen.render.overlays.files import (
    assign_file_names,
    format_comment,
    format_header,
    render_document,
    render_kustomization,
)
from kitgen.render.plan import TargetPlan
from kitgen.text.values import group_pairs
from kitgen.text.yaml import JsonObject, dump_yaml

FIFO: JsonObject = {"order": "fifo"}
KUSTOMIZATION = "kustomization.yaml"
FLEET_FOLDER = f"{ARGOCD}/{FLEET}"
SETS_FOLDER = f"{FLEET_FOLDER}/{SETS}"


def render_argocd_files(plan: TargetPlan) -> FileTree:
    """Return the files that Argo CD reads of a target, by their path below overlays/."""
    if (synced := find_synced_target(plan)) is None:
        return {}
    files = nest_files(f"{ARGOCD}/{plan.target.name}", _render_target_files(plan, synced))
    if synced.fleet and synced.fleet.sets:
        files |= nest_files(FLEET_FOLDER, _render_object_files(synced.fleet.root, [MARK]))
        sets = _render_object_files(synced.fleet.sets, [MARK, plan.target.origin.file])
        files |= nest_files(SETS_FOLDER, sets)
    return files


def render_fleet_index(targets: Sequence[tuple[Target, FileTree]]) -> FileTree:
    """Return what lists the files that somebody applies once, and beside it those that it brings."""
    files: FileTree = {}
    for folder, origins in (
        (FLEET_FOLDER, [MARK]),
        (
            SETS_FOLDER,
            [MARK, *(target.origin.file for target, tree in targets if _list_inside(SETS_FOLDER, tree))],
        ),
    ):
        names = [*dict.fromkeys(name for _, tree in targets for name in _list_inside(folder, tree))]
        if names:
            files[f"{folder}/{KUSTOMIZATION}"] = _render_index(names, origins)
    return files


def _list_inside(folder: str, tree: FileTree) -> list[str]:
    """Return the names of the files in a folder."""
    return [path.rpartition("/")[2] for path in tree if path.rpartition("/")[0] == folder]


def _render_target_files(plan: TargetPlan, synced: SyncedTarget) -> FileTree:
    origin = plan.target.origin.file
    files: FileTree = {}
    for layer in synced.layers:
        name = layer.part.name
        files |= nest_files(name, _render_layer_files(layer, f"../../../{plan.target.name}/{name}", origin))
    if synced.said.whole:
        names = [layer.part.name for layer in synced.layers]
        files["kustomization.yaml"] = render_kustomization({"sortOptions": FIFO, "resources": names}, origin)
    return files | nest_files(
        APPS, _add_kustomization(_render_object_files(synced.applications, [origin]), [origin])
    )


def _render_object_files(objects: Sequence[Manifest], origins: list[str]) -> FileTree:
    """Return objects for Argo CD, with the reason for each field that is left to others."""
    files: FileTree = {}
    for identity, name in assign_file_names(each.id for each in objects).items():
        manifest = next(each for each in objects if each.id == identity)
        reasons = "".join(format_comment(f"ignored: {each.why}") for each in manifest.sources if each.why)
        files[name] = format_header(origins) + reasons + dump_yaml(manifest.body)
    return files


def _add_kustomization(files: FileTree, origins: list[str]) -> FileTree:
    """Return files with the kustomization that lists them."""
    return {KUSTOMIZATION: _render_index(list(files), origins), **files}


def _render_index(names: Sequence[str], origins: Sequence[str]) -> str:
    return render_kustomization({"sortOptions": FIFO, "resources": [*names]}, *origins)


def _render_layer_files(layer: SyncLayer, overlay: str, origin: str) -> FileTree:
    files: FileTree = {}
    if layer.namespace:
        files["namespace.yaml"] = render_document(layer.namespace.body, origin, note="nothing else makes it")
    patches: list[JsonObject] = []
    for each in layer.dropped:
        path = f"patches/without-{each.id.name}.yaml"
        gone: JsonObject = {"$patch": "delete", **{key: each.body[key] for key in ("apiVersion", "kind")}}
        gone["metadata"] = {"name": each.id.name}
        files[path] = render_document(gone, origin, note="the platform's, which Argo CD must not own")
        patches.append({"path": path})
    for path, text, targets in _render_patches(layer, origin):
        files[path] = text
        patches += [{"path": path, "target": target} for target in targets]
    resources = [*(["namespace.yaml"] if layer.namespace else ()), overlay]
    fields = {"sortOptions": FIFO, "resources": resources, "patches": patches}
    return {"kustomization.yaml": render_kustomization(fields, origin), **files}


def _render_patches(layer: SyncLayer, origin: str) -> Iterator[tuple[str, str, list[JsonObject]]]:
    """Yield a patch for all objects that get the same annotations, and what leads kustomize to them."""
    alike = group_pairs(
        (dump_yaml([each.wave, each.annotations, each.template]), each)
        for each in layer.noted
        if each.annotations or each.template
    )
    every = Counter(each.manifest.id.kind for each in layer.noted)
    numbers: Counter[str] = Counter()
    for some in sorted(alike.values(), key=lambda each: WAVES[each[0].wave]):
        wave = some[0].wave
        numbers[wave] += 1
        path = f"patches/{wave}{f'-{numbers[wave]}' if numbers[wave] > 1 else ''}.yaml"
        text = render_document(_build_patch(some[0]), origin, note=f"{wave}: {WAVES[wave][1]}")
        yield path, text, list(_build_selectors(some, every, layer))


def _build_patch(noted: AnnotatedObject) -> JsonObject:
    """Return what adds annotations; kustomize looks for kind and name, and takes any for a target's."""
    meta: JsonObject = {"name": "any"}
    body: JsonObject = {"apiVersion": "any/v1", "kind": "any", "metadata": meta}
    if noted.annotations:
        meta["annotations"] = noted.annotations
    if noted.template:
        body["spec"] = {"template": {"metadata": {"annotations": noted.template}}}
    return body


def _build_selectors(
    some: Sequence[AnnotatedObject], every: Counter[str], layer: SyncLayer
) -> Iterator[JsonObject]:
    """Yield selectors: of a kind if all of it is meant, else of each object."""
    here = Counter(each.manifest.id.kind for each in some)
    yield from ({"kind": kind} for kind in here if here[kind] == every[kind])
    for each in (one.manifest for one in some if here[one.manifest.id.kind] < every[one.manifest.id.kind]):
        near = (each.id.kind, len(each.id.name))
        like = [other.id for other in layer.objects if (other.id.kind, len(other.id.name)) == near]
        found = build_patch_target(each, like)
        generated = layer.part.generated if each.id.kind == "ConfigMap" else {}
        yield {**found, "name": generated.get(each.id.name, found["name"])}
