"""Containers of the operator: what settings and families may lead to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from kitgen.compile.context import Context
from kitgen.compile.layers import fold
from kitgen.findings import Chapter, Finding, Origin, Path, Rule, near_or_known
from kitgen.kustomize.ways import places
from kitgen.model import Component, Part
from kitgen.objects import Manifest
from kitgen.yamlio import JsonObject

CONTAINER_UNKNOWN = Rule(
    id="container-unknown",
    chapter=Chapter.TARGET,
    checks="Resources, webhooks and the mount of the configuration name containers that are there.",
    fix="Take the name that the hint offers, or turn on the feature that brings the container.",
)


def container_names(part: Part) -> list[str]:
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
            message = f"{component.name} {component.version} has no {what} {name!r}"
            hint = near_or_known(name, known, none="it has none")
            yield rule(message, hint=hint).at(at)


def unknown_container(context: Context, name: str, at: Origin) -> Iterator[Finding]:
    """Yield a finding when no container of the operator has the name."""
    known = container_names(context.part)
    yield from unknown(CONTAINER_UNKNOWN, "container", context.component, {name: at}, known)


def running(context: Context, objects: Iterable[Manifest]) -> Iterator[tuple[Manifest, Path, JsonObject]]:
    """Yield the containers of the operator's Deployment, as patches left them, and where they stand."""
    for item in context.part["deployment"]:
        wanted = f"Deployment/{context.name(fold(item.layers).data.get('name', 'manager'))}"
        for manifest in (each for each in objects if str(each.id) == wanted):
            for path, container in places(manifest.body, "spec/template/spec/containers[]"):
                if isinstance(container, dict):  # what is none is for the schemas to tell
                    yield manifest, path, container
