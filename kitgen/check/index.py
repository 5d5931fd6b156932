"""What is in a target: its objects by what they are called, and the pods that they make."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from kitgen.findings import Path
from kitgen.kube.identity import ObjectId
from kitgen.kube.manifest import Manifest
from kitgen.text.yaml import Json, JsonObject

TEMPLATES: dict[tuple[str, str], Path] = {
    ("", "Pod"): (),
    ("", "PodTemplate"): ("template",),
    ("", "ReplicationController"): ("spec", "template"),
    ("apps", "DaemonSet"): ("spec", "template"),
    ("apps", "Deployment"): ("spec", "template"),
    ("apps", "ReplicaSet"): ("spec", "template"),
    ("apps", "StatefulSet"): ("spec", "template"),
    ("batch", "CronJob"): ("spec", "jobTemplate", "spec", "template"),
    ("batch", "Job"): ("spec", "template"),
}
"""Group and kind → where an object of Kubernetes' own has the pod that it makes."""


class Pod(NamedTuple):
    """A pod, or the template of one."""

    manifest: Manifest
    """The object that it is, or that makes it."""
    path: Path
    """Where it stands there; its metadata and spec are below."""
    labels: Mapping[str, Json]
    spec: JsonObject

    @property
    def namespace(self) -> str:
        """Return where it runs; empty where nobody says it."""
        return self.manifest.id.namespace

    def at(self, *steps: str | int) -> Path:
        """Return the path of something in its spec."""
        return (*self.path, "spec", *steps)


class TargetIndex:
    """The objects of one target."""

    def __init__(self, manifests: Sequence[Manifest]) -> None:
        """Take the objects in; of two with one identity the first counts."""
        self.manifests = manifests
        self._by_id: dict[ObjectId, Manifest] = {}
        self._by_kind: dict[tuple[str, str], list[Manifest]] = {}
        for each in manifests:
            self._by_id.setdefault(each.id, each)
            self._by_kind.setdefault((each.id.group, each.id.kind), []).append(each)
        self.pods = tuple(_pods(manifests))

    def get(self, group: str, kind: str, namespace: str, name: str) -> Manifest | None:
        """Return an object; one without a namespace has an empty one."""
        return self._by_id.get(ObjectId(group, kind, namespace, name))

    def of(self, group: str, *kinds: str) -> list[Manifest]:
        """Return the objects of some kinds, in order."""
        return [each for kind in kinds for each in self._by_kind.get((group, kind), ())]


def _pods(manifests: Iterable[Manifest]) -> Iterable[Pod]:
    for each in manifests:
        path = TEMPLATES.get((each.id.group, each.id.kind))
        if path is None:
            continue
        pod = below(each.body, *path)
        spec = below(pod, "spec")
        if isinstance(spec, dict):
            labels = below(pod, "metadata", "labels")
            yield Pod(each, path, labels if isinstance(labels, dict) else {}, spec)


def below(value: Json, *path: str | int) -> Json:
    """Return what is at a place in a value of any shape, or None."""
    for step in path:
        if isinstance(value, dict) and isinstance(step, str):
            value = value.get(step)
        elif isinstance(value, list) and isinstance(step, int) and -len(value) <= step < len(value):
            value = value[step]
        else:
            return None
    return value


def entries(value: Json, *path: str | int) -> list[tuple[int, JsonObject]]:
    """Return the mappings in the list at a place, with their places; schemas tell of everything else."""
    items = below(value, *path)
    return [
        (index, item)
        for index, item in enumerate(items if isinstance(items, list) else ())
        if isinstance(item, dict)
    ]
