"""Check containers that other objects name, and `$(VAR)` references in their commands and environment."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kitgen.check.references.target_objects import FEW, Found, TargetObjects, pod_places
from kitgen.findings import Path, Problem, near, problem
from kitgen.kube.pods import CONTAINERS, ContainerView, PodView
from kitgen.text.values import entries_at, map_at, text_at, value_at
from kitgen.text.wording import choice, cut, shown
from kitgen.text.yaml import Json

VARIABLE = re.compile(r"(?<!\$)(\$+)\(([A-Z][A-Z0-9_]*)\)")
"""Other names are rather commands of a shell."""
OF_SERVICES = re.compile(r".+_(SERVICE_(HOST|PORT)(_.+)?|PORT(_\d+_.+)?)\Z")
"""The variables that containers get for the Services in their namespace."""
GIVEN = dict.fromkeys(("CronJob", "Job"), ("JOB_COMPLETION_INDEX",))
"""Kind → the variables that containers get from whoever makes their pods."""
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


def look_variables(scene: TargetObjects) -> Iterator[Found]:
    """Yield variables that no container defines."""
    for pod in scene.index.pods:
        for container in pod.containers:
            if (given := _given(scene, pod, container)) is not None:
                problems = _undefined(container, given)
                yield from ((pod.manifest, each.below(*container.path)) for each in problems)


def _given(scene: TargetObjects, pod: PodView, container: ContainerView) -> dict[str, None] | None:
    """Return the variables that a container has besides its environment; None if they may be any."""
    names = dict.fromkeys(GIVEN.get(pod.manifest.id.kind, ()))
    for _, source in entries_at(container.body, "envFrom"):
        there = scene.get("", "ConfigMap", pod.namespace, value_at(source, "configMapRef", "name"))
        if there is None or not (data := map_at(there.body, "data")):
            return None
        names |= dict.fromkeys(f"{source.get('prefix') or ''}{key}" for key in data)
    return names


def _undefined(container: ContainerView, names: dict[str, None]) -> Iterator[Problem]:
    for index, variable in container.variables:
        yield from _in_text(text_at(variable, "value"), names, ("env", index, "value"), " before it")
        names[text_at(variable, "name")] = None
    mounts = entries_at(container.body, "volumeMounts")
    parts = ((("volumeMounts", at, "subPathExpr"), text_at(each, "subPathExpr")) for at, each in mounts)
    for path, text in (*container.words, *parts):
        yield from _in_text(text, names, path)


def _in_text(text: str, names: dict[str, None], path: Path, where: str = "") -> Iterator[Problem]:
    # A script of several lines has a syntax of its own.
    for dollars, name in VARIABLE.findall(text) if "\n" not in text else ():
        if len(dollars) % 2 and name not in names and not OF_SERVICES.match(name):
            message = f"found {cut(f'$({name})')}, but the container has no variable of that name{where}"
            hint = near(name, [*names]) if len(names) <= FEW else ""
            yield problem("variable-undefined", message, path, hint)
            return
