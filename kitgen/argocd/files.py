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


def render_argocd_files(plans: Sequence[TargetPlan]) -> FileTree:
    """Return the files that Argo CD reads, by their path below overlays/."""
    tree: FileTree = {}
    for plan in plans:
        if (synced := find_synced_target(plan)) is not None:
            tree |= nest_files(f"{ARGOCD}/{plan.target.name}", _render_target_files(plan, synced))
    return tree | nest_files(f"{ARGOCD}/{FLEET}", _render_fleet_files(plans))


def _render_fleet_files(plans: Sequence[TargetPlan]) -> FileTree:
    """Return what somebody applies once, and beside it what that brings: the sets of all targets."""
    parts = [
        (plan.target.origin.file, synced.fleet) for plan in plans if (synced := find_synced_target(plan))
    ]
    if not (said := [(file, part) for file, part in parts if part and part.sets]):
        return {}
    files = _render_object_files(said[0][1].root, [MARK])
    sets: FileTree = {}
    for file, part in said:
        sets |= _render_object_files(part.sets, [MARK, file])
    return _add_kustomization(files, [MARK]) | nest_files(
        SETS, _add_kustomization(sets, [MARK, *(file for file, _ in said)])
    )


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
    fields = {"sortOptions": FIFO, "resources": list(files)}
    return {"kustomization.yaml": render_kustomization(fields, *origins), **files}


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
