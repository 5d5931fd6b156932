"""Take a real CRD apart into the fields of a declaration, schemas aside."""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from kitgen.crds import names
from kitgen.crds.columns import dead_end
from kitgen.crds.declaration import ENVELOPE
from kitgen.crds.intern import Interner, frozen
from kitgen.yamlio import Json, JsonObject

# What the API server or a generator adds, and nobody declares.
SERVER_METADATA = frozenset(
    {"creationTimestamp", "generation", "managedFields", "name", "resourceVersion", "selfLink", "uid"}
)
GENERATOR = "controller-gen.kubebuilder.io/version"
SPEC_KEYS = frozenset({"conversion", "group", "names", "preserveUnknownFields", "scope", "versions"})
VERSION_KEYS = frozenset(
    {
        "additionalPrinterColumns", "deprecated", "deprecationWarning", "name", "schema", "selectableFields",
        "served", "storage", "subresources",
    }
)  # fmt: skip


def schemas_of(*bodies: JsonObject) -> Iterator[JsonObject]:
    """Yield the schema of every version that has one."""
    for body in bodies:
        for version in body["spec"]["versions"]:
            schema = (version.get("schema") or {}).get("openAPIV3Schema")
            if schema is not None:
                yield schema


def metadata_of(body: JsonObject) -> JsonObject:
    """Return the metadata that a person wrote."""
    kept = {key: value for key, value in body["metadata"].items() if key not in SERVER_METADATA and value}
    if "annotations" in kept:
        notes = {key: value for key, value in kept["annotations"].items() if key != GENERATOR}
        kept = (
            {**kept, "annotations": notes} if notes else {k: v for k, v in kept.items() if k != "annotations"}
        )
    return kept


def head_of(body: JsonObject) -> JsonObject:
    """Return group, names, scope and what else stands above the versions."""
    spec: JsonObject = body["spec"]
    head: JsonObject = {"group": spec["group"], "names": _names(spec["names"]), "scope": spec["scope"]}
    if metadata := metadata_of(body):
        head["metadata"] = metadata
    for key in ("conversion", "preserveUnknownFields"):
        if spec.get(key) is not None:
            head[key] = spec[key]
    more = {key: value for key, value in spec.items() if key not in SPEC_KEYS and value is not None}
    return {**head, **({"more": more} if more else {})}


def _names(declared: JsonObject) -> JsonObject:
    """Leave out the names that follow from the kind, and say which are missing."""
    kind = declared["kind"]
    derived = {
        "plural": names.plural_of(kind),
        "singular": names.singular_of(kind),
        "listKind": names.list_kind_of(kind),
    }
    out: JsonObject = {"kind": kind}
    for key, value in {**dict.fromkeys(derived), **declared}.items():
        if key != "kind" and value != derived.get(key, not value):
            out[key] = value
    return out


def version_of(version: JsonObject, earlier: JsonObject) -> JsonObject:
    """Return a version's fields, its schema aside; `earlier` holds the declared versions before it."""
    out: JsonObject = {}
    if version.get("served") is not True:
        out["served"] = version.get("served", False)
    if version.get("storage"):
        out["storage"] = True
    schema = (version.get("schema") or {}).get("openAPIV3Schema")
    if (columns := version.get("additionalPrinterColumns")) is not None:
        out["columns"] = _columns(columns, schema or {}, earlier)
    for key in ("deprecated", "deprecationWarning", "selectableFields", "subresources"):
        if version.get(key) is not None:
            out[key] = version[key]
    if schema is not None and not ENVELOPE.keys() <= (schema.get("properties") or {}).keys():
        out["envelope"] = False
    more = {key: value for key, value in version.items() if key not in VERSION_KEYS and value is not None}
    return {**out, **({"more": more} if more else {})}


def _columns(columns: list[JsonObject], schema: JsonObject, earlier: JsonObject) -> Json:
    """Return the printer columns, or the name of an earlier version that has the same."""
    out = [{**column, "dead": True} if dead_end(schema, column["jsonPath"]) else column for column in columns]
    for name, version in earlier.items():
        if out and frozen(version.get("columns")) == frozen(out):
            return name
    return out


def bare_root(schema: JsonObject) -> JsonObject:
    """Return a version's schema without the fields that every object has."""
    properties = schema.get("properties") or {}
    if not ENVELOPE.keys() <= properties.keys():
        return schema
    own = {name: below for name, below in properties.items() if below != ENVELOPE.get(name)}
    return {**schema, "properties": own}


def without_descriptions(body: JsonObject) -> JsonObject:
    """Return a CRD without the descriptions of its fields and printer columns."""
    versions = []
    for version in body["spec"]["versions"]:
        shown = dict(version)
        if (columns := version.get("additionalPrinterColumns")) is not None:
            shown["additionalPrinterColumns"] = [
                {key: value for key, value in column.items() if key != "description"} for column in columns
            ]
        if (schema := (version.get("schema") or {}).get("openAPIV3Schema")) is not None:
            shown["schema"] = {"openAPIV3Schema": _undescribed(schema)}
        versions.append(shown)
    return {**body, "spec": {**body["spec"], "versions": versions}}


def _undescribed(schema: Json) -> Json:
    """Return a schema without descriptions; names of fields and plain values are left alone."""
    if not isinstance(schema, dict):
        return schema
    out: JsonObject = {}
    for keyword, value in schema.items():
        if keyword == "properties" and isinstance(value, dict):
            out[keyword] = {name: _undescribed(below) for name, below in value.items()}
        elif keyword in ("items", "additionalProperties"):
            out[keyword] = _undescribed(value)
        elif keyword != "description":
            out[keyword] = value
    return out


def count_descriptions(schema: Json) -> int:
    """Return how many descriptions a schema holds."""
    if not isinstance(schema, dict):
        return 0
    below = [
        *(schema.get("properties") or {}).values(),
        schema.get("items"),
        schema.get("additionalProperties"),
    ]
    return ("description" in schema) + sum(count_descriptions(sub) for sub in below)


def canonical(body: JsonObject, interner: Interner) -> Hashable:
    """Return a CRD in a form that is equal exactly when a cluster sees the same."""
    spec: JsonObject = {key: value for key, value in body["spec"].items() if value is not None}
    versions = []
    for version in spec["versions"]:
        shown = {key: value for key, value in version.items() if key != "schema" and value is not None}
        schema = (version.get("schema") or {}).get("openAPIV3Schema")
        versions.append((frozen(shown), None if schema is None else interner.number(schema)))
    rest = {key: value for key, value in spec.items() if key != "versions"}
    return (body["metadata"]["name"], frozen(metadata_of(body)), frozen(rest), tuple(versions))
