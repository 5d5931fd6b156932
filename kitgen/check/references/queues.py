"""Queues of Kueue: what they take from each other, and what waits in them."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.check.references.target_objects import Found, ObjectName, TargetObjects
from kitgen.findings import Path, Problem, rule
from kitgen.kube.manifest import Manifest
from kitgen.text.values import entries_at, value_at
from kitgen.text.wording import choice, cut
from kitgen.text.yaml import Json

QUEUE_MISSING = rule("queue-missing")

GROUP = "kueue.x-k8s.io"
QUEUE = f"{GROUP}/queue-name"
PRIORITY = f"{GROUP}/priority-class"


def look(scene: TargetObjects) -> Iterator[Found]:
    """Yield what queues and workloads name and is not there."""
    for queue in scene.of(GROUP, "LocalQueue"):
        path: Path = ("spec", "clusterQueue")
        yield from _told(scene, queue, path, "ClusterQueue", value_at(queue.body, *path))
    for queue in scene.of(GROUP, "ClusterQueue"):
        yield from _cluster(scene, queue)
    if not scene.of(GROUP, "LocalQueue", "WorkloadPriorityClass"):
        return
    for each in scene.index.manifests:
        for key, kind in ((QUEUE, "LocalQueue"), (PRIORITY, "WorkloadPriorityClass")):
            path = ("metadata", "labels", key)
            yield from _told(scene, each, path, kind, value_at(each.body, *path))


def _cluster(scene: TargetObjects, queue: Manifest) -> Iterator[Found]:
    for index, group in entries_at(queue.body, "spec", "resourceGroups"):
        for at, flavor in entries_at(group, "flavors"):
            path = ("spec", "resourceGroups", index, "flavors", at, "name")
            yield from _told(scene, queue, path, "ResourceFlavor", flavor.get("name"))
    checks = value_at(queue.body, "spec", "admissionChecks")
    for index, name in enumerate(checks if isinstance(checks, list) else ()):
        yield from _told(scene, queue, ("spec", "admissionChecks", index), "AdmissionCheck", name)


def _told(scene: TargetObjects, manifest: Manifest, path: Path, kind: str, name: Json) -> Iterator[Found]:
    if isinstance(name, str) and name and (problem := _missing(scene, manifest, kind, name)):
        yield manifest, problem.below(*path)


def _missing(scene: TargetObjects, manifest: Manifest, kind: str, name: str) -> Problem | None:
    space = manifest.id.namespace if kind == "LocalQueue" else ""
    if scene.get(GROUP, kind, space, name) is not None:
        return None
    there = scene.names(GROUP, kind, space)
    hint = scene.missing(ObjectName(GROUP, kind, space, name))
    if hint is None and not there:
        return None
    hint = hint or f"there is {choice(there, last='and', most=3, say=lambda each: cut(str(each)))}"
    return QUEUE_MISSING(f"found no {kind} {cut(name)}", (), hint)
