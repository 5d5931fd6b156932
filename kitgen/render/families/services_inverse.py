"""Inverse of the family of Services."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.kube.identity import ObjectId
from kitgen.render.families.containers_inverse import (
    find_operator,
    index_by,
    is_list_of_maps,
    is_port,
    is_string_map,
    maps_at,
)
from kitgen.render.families.services import _expand_ports
from kitgen.render.inverse import Inverse, TreeObjects, make_recogniser
from kitgen.render.section_changes import is_identical_value, keep_empty_values, make_change_converter
from kitgen.text.values import map_at
from kitgen.text.yaml import Json, JsonObject

TYPES = ("ClusterIP", "NodePort", "LoadBalancer")
NOTES = ("labels", "annotations")


def find_services(scene: TreeObjects) -> Iterator[tuple[str, JsonObject, ObjectId]]:
    """Yield every Service that has nothing but what the family gives one.

    One that leads to ports by name, which the operator's containers do not have, is in front of other pods.
    """
    found, older = find_operator(scene), map_at(scene.older, "services")
    known = {str(port.get("name")) for each in found.containers.values() for port in maps_at(each, "ports")}
    for at, name, body in scene.find_family_objects("v1", ("Service",), ("spec",), NOTES):
        if (service := _parse_service(body)) is not None:
            short = _to_service_entry(service, None)["ports"]
            if name in older or not found.body or isinstance(short, list) or {*short} <= known:
                yield name, service, at


def _parse_service(body: JsonObject) -> JsonObject | None:
    """Return what a Service says; None if it says more than the family does."""
    spec = map_at(body, "spec")
    ports, selector = spec.get("ports"), spec.get("selector") or {}
    plain = {*spec} <= {"ports", "selector", "type"} and is_string_map(selector)
    if not plain or not ports or not is_list_of_maps(ports) or spec.get("type", TYPES[0]) not in TYPES:
        return None
    said = {**{key: map_at(body, "metadata", key) for key in NOTES}, "selector": selector}
    kind = {"type": spec["type"]} if "type" in spec else {}
    return {**{key: value for key, value in said.items() if value}, **kind, "ports": ports}


def normalize_services(section: Json) -> Json:
    """Write ports out as a list."""
    return {name: _normalize_service(service) for name, service in section.items()}


def _normalize_service(service: JsonObject) -> JsonObject:
    left = {key: value for key, value in service.items() if value or key == "ports"}
    return {**left, "ports": _expand_ports(service["ports"])} if "ports" in service else left


def to_services_section(want: JsonObject, old: Json) -> JsonObject:
    """Write ports by name where each leads to the container port of its name."""
    return {name: _to_service_entry(service, (old or {}).get(name)) for name, service in want.items()}


def _to_service_entry(service: JsonObject, old: JsonObject | None) -> JsonObject:
    if old is not None and is_identical_value(_normalize_service(old), service):
        return old
    service = keep_empty_values(old or {}, service)
    ports, before = service.get("ports"), (old or {}).get("ports")
    if not isinstance(ports, list) or isinstance(before, list):
        return service
    short = {name: port.get("port") for name, port in (index_by("name", ports) or {}).items()}
    if not short or not all(map(is_port, short.values())):
        return service
    return {**service, "ports": short} if is_identical_value(_expand_ports(short), ports) else service


INVERSE = Inverse(
    recognise=make_recogniser(find_services),
    normal=normalize_services,
    terms=make_change_converter("services", normalize_services, to_services_section),
)
