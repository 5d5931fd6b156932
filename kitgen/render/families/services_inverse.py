"""Inverse of the family of Services."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.kube.identity import ObjectId
from kitgen.render.families.containers_inverse import (
    by,
    is_maps,
    is_port,
    maps_at,
    operator,
    texts,
)
from kitgen.render.families.services import _ports
from kitgen.render.inverse import Inverse, TreeObjects, by_name
from kitgen.render.section_changes import same, terms_of, with_empty
from kitgen.text.values import map_at
from kitgen.text.yaml import Json, JsonObject

TYPES = ("ClusterIP", "NodePort", "LoadBalancer")
NOTES = ("labels", "annotations")


def services(scene: TreeObjects) -> Iterator[tuple[str, JsonObject, ObjectId]]:
    """Yield every Service that has nothing but what the family gives one.

    One that leads to ports by name, which the operator's containers do not have, is in front of other pods.
    """
    found, older = operator(scene), map_at(scene.older, "services")
    known = {str(port.get("name")) for each in found.containers.values() for port in maps_at(each, "ports")}
    for at, name, body in scene.made("v1", ("Service",), ("spec",), NOTES):
        if (service := _service(body)) is not None:
            short = _words(service, None)["ports"]
            if name in older or not found.body or isinstance(short, list) or {*short} <= known:
                yield name, service, at


def _service(body: JsonObject) -> JsonObject | None:
    """Return what a Service says; None if it says more than the family does."""
    spec = map_at(body, "spec")
    ports, selector = spec.get("ports"), spec.get("selector") or {}
    plain = {*spec} <= {"ports", "selector", "type"} and texts(selector)
    if not plain or not ports or not is_maps(ports) or spec.get("type", TYPES[0]) not in TYPES:
        return None
    said = {**{key: map_at(body, "metadata", key) for key in NOTES}, "selector": selector}
    kind = {"type": spec["type"]} if "type" in spec else {}
    return {**{key: value for key, value in said.items() if value}, **kind, "ports": ports}


def normal(section: Json) -> Json:
    """Write ports out as a list."""
    return {name: _normal(service) for name, service in section.items()}


def _normal(service: JsonObject) -> JsonObject:
    left = {key: value for key, value in service.items() if value or key == "ports"}
    return {**left, "ports": _ports(service["ports"])} if "ports" in service else left


def words(want: JsonObject, old: Json) -> JsonObject:
    """Write ports by name where each leads to the container port of its name."""
    return {name: _words(service, (old or {}).get(name)) for name, service in want.items()}


def _words(service: JsonObject, old: JsonObject | None) -> JsonObject:
    if old is not None and same(_normal(old), service):
        return old
    service = with_empty(old or {}, service)
    ports, before = service.get("ports"), (old or {}).get("ports")
    if not isinstance(ports, list) or isinstance(before, list):
        return service
    short = {name: port.get("port") for name, port in (by("name", ports) or {}).items()}
    if not short or not all(map(is_port, short.values())):
        return service
    return {**service, "ports": short} if same(_ports(short), ports) else service


INVERSE = Inverse(recognise=by_name(services), normal=normal, terms=terms_of("services", normal, words))
