"""Inverse of the family of Services."""

from __future__ import annotations

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
from kitgen.render.inverse import Inverse, Recognised, TreeObjects
from kitgen.render.section_changes import same, terms_of, with_empty
from kitgen.text.values import map_at
from kitgen.text.yaml import Json, JsonObject

TYPES = ("ClusterIP", "NodePort", "LoadBalancer")


def recognise(scene: TreeObjects) -> Recognised | None:
    """Take every Service that has nothing but what the family gives one.

    One that leads to ports by name, which the operator's containers do not have, is in front of other pods.
    """
    known, older = _ports_of_operator(scene), map_at(scene.older, "services")
    section: JsonObject = {}
    taken: set[ObjectId] = set()
    for identity, body in scene.objects.items():
        if (identity.group, identity.kind) != ("", "Service") or not scene.own_name(identity):
            continue
        name, service = scene.own_name(identity), _service(body)
        if service is None:
            continue
        short = _words(service, None)["ports"]
        if name in older or known is None or isinstance(short, list) or {*short} <= known:
            section[name] = service
            taken.add(identity)
    return Recognised(section=section, objects=frozenset(taken)) if taken else None


def _ports_of_operator(scene: TreeObjects) -> set[str] | None:
    """Return the names of the ports of the operator's containers; None if there is no operator."""
    ports = (port for each in operator(scene).containers.values() for port in maps_at(each, "ports"))
    return {str(port.get("name")) for port in ports} if operator(scene).body else None


def _service(body: JsonObject) -> JsonObject | None:
    """Return what a Service says; None if it says more than the family does."""
    meta, spec = body.get("metadata"), body.get("spec")
    if not isinstance(meta, dict) or not isinstance(spec, dict):
        return None
    known = {*body} <= {"apiVersion", "kind", "metadata", "spec", "status"}
    known = known and {*meta} <= {"name", "labels", "annotations", "creationTimestamp"}
    if not known or not {*spec} <= {"ports", "selector", "type"}:
        return None
    if not (ports := spec.get("ports")) or not is_maps(ports) or spec.get("type", TYPES[0]) not in TYPES:
        return None
    said = {key: meta.get(key) or {} for key in ("labels", "annotations")}
    said["selector"] = spec.get("selector") or {}
    if not all(map(texts, said.values())):
        return None
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


INVERSE = Inverse(recognise=recognise, normal=normal, terms=terms_of("services", normal, words))
