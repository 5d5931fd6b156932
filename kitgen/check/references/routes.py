"""What leads requests from outside to Services: ingresses, OpenShift's routes, those of the Gateway API.

Routes of the Gateway API: the gateways and listeners that they ask to be served by.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from kitgen.check.references.target_objects import Found, ObjectName, TargetObjects
from kitgen.findings import Path, Problem, near, rule
from kitgen.kube.manifest import Manifest
from kitgen.kube.pods import is_port_name
from kitgen.text.values import entries_at, value_at
from kitgen.text.wording import choice, cut
from kitgen.text.yaml import Json, JsonObject

GATEWAY = "gateway.networking.k8s.io"
DIGITS = 6
ROUTES = ("GRPCRoute", "HTTPRoute", "TCPRoute", "TLSRoute", "UDPRoute")


class ServiceCall(NamedTuple):
    """A Service that is called by its name."""

    manifest: Manifest
    path: Path
    """Of the part that names the Service."""
    namespace: str
    name: Json
    port: Json
    """A number or a name; None if any will do."""
    at: Path
    """Of the port, or of what it is left out in."""
    is_pods: bool = False
    """Whether a number is one of the pods that are behind the Service."""


def ways_in(scene: TargetObjects) -> Iterator[ServiceCall]:
    """Yield the Services that requests from outside are led to."""
    yield from _ingresses(scene)
    yield from _routes(scene)
    for manifest in scene.of(GATEWAY, *ROUTES):
        for index, entry in entries_at(manifest.body, "spec", "rules"):
            yield from _backends(manifest, entry, ("spec", "rules", index))


def _ingresses(scene: TargetObjects) -> Iterator[ServiceCall]:
    for manifest in scene.of("networking.k8s.io", "Ingress"):
        spec = value_at(manifest.body, "spec")
        backends: list[tuple[Path, Json]] = [(("spec", "defaultBackend"), value_at(spec, "defaultBackend"))]
        for at, entry in entries_at(spec, "rules"):
            backends += [
                (("spec", "rules", at, "http", "paths", index, "backend"), each.get("backend"))
                for index, each in entries_at(entry, "http", "paths")
            ]
        for path, backend in backends:
            service = value_at(backend, "service")
            if isinstance(service, dict):
                yield from _at_named(manifest, service, (*path, "service"))


def _at_named(manifest: Manifest, service: JsonObject, path: Path) -> Iterator[ServiceCall]:
    name, number = value_at(service, "port", "name"), value_at(service, "port", "number")
    key = "name" if isinstance(name, str) and name else "number"
    port = name if key == "name" else number
    port = port if isinstance(port, int | str) else None
    yield ServiceCall(manifest, path, manifest.id.namespace, service.get("name"), port, (*path, "port", key))


def _routes(scene: TargetObjects) -> Iterator[ServiceCall]:
    for manifest in scene.of("route.openshift.io", "Route"):
        port = value_at(manifest.body, "spec", "port", "targetPort")
        port = int(port) if isinstance(port, str) and port.isdecimal() and len(port) < DIGITS else port
        wanted = port if is_port_name(port) or isinstance(port, int) else None
        at: Path = ("spec", "port", "targetPort")
        backends: list[tuple[Path, Json]] = [(("spec", "to"), value_at(manifest.body, "spec", "to"))]
        backends += [
            (("spec", "alternateBackends", index), each)
            for index, each in entries_at(manifest.body, "spec", "alternateBackends")
        ]
        for path, backend in backends:
            if value_at(backend, "kind") in (None, "", "Service"):
                yield ServiceCall(
                    manifest, path, manifest.id.namespace, value_at(backend, "name"), wanted, at, is_pods=True
                )


def _backends(manifest: Manifest, rule: JsonObject, path: Path) -> Iterator[ServiceCall]:
    """Yield the backends of a rule of the Gateway API, and those that requests are mirrored to."""
    refs: list[tuple[Path, Json]] = []
    for index, ref in entries_at(rule, "backendRefs"):
        refs.append((("backendRefs", index), ref))
        refs += [(("backendRefs", index, *at), each) for at, each in _mirrors(ref)]
    refs += _mirrors(rule)
    for at, ref in refs:
        if value_at(ref, "kind") in (None, "Service") and value_at(ref, "group") in (None, "", "core"):
            space = value_at(ref, "namespace")
            space = space if isinstance(space, str) and space else manifest.id.namespace
            here = (*path, *at)
            yield ServiceCall(
                manifest, here, space, value_at(ref, "name"), value_at(ref, "port"), (*here, "port")
            )


def _mirrors(value: Json) -> list[tuple[Path, Json]]:
    return [
        (("filters", index, "requestMirror", "backendRef"), ref)
        for index, each in entries_at(value, "filters")
        if (ref := value_at(each, "requestMirror", "backendRef")) is not None
    ]


GATEWAY_MISSING = rule("gateway-missing")


def look(scene: TargetObjects) -> Iterator[Found]:
    """Yield gateways and listeners that routes name and that are not there."""
    for route in scene.of(GATEWAY, *ROUTES):
        for index, ref in entries_at(route.body, "spec", "parentRefs"):
            if value_at(ref, "kind") in (None, "Gateway") and value_at(ref, "group") in (None, GATEWAY):
                for problem in _parent(scene, route, ref):
                    yield route, problem.below("spec", "parentRefs", index)


def _parent(scene: TargetObjects, route: Manifest, ref: JsonObject) -> Iterator[Problem]:
    name, space, section = (ref.get(key) for key in ("name", "namespace", "sectionName"))
    space = space if isinstance(space, str) and space else route.id.namespace
    if not isinstance(name, str):
        return
    gateway = scene.get(GATEWAY, "Gateway", space, name)
    if gateway is None:
        hint = scene.missing(ObjectName(GATEWAY, "Gateway", space, name))
        if hint is not None:
            yield GATEWAY_MISSING(f"found no Gateway {cut(name)} in its namespace", ("name",), hint)
        return
    names = [str(each.get("name")) for _, each in entries_at(gateway.body, "spec", "listeners")]
    if isinstance(section, str) and section and names and section not in names:
        message = f"found the listener {cut(section)}, which {gateway.id} does not have"
        there = f"it has {choice(list(names), last='and', say=lambda each: cut(str(each)))}"
        path: Path = ("sectionName",)
        yield GATEWAY_MISSING(message, path, near(section, names) or there)
