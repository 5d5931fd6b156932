"""Check containers that other objects name, and `$(VAR)` references in their commands and environment."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.check.references.target_objects import FEW, Found, TargetObjects, find_pod_fields
from kitgen.findings import Path, Problem, make_problem, suggest_word
from kitgen.kube.pods import CONTAINERS, ContainerView, PodView
from kitgen.text.patterns import compile_late
from kitgen.text.values import entries_at, map_at, text_at, value_at
from kitgen.text.wording import describe_value, join_words, quote_text
from kitgen.text.yaml import Json

VARIABLE = compile_late(r"(?<!\$)(\$+)\(([A-Z][A-Z0-9_]*)\)")
"""Other names are rather commands of a shell."""
OF_SERVICES = compile_late(r".+_(SERVICE_(HOST|PORT)(_.+)?|PORT(_\d+_.+)?)\Z")
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


def check_container_names(scene: TargetObjects) -> Iterator[Found]:
    """Yield names of containers that a pod does not have."""
    for pod in scene.index.pods:
        shown = (*pod.path, "metadata", "annotations", SHOWN)
        if wrong := _check_container_name(pod, value_at(pod.manifest.body, *shown)):
            yield pod.manifest, wrong.prefix_path(*shown)
        for path, name in find_pod_fields(pod, *MEASURES):
            if wrong := _check_container_name(pod, name):
                yield pod.manifest, wrong.prefix_path(*path)


def _check_container_name(pod: PodView, name: Json) -> Problem | None:
    names = [found for each in pod.containers if isinstance(found := each.body.get("name"), str)]
    if not isinstance(name, str) or not name or not names or name in names:
        return None
    there = f"there is {join_words(names, last='and', say=describe_value)}"
    return make_problem(
        "container-missing",
        f"found the container {quote_text(name)}, which {pod.manifest.id} does not have",
        (),
        suggest_word(name, names) or there,
    )


def check_variables(scene: TargetObjects) -> Iterator[Found]:
    """Yield variables that no container defines."""
    for pod in scene.index.pods:
        for container in pod.containers:
            if (given := _find_known_variables(scene, pod, container)) is not None:
                problems = _check_container_variables(container, given)
                yield from ((pod.manifest, each.prefix_path(*container.path)) for each in problems)


def _find_known_variables(
    scene: TargetObjects, pod: PodView, container: ContainerView
) -> dict[str, None] | None:
    """Return the variables that a container has besides its environment; None if they may be any."""
    names = dict.fromkeys(GIVEN.get(pod.manifest.id.kind, ()))
    for _, source in entries_at(container.body, "envFrom"):
        there = scene.get("", "ConfigMap", pod.namespace, value_at(source, "configMapRef", "name"))
        if there is None or not (data := map_at(there.body, "data")):
            return None
        names |= dict.fromkeys(f"{source.get('prefix') or ''}{key}" for key in data)
    return names


def _check_container_variables(container: ContainerView, names: dict[str, None]) -> Iterator[Problem]:
    for index, variable in container.variables:
        yield from _check_text(text_at(variable, "value"), names, ("env", index, "value"), " before it")
        names[text_at(variable, "name")] = None
    mounts = entries_at(container.body, "volumeMounts")
    parts = ((("volumeMounts", at, "subPathExpr"), text_at(each, "subPathExpr")) for at, each in mounts)
    for path, text in (*container.arguments, *parts):
        yield from _check_text(text, names, path)


def _check_text(text: str, names: dict[str, None], path: Path, where: str = "") -> Iterator[Problem]:
    # A script of several lines has a syntax of its own.
    for dollars, name in VARIABLE.findall(text) if "\n" not in text else ():
        if len(dollars) % 2 and name not in names and not OF_SERVICES.match(name):
            message = (
                f"found {quote_text(f'$({name})')}, but the container has no variable of that name{where}"
            )
            hint = suggest_word(name, [*names]) if len(names) <= FEW else ""
            yield make_problem("variable-undefined", message, path, hint)
            return
