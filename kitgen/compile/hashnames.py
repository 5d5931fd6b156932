"""Names with a hash: what refers to the ConfigMap of the parameters follows its name, as kustomize has it."""

from __future__ import annotations

from kitgen.compile.families.params import Params
from kitgen.findings import Path
from kitgen.objects import Manifest, Source
from kitgen.yamlio import Json

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


def follow_hash(objects: list[Manifest], params: Params | None) -> list[Manifest]:
    """Return the objects with the name that kustomize gives the ConfigMap wherever they refer to it."""
    if params is None or not params.hashed:
        return objects
    name = params.manifest().id.name
    return [_follow(manifest, params, name) for manifest in objects]


def _follow(manifest: Manifest, params: Params, name: str) -> Manifest:
    paths: list[Path] = []
    body = manifest.body
    for place in PLACES.get(manifest.id.kind, ()):
        body = _renamed(body, place.split("/"), (params.config_map, name), (), paths)
    made = (Source(path=path, rule="family params", origin=params.origin) for path in paths)
    return manifest.with_(body, *made) if paths else manifest


def _renamed(value: Json, way: list[str], names: tuple[str, str], here: Path, paths: list[Path]) -> Json:
    """Return a value with the first name replaced by the second at the end of the way."""
    if isinstance(value, list):
        return [_renamed(item, way, names, (*here, index), paths) for index, item in enumerate(value)]
    if not way:
        if value != names[0]:
            return value
        paths.append(here)
        return names[1]
    if not isinstance(value, dict) or way[0] not in value:
        return value
    return {**value, way[0]: _renamed(value[way[0]], way[1:], names, (*here, way[0]), paths)}
