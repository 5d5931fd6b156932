"""Containers of the operator, and the environment variables that a target sets in them or removes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain

from kitgen.findings import Cause, CauseKind, Finding, Origin, Path, Rule, near_or_known, problem, rule
from kitgen.kit.model import Component, ComponentPart, Layer
from kitgen.kube.manifest import FieldSource, ListMove, Manifest, existing_value
from kitgen.render.context import RenderContext
from kitgen.render.kustomize.field_paths import changed, places
from kitgen.render.layers import fold
from kitgen.text.values import collect, map_at
from kitgen.text.yaml import JsonObject

CONTAINER_UNKNOWN = rule("container-unknown")


def container_names(part: ComponentPart) -> list[str]:
    """Return the names of the containers that a part's Deployment has."""
    containers = (layer.data.get("containers", {}) for layer in part.layers("deployment"))
    return [*dict.fromkeys(chain.from_iterable(containers))]


def unknown(
    rule: Rule, what: str, component: Component, names: Mapping[str, Origin], known: list[str]
) -> Iterator[Finding]:
    """Yield a finding for every name of a feature, an image or a container that a component lacks."""
    there = set(known)
    for name in (each for each in names if each not in there):
        message = f"{component.name} {component.version} has no {what} {name!r}"
        yield rule(message, hint=near_or_known(name, known, none="it has none")).at(names[name])


def unknown_container(context: RenderContext, name: str, at: Origin) -> Iterator[Finding]:
    """Yield a finding when no container of the operator has the name."""
    known = container_names(context.part)
    return unknown(CONTAINER_UNKNOWN, "container", context.component, {name: at}, known)


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
    wanted = collect((container, (name, each)) for (container, name), each in context.settings.env.items())
    for path, container in list(places(deployment.body, "spec/template/spec/containers[]")):
        if layers := wanted.get(container["name"]):
            deployment = _with(context, deployment, path, dict(layers))
    return deployment


def _with(context: RenderContext, deployment: Manifest, path: Path, layers: Mapping[str, Layer]) -> Manifest:
    """Set variables of a container, in their places or behind the others, or take them away."""
    container: JsonObject = existing_value(deployment.body, path)
    have: list[JsonObject] = container.get("env", [])
    values = {name: layer.data[name] for name, layer in layers.items()}
    left = {each["name"]: each for each in have if values.get(each["name"], each) is not None}
    left |= {
        name: {"name": name, "valueFrom" if isinstance(value, dict) else "value": value}
        for name, value in values.items()
        if value is not None
    }
    made = {key: each for key, each in container.items() if key != "env"}
    made |= {"env": list(left.values())} if left else {}
    env, index = (*path, "env"), {name: at for at, name in enumerate(left)}
    if (moved := tuple(index.get(each["name"]) for each in have)) != tuple(range(len(have))):
        deployment = deployment.moved([ListMove(env, moved)])
    deployment = deployment.without_inside({(*env, index[name]) for name in layers if name in index})
    sources = (_source(context, env, name, layer, index.get(name)) for name, layer in layers.items())
    return deployment.with_(changed(deployment.body, path, lambda _: made), *sources)


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
    layers = (*context.part.layers("deployment"), *context.additions) if context.settings.env else ()
    names = dict.fromkeys(container_names(context.part) if layers else ())
    known = {
        name: [each for layer in layers for each in map_at(layer.data, "containers", name, "env")]
        for name in names
    }
    there = {name: frozenset(each) for name, each in known.items()}
    for (container, name), layer in context.settings.env.items():
        if layer.data[name] is None and name not in there.get(container, (name,)):
            yield problem(
                "unset-nothing",
                f"found no variable {name!r} of the container {container!r} to take away",
                hint=near_or_known(name, known[container], "it has", "it has none"),
            ).at(layer.place((name,)))
