"""Containers of the operator, and the environment variables that a target sets in them or removes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain

from kitgen.findings import (
    Cause,
    CauseKind,
    Finding,
    Origin,
    Path,
    Rule,
    get_rule,
    make_problem,
    suggest_or_list,
)
from kitgen.kit.model import Component, ComponentPart, Layer
from kitgen.kube.manifest import FieldSource, ListMove, Manifest, existing_value
from kitgen.render.context import RenderContext
from kitgen.render.kustomize.field_paths import apply_change, find_values
from kitgen.render.layers import merge_layers
from kitgen.text.values import group_pairs, map_at
from kitgen.text.yaml import JsonObject

CONTAINER_UNKNOWN = get_rule("container-unknown")


def container_names(part: ComponentPart) -> list[str]:
    """Return the names of the containers that a part's Deployment has."""
    containers = (layer.data.get("containers", {}) for layer in part.layers("deployment"))
    return [*dict.fromkeys(chain.from_iterable(containers))]


def check_known_names(
    rule: Rule, what: str, component: Component, names: Mapping[str, Origin], known: list[str]
) -> Iterator[Finding]:
    """Yield a finding for every name of a feature, an image or a container that a component lacks."""
    there = set(known)
    for name in (each for each in names if each not in there):
        message = f"{component.name} {component.version} has no {what} {name!r}"
        yield rule(message, hint=suggest_or_list(name, known, none="it has none")).to_finding(names[name])


def check_container_name(context: RenderContext, name: str, at: Origin) -> Iterator[Finding]:
    """Yield a finding when no container of the operator has the name."""
    known = container_names(context.part)
    return check_known_names(CONTAINER_UNKNOWN, "container", context.component, {name: at}, known)


def find_operator_containers(
    context: RenderContext, objects: Iterable[Manifest]
) -> Iterator[tuple[Manifest, Path, JsonObject]]:
    """Yield the containers of the operator's Deployment, as patches left them, and where they stand."""
    for item in context.part["deployment"]:
        wanted = f"Deployment/{context.full_name(merge_layers(item.layers).data.get('name', 'manager'))}"
        for manifest in (each for each in objects if str(each.id) == wanted):
            for path, container in find_values(manifest.body, "spec/template/spec/containers[]"):
                if isinstance(container, dict):  # what is none is for the schemas to tell
                    yield manifest, path, container


def apply_variables(context: RenderContext, deployment: Manifest) -> Manifest:
    """Return the operator's Deployment with the variables that the target sets."""
    wanted = group_pairs(
        (container, (name, each)) for (container, name), each in context.settings.env.items()
    )
    for path, container in list(find_values(deployment.body, "spec/template/spec/containers[]")):
        if layers := wanted.get(container["name"]):
            deployment = _set_variables(context, deployment, path, dict(layers))
    return deployment


def _set_variables(
    context: RenderContext, deployment: Manifest, path: Path, layers: Mapping[str, Layer]
) -> Manifest:
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
        deployment = deployment.apply_moves([ListMove(env, moved)])
    deployment = deployment.drop_nested_sources({(*env, index[name]) for name in layers if name in index})
    sources = (_build_source(context, env, name, layer, index.get(name)) for name, layer in layers.items())
    return deployment.replace_body(apply_change(deployment.body, path, lambda _: made), *sources)


def _build_source(
    context: RenderContext, env: Path, name: str, layer: Layer, index: int | None
) -> FieldSource:
    """Return what says that a variable was set or, if it has no place, taken away."""
    taken = index is None
    return FieldSource(
        path=env if index is None else (*env, index),
        cause=Cause(CauseKind.SETTING, "env"),
        origin=layer.origin_at((name,)),
        why=f"{context.target} {'takes it away' if taken else 'sets it'}",
        reads=layer.reads_below((name,)),
        partial=taken,
    )


def check_unset_variables(context: RenderContext) -> Iterator[Finding]:
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
            yield make_problem(
                "unset-nothing",
                f"found no variable {name!r} of the container {container!r} to take away",
                hint=suggest_or_list(name, known[container], "it has", "it has none"),
            ).to_finding(layer.origin_at((name,)))
