"""Names that change: what refers to a generated ConfigMap follows its name, as kustomize has it."""

from __future__ import annotations

from msgspec.structs import replace

from kitgen.kustomize.ways import changed_at, places
from kitgen.objects import Manifest, Source, is_namespaced

PODS = {
    **dict.fromkeys(("DaemonSet", "Deployment", "Job", "ReplicaSet", "StatefulSet"), "spec/template/spec"),
    "CronJob": "spec/jobTemplate/spec/template/spec",
    "Pod": "spec",
    "PodTemplate": "template/spec",
}
IN_CONTAINERS = ("env/valueFrom/configMapKeyRef/name", "envFrom/configMapRef/name")
IN_PODS = (
    "volumes/configMap/name",
    "volumes/projected/sources/configMap/name",
    *(f"{containers}/{field}" for containers in ("containers", "initContainers") for field in IN_CONTAINERS),
)
PLACES = {
    **{kind: tuple(f"{pod}/{field}" for field in IN_PODS) for kind, pod in PODS.items()},
    **dict.fromkeys(("ClusterRole", "Role"), ("rules/resourceNames",)),
}
"""Kind → where its objects name a ConfigMap; lists on the way are gone through."""


def follow_name(objects: list[Manifest], old: str, new: str, why: Source, namespace: str) -> list[Manifest]:
    """Return the objects with the new name of a ConfigMap wherever they refer to it, and why they do.

    Those of another namespace mean another one; none is the one that is called default.
    """
    return [
        _follow(each, old, new, why)
        if (each.id.namespace or "default") == (namespace or "default")
        or not is_namespaced(each.id.group, each.id.kind)
        else each
        for each in objects
    ]


def _follow(manifest: Manifest, old: str, new: str, why: Source) -> Manifest:
    body = manifest.body
    ways = PLACES.get(manifest.id.kind, ())
    found = [path for way in ways for path, value in places(body, way) if value == old]
    if not found:
        return manifest
    made = (replace(why, path=path) for path in found)
    return manifest.with_(changed_at(body, {path: lambda _: new for path in found}), *made)
