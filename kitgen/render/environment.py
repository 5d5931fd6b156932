"""Containers of the operator, and the environment variables that a target sets in them or removes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from kitgen.findings import Cause, CauseKind, Finding, Origin, Path, Rule, near_or_known, problem, rule
from kitgen.kit.model import Component, ComponentPart, Layer
from kitgen.kube.manifest import FieldSource, ListMove, Manifest, existing_value
from kitgen.render.context import RenderContext
from kitgen.render.kustomize.field_paths import changed, places
from kitgen.render.layers import fold
from kitgen.text.yaml import Json, JsonObject

CONTAINER_UNKNOWN = rule("container-unknown")


def container_names(part: ComponentPart) -> list[str]:
    """Return the names of the containers that a part's Deployment has."""
    layers = part.layers("deployment")
    return list(dict.fromkeys(name for layer in layers for name in layer.data.get("containers", {})))


def unknown(
    rule: Rule, what: str, component: Component, names: Mapping[str, Origin], known: list[str]
) -> Iterator[Finding]:
    """Yield a finding for every name of a feature, an image or a container that a component lacks."""
    there = set(known)
    for name, at in names.items():
        if name not in there:
            yield rule(
                f"{component.name} {component.version} has no {what} {name!r}",
                hint=near_or_known(name, known, none="it has none"),
            ).at(at)


def unknown_container(context: RenderContext, name: str, at: Origin) -> Iterator[Finding]:
    """Yield a finding when no container of the operator has the name."""
    known = container_names(context.part)
    yield from unknown(CONTAINER_UNKNOWN, "container", context.component, {name: at}, known)


def running(
    context: RenderContext, objects: Iterable[Manifest]
) -> Iterator[tuple[Manifest, Path, JsonObject]]:
    """Yield the containers of the operator's Deployment, as patches left them, and where they stand."""
    for item in context.part["deployment"]:
        wanted = f"Deployment/{context.name(fold(item.layers).data.get('name', 'manager'))}"
        for manifest in (each for each in objects if str(each.id) == wanted):
            for path, container in places(manifest.body, "spec/template/spec/containers[]"):
                if isinstance(container, dict):  # what is none is for the schemas to tell
                    yield manifest, path, container


def with_variables(context: RenderContext, deployment: Manifest) -> Manifest:
    """Return the operator's Deployment with the variables that the target sets."""
    wanted: dict[str, dict[str, Layer]] = {}
    for (container, variable), layer in context.settings.env.items():
        wanted.setdefault(container, {})[variable] = layer
    for path, container in list(places(deployment.body, "spec/template/spec/containers[]")):
        if layers := wanted.get(container["name"]):
            deployment = _with(context, deployment, path, layers)
    return deployment


def _with(context: RenderContext, deployment: Manifest, path: Path, layers: Mapping[str, Layer]) -> Manifest:
    """Set variables of a container, in their places or behind the others, or take them away."""
    have: list[JsonObject] = existing_value(deployment.body, path).get("env", [])
    left = {each["name"]: each for each in have}
    for name, layer in layers.items():
        if layer.data[name] is None:
            left.pop(name, None)
        else:
            key = "valueFrom" if isinstance(layer.data[name], dict) else "value"
            left[name] = {"name": name, key: layer.data[name]}

    def put(container: Json) -> Json:
        rest = {key: each for key, each in container.items() if key != "env"}
        return {**rest, "env": list(left.values())} if left else rest

    env, index = (*path, "env"), {name: at for at, name in enumerate(left)}
    if (moved := tuple(index.get(each["name"]) for each in have)) != tuple(range(len(have))):
        deployment = deployment.moved([ListMove(env, moved)])
    deployment = deployment.without_inside({(*env, index[name]) for name in layers if name in index})
    sources = (_source(context, env, name, layer, index.get(name)) for name, layer in layers.items())
    return deployment.with_(changed(deployment.body, path, put), *sources)


def _source(context: RenderContext, env: Path, name: str, layer: Layer, index: int | None) -> FieldSource:
    """Return what says that a variable was set or, if it has no place, taken away."""
    taken = index is None
    return FieldSource(
        path=env if index is None else (*env, index),
        cause=Cause(CauseKind.SETTING, "env"),
        origin=layer.place((name,)),
        why=f"{context.target} {'takes it away' if taken else 'sets it'}",
        reads=layer.reads_below((name,)),
        partial=taken,
    )


def unset_variables(context: RenderContext) -> Iterator[Finding]:
    """Yield a finding for every variable that a target takes from a container that does not have it."""
    containers = dict.fromkeys(container_names(context.part))
    known = {name: list(_variables(context, name)) for name in containers} if context.settings.env else {}
    there = {name: frozenset(each) for name, each in known.items()}
    for (container, name), layer in context.settings.env.items():
        if layer.data[name] is None and container in there and name not in there[container]:
            yield problem(
                "unset-nothing",
                f"found no variable {name!r} of the container {container!r} to take away",
                hint=near_or_known(name, known[container], "it has", "it has none"),
            ).at(layer.place((name,)))


def _variables(context: RenderContext, container: str) -> Iterator[str]:
    """Yield the variables that a container has without the target."""
    for layer in (*context.part.layers("deployment"), *context.additions):
        yield from layer.data.get("containers", {}).get(container, {}).get("env", {})
