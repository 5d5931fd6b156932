"""Containers that others name: for what they may use, for what they are scaled by."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.check.index import Pod, below, entries
from kitgen.check.pods import CONTAINERS
from kitgen.check.references.scene import Found, Scene
from kitgen.findings import Chapter, Path, Problem, Rule, Severity, near
from kitgen.objects import split_api_version
from kitgen.schema.wording import choice, cut
from kitgen.yamlio import Json

CONTAINER_MISSING = Rule(
    id="container-missing",
    chapter=Chapter.BETWEEN,
    checks=(
        "A container that a variable, a file of the downward API, or a HorizontalPodAutoscaler names is one "
        "of the pod's."
    ),
    fix="Correct the name of the container.",
    why=(
        "The API server does not look. A container whose variable is a resource of nobody does not start, "
        "and an autoscaler that measures nobody does not scale."
    ),
    severity=Severity.WARNING,
    exceptable=True,
)

SHOWN = "kubectl.kubernetes.io/default-container"
MEASURED = ("containerResource", "container")


def look(scene: Scene) -> Iterator[Found]:
    """Yield names of containers that a pod does not have."""
    for pod in scene.index.pods:
        shown = (*pod.path, "metadata", "annotations", SHOWN)
        if problem := _missing(pod, below(pod.manifest.body, *shown)):
            yield pod.manifest, problem.below(*shown)
        for path, name in _asked(pod):
            if problem := _missing(pod, name):
                yield pod.manifest, problem.below(*pod.at(*path))
    scalers = scene.of("autoscaling", "HorizontalPodAutoscaler")
    pods = {id(pod.manifest): pod for pod in scene.index.pods} if scalers else {}
    for scaler in scalers:
        ref = below(scaler.body, "spec", "scaleTargetRef")
        group, _ = split_api_version(str(below(ref, "apiVersion") or ""))
        target = scene.get(group, str(below(ref, "kind")), scaler.id.namespace, below(ref, "name"))
        if (measured := pods.get(id(target))) is None:
            continue
        for index, metric in entries(scaler.body, "spec", "metrics"):
            if problem := _missing(measured, below(metric, *MEASURED)):
                yield scaler, problem.below("spec", "metrics", index, *MEASURED)


def _asked(pod: Pod) -> Iterator[tuple[Path, Json]]:
    """Yield the names of containers whose resources become variables or files."""
    ref = ("resourceFieldRef", "containerName")
    for kind in CONTAINERS:
        for index, container in entries(pod.spec, kind):
            for at, variable in entries(container, "env"):
                yield (kind, index, "env", at, "valueFrom", *ref), below(variable, "valueFrom", *ref)
    for index, volume in entries(pod.spec, "volumes"):
        for at, item in entries(volume, "downwardAPI", "items"):
            yield ("volumes", index, "downwardAPI", "items", at, *ref), below(item, *ref)
        for place, source in entries(volume, "projected", "sources"):
            for at, item in entries(source, "downwardAPI", "items"):
                above = ("volumes", index, "projected", "sources", place, "downwardAPI", "items", at)
                yield (*above, *ref), below(item, *ref)


def _missing(pod: Pod, name: Json) -> Problem | None:
    names = [
        found
        for kind in CONTAINERS
        for _, each in entries(pod.spec, kind)
        if isinstance(found := each.get("name"), str)
    ]
    if not isinstance(name, str) or not name or not names or name in names:
        return None
    there = f"there is {choice(list(names), last='and', say=lambda each: cut(str(each)))}"
    return CONTAINER_MISSING(
        f"found the container {cut(name)}, which {pod.manifest.id} does not have",
        (),
        near(name, names) or there,
    )
