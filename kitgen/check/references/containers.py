"""Check containers that other objects name."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.check.references.target_objects import Found, TargetObjects, pod_places
from kitgen.findings import Problem, near, problem
from kitgen.kube.pods import CONTAINERS, PodView
from kitgen.text.values import value_at
from kitgen.text.wording import choice, cut, shown
from kitgen.text.yaml import Json

SHOWN = "kubectl.kubernetes.io/default-container"
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


def _missing(pod: PodView, name: Json) -> Problem | None:
    names = [found for each in pod.containers if isinstance(found := each.body.get("name"), str)]
    if not isinstance(name, str) or not name or not names or name in names:
        return None
    there = f"there is {choice(names, last='and', say=shown)}"
    return problem(
        "container-missing",
        f"found the container {cut(name)}, which {pod.manifest.id} does not have",
        (),
        near(name, names) or there,
    )
