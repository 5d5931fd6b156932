"""Check containers that other objects name."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.check.references.target_objects import Found, TargetObjects, pod_places
from kitgen.findings import Problem, near, problem
from kitgen.kube.identity import split_api_version
from kitgen.kube.pods import CONTAINERS, PodView
from kitgen.text.values import entries_at, value_at
from kitgen.text.wording import choice, cut
from kitgen.text.yaml import Json

SHOWN = "kubectl.kubernetes.io/default-container"
MEASURED = ("containerResource", "container")
MEASURES = tuple(
    f"{way}/resourceFieldRef/containerName"
    for way in (
        *(f"{each}[]/env[]/valueFrom" for each in CONTAINERS),
        *("volumes[]/downwardAPI/items[]", "volumes[]/projected/sources[]/downwardAPI/items[]"),
    )
)
"""Where a pod names containers whose resources become variables or files."""


def look(scene: TargetObjects) -> Iterator[Found]:
    """Yield names of containers that a pod does not have."""
    for pod in scene.index.pods:
        shown = (*pod.path, "metadata", "annotations", SHOWN)
        if wrong := _missing(pod, value_at(pod.manifest.body, *shown)):
            yield pod.manifest, wrong.below(*shown)
        for path, name in pod_places(pod, *MEASURES):
            if wrong := _missing(pod, name):
                yield pod.manifest, wrong.below(*path)
    scalers = scene.of("autoscaling", "HorizontalPodAutoscaler")
    pods = {id(pod.manifest): pod for pod in scene.index.pods} if scalers else {}
    for scaler in scalers:
        ref = value_at(scaler.body, "spec", "scaleTargetRef")
        group, _ = split_api_version(str(value_at(ref, "apiVersion") or ""))
        target = scene.get(group, str(value_at(ref, "kind")), scaler.id.namespace, value_at(ref, "name"))
        if (measured := pods.get(id(target))) is None:
            continue
        for index, metric in entries_at(scaler.body, "spec", "metrics"):
            if wrong := _missing(measured, value_at(metric, *MEASURED)):
                yield scaler, wrong.below("spec", "metrics", index, *MEASURED)


def _missing(pod: PodView, name: Json) -> Problem | None:
    names = [found for each in pod.containers if isinstance(found := each.body.get("name"), str)]
    if not isinstance(name, str) or not name or not names or name in names:
        return None
    there = f"there is {choice(list(names), last='and', say=lambda each: cut(str(each)))}"
    return problem(
        "container-missing",
        f"found the container {cut(name)}, which {pod.manifest.id} does not have",
        (),
        near(name, names) or there,
    )
