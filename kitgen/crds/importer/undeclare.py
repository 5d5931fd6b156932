"""Take a tidy CRD apart into the fields of a declaration, schemas aside."""

from __future__ import annotations

from collections.abc import Hashable

from kitgen.crds.declare import conversion
from kitgen.crds.declare.conversion import NOWHERE, Home
from kitgen.crds.declare.declaration import ENVELOPE
from kitgen.crds.schema.columns import dead_end
from kitgen.crds.schema.crd import present
from kitgen.crds.schema.intern import Interner, frozen
from kitgen.crds.types.names import names_of
from kitgen.findings import Path
from kitgen.yamlio import Json, JsonObject

SPEC_KEYS = frozenset({"conversion", "group", "names", "preserveUnknownFields", "scope", "versions"})
SAME_KEYS = ("deprecated", "deprecationWarning", "selectableFields", "subresources")
VERSION_KEYS = frozenset({"additionalPrinterColumns", "name", "schema", "served", "storage", *SAME_KEYS})
PLACES: dict[str, Path] = {
    "columns": ("additionalPrinterColumns",),
    "schema": ("schema", "openAPIV3Schema"),
    "more": (),
}
"""Where in a version of a CRD stands what its declaration has under another name."""


def literal(body: JsonObject, home: Home = NOWHERE) -> JsonObject:
    """Return a declaration of a tidy CRD in which every schema is written out."""
    versions: JsonObject = {}
    for version in body["spec"]["versions"]:
        declared = version_of(version, versions)
        schema = version.get("schema", {}).get("openAPIV3Schema")
        if schema is not None:
            declared["schema"] = bare_root(schema)
        versions[version["name"]] = declared
    return {**head_of(body, home), "versions": versions}


def path_in_crd(path: Path, body: JsonObject) -> Path:
    """Return where in a CRD stands what its declaration has at a path."""
    if path[:1] == ("metadata",):
        return path
    if path[:1] != ("versions",) or len(path) < 2:
        return ("spec", *(path[1:] if path[:1] == ("more",) else path))
    names = [version["name"] for version in body["spec"]["versions"]]
    above: Path = ("spec", "versions", names.index(path[1]))
    return (*above, *(PLACES.get(str(path[2]), path[2:3]) if len(path) > 2 else ()), *path[3:])


def head_of(body: JsonObject, home: Home) -> JsonObject:
    """Return group, names, scope and what else stands above the versions."""
    spec: JsonObject = body["spec"]
    head = {
        "group": spec["group"],
        "names": _names(spec["names"]),
        "scope": spec["scope"],
        "metadata": {key: value for key, value in body["metadata"].items() if key != "name"} or None,
        "conversion": conversion.declared(spec.get("conversion"), home),
        "preserveUnknownFields": spec.get("preserveUnknownFields"),
        "more": {key: value for key, value in spec.items() if key not in SPEC_KEYS} or None,
    }
    return present(head)


def _names(declared: JsonObject) -> JsonObject:
    """Leave out the names that follow from the kind, and say which are missing."""
    derived = names_of(declared["kind"])
    said = {"kind": declared["kind"], **dict.fromkeys(derived), **declared}
    return {key: value for key, value in said.items() if key not in derived or value != derived[key]}


def version_of(version: JsonObject, earlier: JsonObject) -> JsonObject:
    """Return a version's fields, its schema aside; `earlier` holds the declared versions before it."""
    schema = version.get("schema", {}).get("openAPIV3Schema")
    bare = schema is not None and not ENVELOPE.keys() <= schema.get("properties", {}).keys()
    out = {
        "served": None if version["served"] else False,
        "storage": version["storage"] or None,
        "columns": _columns(version.get("additionalPrinterColumns"), schema or {}, earlier),
        **{key: version.get(key) for key in SAME_KEYS},
        "envelope": False if bare else None,
        "more": {key: value for key, value in version.items() if key not in VERSION_KEYS} or None,
    }
    return present(out)


def _columns(columns: list[JsonObject] | None, schema: JsonObject, earlier: JsonObject) -> Json:
    """Return the printer columns, or the name of an earlier version that has the same."""
    if columns is None:
        return None
    out = [{**column, "dead": True} if dead_end(schema, column["jsonPath"]) else column for column in columns]
    for name, version in earlier.items():
        there = version.get("columns")
        if out and there == out and frozen(there) == frozen(out):
            return name
    return out


def bare_root(schema: JsonObject) -> JsonObject:
    """Return a version's schema without the fields that every object has."""
    properties = schema.get("properties", {})
    if not ENVELOPE.keys() <= properties.keys():
        return schema
    own = {name: below for name, below in properties.items() if below != ENVELOPE.get(name)}
    return {**schema, "properties": own}


def canonical(body: JsonObject, interner: Interner) -> Hashable:
    """Return a tidy CRD in a form that is equal exactly when a cluster sees the same."""
    versions = []
    for version in body["spec"]["versions"]:
        schema = version.get("schema", {}).get("openAPIV3Schema")
        versions.append({**version, "schema": schema and interner.number(schema)})
    return frozen([body["metadata"], {**body["spec"], "versions": versions}])
