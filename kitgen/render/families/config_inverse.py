"""Inverse of the operator's configuration, with addresses whose callers differ from config.yaml."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from kitgen.kit.config_type import check_config_value
from kitgen.kube.identity import ObjectId
from kitgen.render.addresses import OFF, PROBED, PROBES, parse_port, ports_of, resolve_port
from kitgen.render.families.config import build_document, fields_of, get_effective_value
from kitgen.render.families.config_types_inverse import extend_type, infer_missing_type, to_spec_value
from kitgen.render.families.containers_inverse import (
    drop_keys,
    find_config_maps,
    find_operator,
    maps_at,
)
from kitgen.render.families.webhooks import SERVICE
from kitgen.render.inverse import Inverse, RecognisedSection, TreeObjects
from kitgen.render.section_changes import is_identical_value, keep_empty_values, make_change_converter
from kitgen.text.values import group_pairs, map_at, text_at, value_at
from kitgen.text.yaml import Dialect, Json, JsonObject, YamlError, read_yaml


def correct_asked_by(
    scene: TreeObjects, kind: JsonObject, values: JsonObject, container: str
) -> Iterator[JsonObject]:
    """Yield each field whose `askedBy` does not hold in the tree, in what config.yaml should declare of it.

    The port of another name that does lead to the address takes its place.
    """
    if not (own := find_operator(scene).containers):
        return
    reading = own.get(container) or next(iter(own.values()))
    ports = ports_of(reading)
    probed = (value_at(reading, key, way, "port") for key, way in product(PROBES, PROBED))
    service = scene.everything.get(ObjectId("", "Service", "", f"{scene.prefix}{SERVICE}"), {})
    called = (each.get("targetPort", each.get("port")) for each in maps_at(service, "spec", "ports"))
    askers = {
        who: {number for port in asked if (number := resolve_port(port, ports)) is not None}
        for who, asked in (("probes", probed), ("webhooks", called))
    }
    for path, _, field in fields_of(kind):
        if "askedBy" in field and (new := _correct_field(kind, values, path, field, ports, askers)):
            for name in reversed(path):
                new = {"type": "object", "properties": {name: new}}
            yield new


def _correct_field(
    kind: JsonObject,
    values: JsonObject,
    path: tuple[str, ...],
    field: JsonObject,
    ports: dict[str, int],
    askers: dict[str, set[int]],
) -> JsonObject | None:
    """Return a field with its caller in this tree; None if it has that already."""
    value = get_effective_value(kind, values, path)
    asked = field["askedBy"]
    if value is None:
        return None
    if isinstance(asked, dict):
        known = {ports[asked["port"]]} if asked["port"] in ports and value not in OFF else set()
    else:
        known = askers.get(asked, set())
    if not known or parse_port(value) in known:
        return None
    rest = drop_keys(field, "askedBy")
    other = next((name for name, number in ports.items() if number == parse_port(value)), None)
    return {**rest, "askedBy": {"port": other}} if isinstance(asked, dict) and other else rest


HEADER = ("apiVersion", "kind")
PLACE = ("configMap", "key")


def recognise_config(scene: TreeObjects) -> RecognisedSection | None:
    """Take the ConfigMap that config.yaml is about, or else one that the operator reads a document from."""
    mounted = _find_mounts(scene)
    for identity, _, data in find_config_maps(scene):
        mounts = mounted.get(identity.name, [])
        if (document := _parse_document(data)) is None or not (mounts or scene.config_type):
            continue
        key, content = document
        declared = _resolve_config_type(scene, identity, key, content, is_mounted=bool(mounts))
        if declared and (found := _recognise_document(scene, identity, declared, content, mounts)):
            return found
    return None


def _parse_document(data: dict[str, str]) -> tuple[str, JsonObject] | None:
    """Return the only key of a ConfigMap, and the map that its text is."""
    key, text = next(iter(data.items()))
    if len(data) > 1:
        return None
    try:
        content = read_yaml(text, dialect=Dialect.KUBECTL)
    except (YamlError, RecursionError):
        return None
    return (key, content) if isinstance(content, dict) and key else None


def _resolve_config_type(
    scene: TreeObjects, identity: ObjectId, key: str, content: JsonObject, *, is_mounted: bool
) -> JsonObject | None:
    """Return what config.yaml says of a ConfigMap: what it says already, or the start of a new one."""
    if (kind := scene.config_type) is not None:
        place = {"configMap": scene.short_name(identity), "key": key}
        if {name: kind[name] for name in place} == place:
            return kind
        return {**kind, **place} if _is_replacement(scene, kind, content, is_mounted=is_mounted) else None
    header = {name: content[name] for name in HEADER if isinstance(content.get(name), str)}
    declared = {"configMap": scene.short_name(identity), "key": key, "always": True}
    return {**declared, "header": header, "fields": {}} if len(header) == len(HEADER) else None


def _is_replacement(scene: TreeObjects, kind: JsonObject, content: JsonObject, *, is_mounted: bool) -> bool:
    """Return whether a document takes the place of the one that config.yaml is about, which is not there."""
    before = ObjectId("", "ConfigMap", "", f"{scene.prefix}{kind['configMap']}")
    if kind["key"] in map_at(scene.everything.get(before), "data"):
        return False
    name = value_at(kind, "header", "kind")
    return content.get("kind") == name if name is not None else is_mounted


def _recognise_document(
    scene: TreeObjects, identity: ObjectId, kind: JsonObject, content: JsonObject, mounts: list[JsonObject]
) -> RecognisedSection | None:
    """Return the values of a document, and what config.yaml lacks; None if no type could take them."""
    header = {name: content[name] for name in (*kind.get("header", {}), *HEADER) if name in content}
    header = {name: value for name, value in header.items() if name not in kind["fields"]}
    rest = {name: value for name, value in content.items() if name not in header}
    whole: JsonObject = {"type": "object", "properties": kind["fields"]}
    more = infer_missing_type(whole, rest)
    full = extend_type(whole, more)
    values = to_spec_value(full, rest, value_at(scene.older, "config", "values"))
    if any(check_config_value(full, values)) or not is_identical_value(build_document(full, values), rest):
        return None
    mount = next(
        (_to_mount_entry(each) for each in mounts if _is_config_mount(each, identity.name, kind["key"])), {}
    )
    for asked in correct_asked_by(scene, kind, values, mount.get("container", "")):
        more = extend_type(more or {"type": "object"}, asked)
    new = {"fields": more["properties"]} if more else {}
    if not is_identical_value(header, kind.get("header", {})):
        new["header"] = header
    if scene.config_type is None:
        new = {**kind, **new}
    else:
        new |= {name: kind[name] for name in PLACE if kind[name] != scene.config_type[name]}
    section = normalize_config({"values": values, "mount": mount})
    if not section and not kind.get("always"):
        return None
    return RecognisedSection(section=section, objects=frozenset({identity}), config_fields=new)


def _find_mounts(scene: TreeObjects) -> dict[str, list[JsonObject]]:
    """Return the mounts of each ConfigMap into the operator's containers, with their volumes."""
    volumes = find_operator(scene).volumes
    found = (
        {"container": container, "mount": mount, "volume": volumes.get(str(mount.get("name")), {})}
        for container, each in find_operator(scene).containers.items()
        for mount in maps_at(each, "volumeMounts")
        if text_at(mount, "mountPath")
    )
    return group_pairs((text_at(each, "volume", "configMap", "name"), each) for each in found)


def _is_config_mount(found: JsonObject, name: str, key: str) -> bool:
    """Return whether a mount is the one that the family makes."""
    mount, volume = found["mount"], found["volume"]
    file = {"mountPath": mount["mountPath"], "name": volume["name"], "subPath": key}
    return is_identical_value(
        volume, {"name": volume["name"], "configMap": {"name": name}}
    ) and is_identical_value(mount, file)


def _to_mount_entry(found: JsonObject) -> JsonObject:
    return {
        "container": found["container"],
        "volume": found["volume"]["name"],
        "path": found["mount"]["mountPath"],
    }


def normalize_config(section: Json) -> Json:
    """Drop what says nothing."""
    return {key: value for key, value in section.items() if value}


def _to_section(want: JsonObject, old: Json) -> JsonObject:
    """Write what an older spec writes although it has no effect, unless the whole section goes."""
    return keep_empty_values(old or {}, want) if want or not normalize_config(old or {}) else {}


INVERSE = Inverse(
    recognise=recognise_config,
    normal=normalize_config,
    terms=make_change_converter("config", normalize_config, _to_section),
)
