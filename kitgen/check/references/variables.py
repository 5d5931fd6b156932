"""Variables in the commands and environments of containers: those that Kubernetes puts values in for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from kitgen.check.index import Pod, below, entries
from kitgen.check.pods import CONTAINERS
from kitgen.check.references.scene import Found, Scene
from kitgen.findings import Chapter, Path, Problem, Rule, Severity, near
from kitgen.schema.wording import cut
from kitgen.yamlio import JsonObject

VARIABLE_UNDEFINED = Rule(
    id="variable-undefined",
    chapter=Chapter.BETWEEN,
    checks=(
        "A `$(NAME)` in the command, the arguments or the environment of a container names one of "
        "its variables; in the environment, one that stands before it."
    ),
    fix="Add the variable under `env`, correct the name, or write `$$(NAME)` if it is meant as it stands.",
    why="Where there is no such variable, the container gets the text `$(NAME)` as it stands.",
    severity=Severity.WARNING,
    exceptable=True,
)

VARIABLE = re.compile(r"(\$+)\(([A-Z][A-Z0-9_]*)\)")
"""Other names are rather commands of a shell."""
OF_SERVICES = re.compile(r".+_(SERVICE_(HOST|PORT)(_.+)?|PORT(_\d+_.+)?)\Z")
"""The variables that containers get for the Services in their namespace."""


FEW = 200
"""With more names, the nearest one is not looked for."""
GIVEN = dict.fromkeys(("CronJob", "Job"), ("JOB_COMPLETION_INDEX",))
"""Kind → the variables that containers get from whoever makes their pods."""


def look(scene: Scene) -> Iterator[Found]:
    """Yield variables that no container defines."""
    for pod in scene.index.pods:
        for kind in CONTAINERS:
            for index, container in entries(pod.spec, kind):
                taken = _taken(scene, pod, container)
                if taken is not None:
                    given = (*GIVEN.get(pod.manifest.id.kind, ()), *taken)
                    for problem in _undefined(container, given):
                        yield pod.manifest, problem.below(*pod.at(kind, index))


def _taken(scene: Scene, pod: Pod, container: JsonObject) -> list[str] | None:
    """Return the variables that a container takes from ConfigMaps; None if it may be any."""
    names: list[str] = []
    if not isinstance(below(container, "envFrom"), list | None):
        return None
    for _, source in entries(container, "envFrom"):
        there = scene.get("", "ConfigMap", pod.namespace, below(source, "configMapRef", "name"))
        data = below(there.body, "data") if there else None
        if not isinstance(data, dict) or not data:
            return None
        names += [f"{source.get('prefix') or ''}{key}" for key in data]
    return names


def _undefined(container: JsonObject, given: Iterable[str]) -> Iterator[Problem]:
    names: dict[str, None] = dict.fromkeys(given)
    for index, variable in entries(container, "env"):
        yield from _in_text(variable.get("value"), names, ("env", index, "value"))
        if isinstance(name := variable.get("name"), str):
            names[name] = None
    for key in ("command", "args"):
        words = container.get(key)
        for index, word in enumerate(words if isinstance(words, list) else ()):
            yield from _in_text(word, names, (key, index))
    for index, mount in entries(container, "volumeMounts"):
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
            yield VARIABLE_UNDEFINED(message, path, near(name, list(names)) if len(names) <= FEW else "")
            return
