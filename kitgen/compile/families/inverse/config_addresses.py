"""Addresses of a configuration that others ask elsewhere than config.yaml says."""

from __future__ import annotations

from itertools import product

from kitgen.compile.families.config import effective
from kitgen.compile.families.inverse.running import containers_of, mapping, maps, operator
from kitgen.compile.families.webhooks import SERVICE
from kitgen.compile.inverse import Scene
from kitgen.compile.reached import OFF, PROBED, PROBES, _number, _port, _ports
from kitgen.objects import ObjectId
from kitgen.yamlio import Json, JsonObject


def asked_elsewhere(scene: Scene, kind: JsonObject, values: JsonObject, container: str) -> JsonObject:
    """Return the fields whose `askedBy` does not hold in the tree, as config.yaml should declare them.

    The port of another name that does lead to the address takes its place.
    """
    found = operator(scene)
    own = containers_of(found[1]) if found else {}
    if not own:
        return {}
    reading = own.get(container) or next(iter(own.values()))
    ports = _ports(reading)
    askers = {"probes": _probed(reading, ports), "webhooks": _called(scene, ports)}
    return _fields(
        kind["fields"], (), lambda path, field: _corrected(kind, values, path, field, ports, askers)
    )


def _fields(fields: JsonObject, path: tuple[str, ...], corrected: Json) -> JsonObject:
    more: JsonObject = {}
    for name, field in fields.items():
        here = (*path, name)
        if "askedBy" in field and (new := corrected(here, field)) is not None:
            more[name] = new
        elif below := _fields(field.get("properties", {}), here, corrected):
            more[name] = {"type": "object", "properties": below}
    return more


def _corrected(
    kind: JsonObject,
    values: JsonObject,
    path: tuple[str, ...],
    field: JsonObject,
    ports: dict[str, int],
    askers: dict[str, set[int]],
) -> JsonObject | None:
    """Return a field that says who asks it in this tree; None if it does."""
    value = effective(kind, values, path)
    asked = field["askedBy"]
    if value is None:
        return None
    if isinstance(asked, dict):
        known = {ports[asked["port"]]} if asked["port"] in ports and value not in OFF else set()
    else:
        known = askers.get(asked, set())
    if not known or _port(value) in known:
        return None
    rest = {key: each for key, each in field.items() if key != "askedBy"}
    other = next((name for name, number in ports.items() if number == _port(value)), None)
    return {**rest, "askedBy": {"port": other}} if isinstance(asked, dict) and other else rest


def _probed(container: JsonObject, ports: dict[str, int]) -> set[int]:
    given = (
        mapping(mapping(container.get(key)).get(way)).get("port") for key, way in product(PROBES, PROBED)
    )
    return {number for port in given if (number := _number(port, ports)) is not None}


def _called(scene: Scene, ports: dict[str, int]) -> set[int]:
    service = scene.everything.get(ObjectId("", "Service", "", f"{scene.prefix}{SERVICE}"), {})
    given = (
        each.get("targetPort", each.get("port")) for each in maps(mapping(service.get("spec")).get("ports"))
    )
    return {number for port in given if (number := _number(port, ports)) is not None}
