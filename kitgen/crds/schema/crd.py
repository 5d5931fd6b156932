"""Tell CRDs by their kind, and whether they have the shape of one, so that the rest may rely on it.

It is about types alone; whether the API server takes the schema is the business of an import.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from kitgen.findings import Chapter, Finding, Origin, Path, Rule
from kitgen.schema.wording import TYPES, shown
from kitgen.yamlio import Json, JsonObject

CRD_SHAPE = Rule(
    id="crd-shape",
    chapter=Chapter.CRD,
    title="not a CRD",
    checks="A real CRD has the parts that every CRD has, each of its type.",
    fix="Fix the file; `kubectl apply --dry-run=server` tells more.",
)


Catalog: TypeAlias = Mapping[tuple[str, str], Sequence[JsonObject]]
"""CRD bodies by group and kind, those that count most first."""
GROUP = "apiextensions.k8s.io"
WANTED: dict[str, type | tuple[type, ...]] = {
    "type": str,
    "format": str,
    "pattern": str,
    "required": list,
    "enum": list,
    "properties": dict,
    "items": dict,
    "additionalProperties": (dict, bool),
    "allOf": list,
    "anyOf": list,
    "oneOf": list,
    "not": dict,
    "x-kubernetes-validations": list,
    "x-kubernetes-list-map-keys": list,
    **dict.fromkeys(("minimum", "maximum", "multipleOf"), (int, float)),
    **dict.fromkeys(
        ("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"), int
    ),
}
NAMES = {str: "string", list: "array", dict: "object", int: "integer"}


def is_crd(document: Json) -> bool:
    """Tell whether a document says that it is a CRD."""
    if not isinstance(document, dict) or document.get("kind") != "CustomResourceDefinition":
        return False
    return str(document.get("apiVersion", "")).startswith(f"{GROUP}/")


def by_kind(bodies: Iterable[JsonObject]) -> Catalog:
    """Return CRDs by the group and kind that they declare, in the order given; others are left out."""
    found: dict[tuple[str, str], list[JsonObject]] = {}
    for body in bodies:
        spec = body.get("spec")
        names = spec.get("names") if isinstance(spec, dict) else None
        if isinstance(spec, dict) and isinstance(names, dict):
            found.setdefault((str(spec.get("group")), str(names.get("kind"))), []).append(body)
    return found


def crd_faults(body: JsonObject, origin: Origin) -> Iterator[Finding]:
    """Yield a finding for everything in a CRD that is not of the type that it must have."""
    if body["apiVersion"] != f"{GROUP}/v1":
        text = f"found {shown(body['apiVersion'])}, expected {GROUP}/v1"
        yield _wrong(text, origin.at("apiVersion"))
        return
    yield from _mapping(body, ("metadata", "spec"), origin)
    spec = body.get("spec")
    if not isinstance(spec, dict):
        return
    yield from _mapping(spec, ("names",), origin.at("spec"))
    metadata = body.get("metadata")
    yield from _texts(metadata, ("name",), origin.at("metadata"))
    if isinstance(metadata, dict) and metadata.get("annotations") is not None:
        yield from _mapping(metadata, ("annotations",), origin.at("metadata"))
    yield from _texts(spec, ("group", "scope"), origin.at("spec"))
    yield from _texts(spec.get("names"), ("kind", "plural"), origin.at("spec", "names"))
    versions = spec.get("versions")
    if not isinstance(versions, list) or not versions:
        yield _wrong("found no versions, expected at least one", origin.at("spec"))
        return
    for index, version in enumerate(versions):
        yield from _version(version, origin.at("spec", "versions", index))


def _version(version: Json, origin: Origin) -> Iterator[Finding]:
    if not isinstance(version, dict):
        yield _wrong(f"found {shown(version)}, expected a mapping", origin)
        return
    if not isinstance(version.get("name"), str):
        yield _wrong("found no name, expected one", origin)
    for key in ("subresources", "schema"):
        if not isinstance(version.get(key, {}), dict):
            yield _wrong(f"found {shown(version[key])}, expected a mapping", origin.at(key))
    for key in ("additionalPrinterColumns", "selectableFields"):
        items = version.get(key) or []
        if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
            yield _wrong("found something else, expected a list of mappings", origin.at(key))
    schema = version.get("schema")
    if isinstance(schema, dict) and (root := schema.get("openAPIV3Schema")) is not None:
        yield from _schema(root, origin.at("schema", "openAPIV3Schema"))


def _schema(schema: Json, origin: Origin) -> Iterator[Finding]:
    if not isinstance(schema, dict):
        yield _wrong(f"found {shown(schema)}, expected a schema", origin)
        return
    for key, wanted in WANTED.items():
        value = schema.get(key)
        if value is not None and (not isinstance(value, wanted) or (value is True and wanted is int)):
            first = wanted[0] if isinstance(wanted, tuple) else wanted
            yield _wrong(f"found {shown(value)}, expected {TYPES[NAMES[first]]}", origin.at(key))
    for key in ("required", "x-kubernetes-list-map-keys"):
        if any(not isinstance(item, str) for item in _items(schema, key)):
            yield _wrong("found something else, expected a list of names", origin.at(key))
    for path, child in _children(schema):
        yield from _schema(child, origin.at(*path))
    for index, rule in enumerate(_items(schema, "x-kubernetes-validations")):
        if not isinstance(rule, dict):
            yield _wrong(
                f"found {shown(rule)}, expected a mapping", origin.at("x-kubernetes-validations", index)
            )


def _children(schema: JsonObject) -> Iterator[tuple[Path, Json]]:
    properties = schema.get("properties")
    for name, child in properties.items() if isinstance(properties, dict) else ():
        yield ("properties", name), child
    for key in ("items", "not", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            yield (key,), schema[key]
    for key in ("allOf", "anyOf", "oneOf"):
        for index, child in enumerate(_items(schema, key)):
            yield (key, index), child


def _items(schema: JsonObject, key: str) -> list[Json]:
    value = schema.get(key)
    return value if isinstance(value, list) else []


def _mapping(body: JsonObject, keys: tuple[str, ...], origin: Origin) -> Iterator[Finding]:
    for key in keys:
        if not isinstance(body.get(key), dict):
            yield _wrong(f"found {shown(body.get(key))}, expected a mapping", origin.at(key))


def _texts(part: Json, keys: tuple[str, ...], origin: Origin) -> Iterator[Finding]:
    if not isinstance(part, dict):
        return
    for key in keys:
        if not isinstance(part.get(key), str):
            yield _wrong(f"found no {key}, expected one", origin)


def _wrong(message: str, origin: Origin) -> Finding:
    return CRD_SHAPE(message).at(origin)
