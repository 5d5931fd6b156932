"""Check containers that other objects name, and `$(VAR)` references in their commands and environment."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from kitgen.check.references.target_objects import Found, TargetObjects, pod_places
from kitgen.findings import Path, Problem, near, problem
from kitgen.kube.identity import split_api_version
from kitgen.kube.pods import CONTAINERS, ContainerView, PodView
from kitgen.text.values import entries_at, map_at, value_at
from kitgen.text.wording import choice, cut
from kitgen.text.yaml import Json, JsonObject

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


VARIABLE = re.compile(r"(\$+)\(([A-Z][A-Z0-9_]*)\)")
"""Other names are rather commands of a shell."""
OF_SERVICES = re.compile(r".+_(SERVICE_(HOST|PORT)(_.+)?|PORT(_\d+_.+)?)\Z")
"""The variables that containers get for the Services in their namespace."""


FEW = 200
"""With more names, the nearest one is not looked for."""
GIVEN = dict.fromkeys(("CronJob", "Job"), ("JOB_COMPLETION_INDEX",))
"""Kind → the variables that containers get from whoever makes their pods."""


def look_variables(scene: TargetObjects) -> Iterator[Found]:
    """Yield variables that no container defines."""
    for pod in scene.index.pods:
        for container in pod.containers:
            if (taken := _taken(scene, pod, container.body)) is not None:
                for wrong in _undefined(container, (*GIVEN.get(pod.manifest.id.kind, ()), *taken)):
                    yield pod.manifest, wrong.below(*container.path)


def _taken(scene: TargetObjects, pod: PodView, container: JsonObject) -> list[str] | None:
    """Return the variables that a container takes from ConfigMaps; None if it may be any."""
    names: list[str] = []
    if not isinstance(value_at(container, "envFrom"), list | None):
        return None
    for _, source in entries_at(container, "envFrom"):
        there = scene.get("", "ConfigMap", pod.namespace, value_at(source, "configMapRef", "name"))
        data = map_at(there.body, "data") if there else {}
        if not data:
            return None
        names += [f"{source.get('prefix') or ''}{key}" for key in data]
    return names


def _undefined(container: ContainerView, given: Iterable[str]) -> Iterator[Problem]:
    names: dict[str, None] = dict.fromkeys(given)
    for index, variable in container.variables:
        yield from _in_text(variable.get("value"), names, ("env", index, "value"))
        if isinstance(name := variable.get("name"), str):
            names[name] = None
    for path, word in container.words:
        yield from _in_text(word, names, path)
    for index, mount in entries_at(container.body, "volumeMounts"):
        yield from _in_text(mount.get("subPathExpr"), names, ("volumeMounts", index, "subPathExpr"))


def _in_text(value: object, names: dict[str, None], path: Path) -> Iterator[Problem]:
    # A script of several lines has a syntax of its own.
    if not isinstance(value, str) or "$(" not in value or "\n" in value:
        return
    for match in VARIABLE.finditer(value):
        dollars, name = match.groups()
        if len(dollars) % 2 and name not in names and not OF_SERVICES.match(name):
            message = f"found {cut(f'$({name})')}, but the container has no variable of that name"
            if path[0] == "env":
                message += " before it"
            yield problem(
                "variable-undefined", message, path, near(name, list(names)) if len(names) <= FEW else ""
            )
            return
