"""Environment variables that a target sets in the operator's containers, or takes away."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.compile.containers import container_names
from kitgen.compile.context import Context
from kitgen.findings import By, Cause, Chapter, Finding, Path, Rule, near_or_known
from kitgen.kustomize.ways import changed, places
from kitgen.model import Layer
from kitgen.objects import Manifest, Move, Source, value_at
from kitgen.yamlio import Json, JsonObject

UNSET_NOTHING = Rule(
    id="unset-nothing",
    chapter=Chapter.TARGET,
    checks="What a target takes away with null is there: a variable of a container, a label of a role.",
    fix="Take the name that the hint offers, or remove it.",
)


def with_variables(context: Context, deployment: Manifest) -> Manifest:
    """Return the operator's Deployment with the variables that the target sets."""
    for path, container in list(places(deployment.body, "spec/template/spec/containers[]")):
        for (name, variable), layer in context.settings.env.items():
            if name == container["name"]:
                deployment = _with(context, deployment, (*path, "env"), variable, layer)
    return deployment


def _with(context: Context, deployment: Manifest, path: Path, name: str, layer: Layer) -> Manifest:
    """Set one variable, in its place or behind the others, or take it away."""
    have: list[JsonObject] = value_at(deployment.body, path[:-1]).get("env", [])
    index = next((at for at, each in enumerate(have) if each.get("name") == name), len(have))
    value, taken = layer.data[name], layer.data[name] is None
    left = [*have[:index], *([] if taken else [_variable(name, value)]), *have[index + 1 :]]

    def put(container: Json) -> Json:
        rest = {key: each for key, each in container.items() if key != "env"}
        return {**rest, "env": left} if left else rest

    body = changed(deployment.body, path[:-1], put)
    if taken:
        moved = tuple(None if at == index else at - (at > index) for at in range(len(have)))
        deployment = deployment.moved([Move(path, moved)])
    else:
        deployment = deployment.without_inside({(*path, index)})
    source = Source(
        path=path if taken else (*path, index),
        cause=Cause(By.SETTING, "env"),
        origin=layer.place((name,)),
        why=f"{context.target} {'takes it away' if taken else 'sets it'}",
        reads=layer.reads_below((name,)),
        partial=taken,
    )
    return deployment.with_(body, source)


def _variable(name: str, value: Json) -> JsonObject:
    return {"name": name, "valueFrom" if isinstance(value, dict) else "value": value}


def unset_variables(context: Context) -> Iterator[Finding]:
    """Yield a finding for every variable that a target takes from a container that does not have it."""
    for (container, name), layer in context.settings.env.items():
        if layer.data[name] is not None or container not in container_names(context.part):
            continue
        known = [
            variable
            for each in (*context.part.layers("deployment"), *context.additions)
            for variable in each.data.get("containers", {}).get(container, {}).get("env", {})
        ]
        if name not in known:
            message = f"found no variable {name!r} of the container {container!r} to take away"
            hint = near_or_known(name, known, "it has", "it has none")
            yield UNSET_NOTHING(message, hint=hint).at(layer.place((name,)))
