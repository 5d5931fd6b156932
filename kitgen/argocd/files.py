"""What Argo CD syncs: a layer over each overlay, and the objects that tell Argo CD of it.

The overlays stay as they are. A layer adds annotations by kustomize's own patches, a file for all objects
that get the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from kitgen.argocd.annotations import WAVES, AnnotatedObject
from kitgen.argocd.layers import SyncedTarget, SyncLayer, synced_of
from kitgen.files.root import APPS, ARGOCD, FLEET, MARK, SETS
from kitgen.kube.manifest import Manifest
from kitgen.render.file_tree import FileTree, below
from kitgen.render.overlays.difference import selector
from kitgen.render.overlays.files import comment, document, file_names, generated, kustomization
from kitgen.render.plan import TargetPlan
from kitgen.text.values import collect
from kitgen.text.yaml import JsonObject, dump

FIFO: JsonObject = {"order": "fifo"}


def argocd(plans: Sequence[TargetPlan]) -> FileTree:
    """Return the files that Argo CD reads, by their path below overlays/."""
    tree: FileTree = {}
    for plan in plans:
        if (synced := synced_of(plan)) is not None:
            tree |= below(f"{ARGOCD}/{plan.target.name}", _target_files(plan, synced))
    return tree | below(f"{ARGOCD}/{FLEET}", _fleet_files(plans))


def _fleet_files(plans: Sequence[TargetPlan]) -> FileTree:
    """Return what somebody applies once, and beside it what that brings: the sets of all targets."""
    parts = [(plan.target.origin.file, synced.fleet) for plan in plans if (synced := synced_of(plan))]
    if not (said := [(file, part) for file, part in parts if part and part.sets]):
        return {}
    files = _object_files(said[0][1].root, [MARK])
    sets: FileTree = {}
    for file, part in said:
        sets |= _object_files(part.sets, [MARK, file])
    return _listed(files, [MARK]) | below(SETS, _listed(sets, [MARK, *(file for file, _ in said)]))


def _target_files(plan: TargetPlan, synced: SyncedTarget) -> FileTree:
    origin = plan.target.origin.file
    files: FileTree = {}
    for layer in synced.layers:
        name = layer.part.name
        files |= below(name, _layer_files(layer, f"../../../{plan.target.name}/{name}", origin))
    if synced.said.whole:
        names = [layer.part.name for layer in synced.layers]
        files["kustomization.yaml"] = kustomization({"sortOptions": FIFO, "resources": names}, origin)
    return files | below(APPS, _listed(_object_files(synced.applications, [origin]), [origin]))


def _object_files(objects: Sequence[Manifest], origins: list[str]) -> FileTree:
    """Return objects for Argo CD, with the reason for each field that is left to others."""
    files: FileTree = {}
    for identity, name in file_names(each.id for each in objects).items():
        manifest = next(each for each in objects if each.id == identity)
        reasons = "".join(comment(f"ignored: {each.why}") for each in manifest.sources if each.why)
        files[name] = generated(origins) + reasons + dump(manifest.body)
    return files


def _listed(files: FileTree, origins: list[str]) -> FileTree:
    """Return files with the kustomization that lists them."""
    fields = {"sortOptions": FIFO, "resources": list(files)}
    return {"kustomization.yaml": kustomization(fields, *origins), **files}


def _layer_files(layer: SyncLayer, overlay: str, origin: str) -> FileTree:
    files: FileTree = {}
    if layer.namespace:
        files["namespace.yaml"] = document(layer.namespace.body, origin, note="nothing else makes it")
    patches: list[JsonObject] = []
    for each in layer.dropped:
        path = f"patches/without-{each.id.name}.yaml"
        gone: JsonObject = {"$patch": "delete", **{key: each.body[key] for key in ("apiVersion", "kind")}}
        gone["metadata"] = {"name": each.id.name}
        files[path] = document(gone, origin, note="the platform's, which Argo CD must not own")
        patches.append({"path": path})
    for path, text, targets in _patches(layer, origin):
        files[path] = text
        patches += [{"path": path, "target": target} for target in targets]
    resources = [*(["namespace.yaml"] if layer.namespace else ()), overlay]
    fields = {"sortOptions": FIFO, "resources": resources, "patches": patches}
    return {"kustomization.yaml": kustomization(fields, origin), **files}


def _patches(layer: SyncLayer, origin: str) -> Iterator[tuple[str, str, list[JsonObject]]]:
    """Yield a patch for all objects that get the same annotations, and what leads kustomize to them."""
    alike = collect(
        (dump([each.wave, each.annotations, each.template]), each)
        for each in layer.noted
        if each.annotations or each.template
    )
    every = Counter(each.manifest.id.kind for each in layer.noted)
    numbers: Counter[str] = Counter()
    for some in sorted(alike.values(), key=lambda each: WAVES[each[0].wave]):
        wave = some[0].wave
        numbers[wave] += 1
        path = f"patches/{wave}{f'-{numbers[wave]}' if numbers[wave] > 1 else ''}.yaml"
        text = document(_patch(some[0]), origin, note=f"{wave}: {WAVES[wave][1]}")
        yield path, text, list(_targets(some, every, layer))


def _patch(noted: AnnotatedObject) -> JsonObject:
    """Return what adds annotations; kustomize looks for kind and name, and takes any for a target's."""
    meta: JsonObject = {"name": "any"}
    body: JsonObject = {"apiVersion": "any/v1", "kind": "any", "metadata": meta}
    if noted.annotations:
        meta["annotations"] = noted.annotations
    if noted.template:
        body["spec"] = {"template": {"metadata": {"annotations": noted.template}}}
    return body


def _targets(some: Sequence[AnnotatedObject], every: Counter[str], layer: SyncLayer) -> Iterator[JsonObject]:
    """Yield selectors: of a kind if all of it is meant, else of each object."""
    here = Counter(each.manifest.id.kind for each in some)
    yield from ({"kind": kind} for kind in here if here[kind] == every[kind])
    for each in (one.manifest for one in some if here[one.manifest.id.kind] < every[one.manifest.id.kind]):
        near = (each.id.kind, len(each.id.name))
        like = [other.id for other in layer.objects if (other.id.kind, len(other.id.name)) == near]
        found = selector(each, like)
        generated = layer.part.generated if each.id.kind == "ConfigMap" else {}
        yield {**found, "name": generated.get(each.id.name, found["name"])}
