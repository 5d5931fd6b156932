"""Inverse of the operator's configuration, with addresses whose callers differ from config.yaml."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from kitgen.kit.config_type import wrong_values
from kitgen.kube.identity import ObjectId
from kitgen.render.addresses import OFF, PROBED, PROBES, port_number, port_of, ports_of
from kitgen.render.families.config import document_of, effective, fields_of
from kitgen.render.families.config_types_inverse import laid_over, learnt, said
from kitgen.render.families.containers_inverse import (
    config_maps,
    maps_at,
    operator,
    without,
)
from kitgen.render.families.webhooks import SERVICE
from kitgen.render.inverse import Inverse, RecognisedSection, TreeObjects
from kitgen.render.section_changes import same, terms_of, with_empty
from kitgen.text.values import collect, map_at, text_at, value_at
from kitgen.text.yaml import Dialect, Json, JsonObject, YamlError, read


def asked_elsewhere(
    scene: TreeObjects, kind: JsonObject, values: JsonObject, container: str
) -> Iterator[JsonObject]:
    """Yield each field whose `askedBy` does not hold in the tree, in what config.yaml should declare of it.

    The port of another name that does lead to the address takes its place.
    """
    if not (own := operator(scene).containers):
        return
    reading = own.get(container) or next(iter(own.values()))
    ports = ports_of(reading)
    probed = (value_at(reading, key, way, "port") for key, way in product(PROBES, PROBED))
    service = scene.everything.get(ObjectId("", "Service", "", f"{scene.prefix}{SERVICE}"), {})
    called = (each.get("targetPort", each.get("port")) for each in maps_at(service, "spec", "ports"))
    askers = {
        who: {number for port in asked if (number := port_number(port, ports)) is not None}
        for who, asked in (("probes", probed), ("webhooks", called))
    }
    for path, _, field in fields_of(kind):
        if "askedBy" in field and (new := _corrected(kind, values, path, field, ports, askers)):
            for name in reversed(path):
                new = {"type": "object", "properties": {name: new}}
            yield new


def _corrected(
    kind: JsonObject,
    values: JsonObject,
    path: tuple[str, ...],
    field: JsonObject,
    ports: dict[str, int],
    askers: dict[str, set[int]],
) -> JsonObject | None:
    """Return a field with its caller in this tree; None if it has that already."""
    value = effective(kind, values, path)
    asked = field["askedBy"]
    if value is None:
        return None
    if isinstance(asked, dict):
        known = {ports[asked["port"]]} if asked["port"] in ports and value not in OFF else set()
    else:
        known = askers.get(asked, set())
    if not known or port_of(value) in known:
        return None
    rest = without(field, "askedBy")
    other = next((name for name, number in ports.items() if number == port_of(value)), None)
    return {**rest, "askedBy": {"port": other}} if isinstance(asked, dict) and other else rest


HEADER = ("apiVersion", "kind")
PLACE = ("configMap", "key")


def recognise(scene: TreeObjects) -> RecognisedSection | None:
    """Take the ConfigMap that config.yaml is about, or else one that the operator reads a document from."""
    mounted = _mounted(scene)
    for identity, _, data in config_maps(scene):
        mounts = mounted.get(identity.name, [])
        if (document := _document_of(data)) is None or not (mounts or scene.config_type):
            continue
        key, content = document
        declared = _declared(scene, identity, key, content, is_mounted=bool(mounts))
        if declared and (found := _recognised(scene, identity, declared, content, mounts)):
            return found
    return None


def _document_of(data: dict[str, str]) -> tuple[str, JsonObject] | None:
    """Return the only key of a ConfigMap, and the map that its text is."""
    key, text = next(iter(data.items()))
    if len(data) > 1:
        return None
    try:
        content = read(text, dialect=Dialect.KUBECTL)
    except (YamlError, RecursionError):
        return None
    return (key, content) if isinstance(content, dict) and key else None


def _declared(
    scene: TreeObjects, identity: ObjectId, key: str, content: JsonObject, *, is_mounted: bool
) -> JsonObject | None:
    """Return what config.yaml says of a ConfigMap: what it says already, or the start of a new one."""
    if (kind := scene.config_type) is not None:
        place = {"configMap": scene.own_name(identity), "key": key}
        if {name: kind[name] for name in place} == place:
            return kind
        return {**kind, **place} if _is_heir(scene, kind, content, is_mounted=is_mounted) else None
    header = {name: content[name] for name in HEADER if isinstance(content.get(name), str)}
    declared = {"configMap": scene.own_name(identity), "key": key, "always": True}
    return {**declared, "header": header, "fields": {}} if len(header) == len(HEADER) else None


def _is_heir(scene: TreeObjects, kind: JsonObject, content: JsonObject, *, is_mounted: bool) -> bool:
    """Return whether a document takes the place of the one that config.yaml is about, which is not there."""
    before = ObjectId("", "ConfigMap", "", f"{scene.prefix}{kind['configMap']}")
    if kind["key"] in map_at(scene.everything.get(before), "data"):
        return False
    name = value_at(kind, "header", "kind")
    return content.get("kind") == name if name is not None else is_mounted


def _recognised(
    scene: TreeObjects, identity: ObjectId, kind: JsonObject, content: JsonObject, mounts: list[JsonObject]
) -> RecognisedSection | None:
    """Return the values of a document, and what config.yaml lacks; None if no type could take them."""
    header = {name: content[name] for name in (*kind.get("header", {}), *HEADER) if name in content}
    header = {name: value for name, value in header.items() if name not in kind["fields"]}
    rest = {name: value for name, value in content.items() if name not in header}
    whole: JsonObject = {"type": "object", "properties": kind["fields"]}
    more = learnt(whole, rest)
    full = laid_over(whole, more)
    values = said(full, rest, value_at(scene.older, "config", "values"))
    if any(wrong_values(full, values)) or not same(document_of(full, values), rest):
        return None
    mount = next((_mount(each) for each in mounts if _is_file(each, identity.name, kind["key"])), {})
    for asked in asked_elsewhere(scene, kind, values, mount.get("container", "")):
        more = laid_over(more or {"type": "object"}, asked)
    new = {"fields": more["properties"]} if more else {}
    if not same(header, kind.get("header", {})):
        new["header"] = header
    if scene.config_type is None:
        new = {**kind, **new}
    else:
        new |= {name: kind[name] for name in PLACE if kind[name] != scene.config_type[name]}
    section = normal({"values": values, "mount": mount})
    if not section and not kind.get("always"):
        return None
    return RecognisedSection(section=section, objects=frozenset({identity}), config_fields=new)


def _mounted(scene: TreeObjects) -> dict[str, list[JsonObject]]:
    """Return the mounts of each ConfigMap into the operator's containers, with their volumes."""
    volumes = operator(scene).volumes
    found = (
        {"container": container, "mount": mount, "volume": volumes.get(str(mount.get("name")), {})}
        for container, each in operator(scene).containers.items()
        for mount in maps_at(each, "volumeMounts")
        if text_at(mount, "mountPath")
    )
    return collect((text_at(each, "volume", "configMap", "name"), each) for each in found)


def _is_file(found: JsonObject, name: str, key: str) -> bool:
    """Return whether a mount is the one that the family makes."""
    mount, volume = found["mount"], found["volume"]
    file = {"mountPath": mount["mountPath"], "name": volume["name"], "subPath": key}
    return same(volume, {"name": volume["name"], "configMap": {"name": name}}) and same(mount, file)


def _mount(found: JsonObject) -> JsonObject:
    return {
        "container": found["container"],
        "volume": found["volume"]["name"],
        "path": found["mount"]["mountPath"],
    }


def normal(section: Json) -> Json:
    """Drop what says nothing."""
    return {key: value for key, value in section.items() if value}


def _words(want: JsonObject, old: Json) -> JsonObject:
    """Write what an older spec writes although it has no effect, unless the whole section goes."""
    return with_empty(old or {}, want) if want or not normal(old or {}) else {}


INVERSE = Inverse(recognise=recognise, normal=normal, terms=terms_of("config", normal, _words))
