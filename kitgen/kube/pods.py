"""Pods, and the templates of pods in workloads, with their containers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from kitgen.findings import Path
from kitgen.kube.manifest import Manifest
from kitgen.text.values import value_at
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


class PodView(NamedTuple):
    """A pod or a pod template, in the object that runs it."""

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


def pods_of(manifests: Iterable[Manifest]) -> Iterator[PodView]:
    """Yield the pods that objects run, in order; one without a spec is left out."""
    for each in manifests:
        path = TEMPLATES.get((each.id.group, each.id.kind))
        if path is None:
            continue
        pod = value_at(each.body, *path)
        spec = value_at(pod, "spec")
        if isinstance(spec, dict):
            labels = value_at(pod, "metadata", "labels")
            yield PodView(each, path, labels if isinstance(labels, dict) else {}, spec)
