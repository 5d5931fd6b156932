"""Leave out of a real CRD what nobody declares: nulls, what a server or generator adds, descriptions."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.yamlio import Json, JsonObject

SERVER_METADATA = frozenset(
    {"creationTimestamp", "generation", "managedFields", "resourceVersion", "selfLink", "uid"}
)
GENERATOR = "controller-gen.kubebuilder.io/version"
VALUES = frozenset({"default", "example"})
"""Keywords whose value is data of the user's, in which null has a meaning."""


def tidy(body: JsonObject, *, keep: bool) -> JsonObject:
    """Return a CRD as people would declare it; `keep` keeps the descriptions."""
    metadata = {key: value for key, value in body["metadata"].items() if key not in SERVER_METADATA and value}
    if "annotations" in metadata:
        notes = {key: value for key, value in metadata.pop("annotations").items() if key != GENERATOR}
        metadata |= {"annotations": notes} if notes else {}
    spec = _present(body["spec"])
    versions = [_version(version, keep=keep) for version in spec["versions"]]
    return {
        "apiVersion": body["apiVersion"],
        "kind": body["kind"],
        "metadata": metadata,
        "spec": {**spec, "names": _present(spec["names"]), "versions": versions},
    }


def _present(data: JsonObject) -> JsonObject:
    """Return the entries that are not null: to the API server null is the same as nothing."""
    return {key: value for key, value in data.items() if value is not None}


def _version(version: JsonObject, *, keep: bool) -> JsonObject:
    out = {"served": False, "storage": False, **_present(version)}
    if "additionalPrinterColumns" in out:
        out["additionalPrinterColumns"] = [
            {key: value for key, value in _present(column).items() if keep or key != "description"}
            for column in out["additionalPrinterColumns"]
        ]
    schema = _present(out.get("schema", {})).get("openAPIV3Schema")
    out.pop("schema", None)
    return out if schema is None else {**out, "schema": {"openAPIV3Schema": _schema(schema, keep=keep)}}


def _schema(schema: Json, *, keep: bool) -> Json:
    """Return a schema without nulls and descriptions; names of fields and plain values are left alone."""
    if not isinstance(schema, dict):
        return schema
    out: JsonObject = {}
    for keyword, value in schema.items():
        if value is None and keyword not in VALUES:
            continue
        if keyword == "properties" and isinstance(value, dict):
            out[keyword] = {name: _schema(below, keep=keep) for name, below in value.items()}
        elif keyword in ("items", "additionalProperties"):
            out[keyword] = _schema(value, keep=keep)
        elif keep or keyword != "description":
            out[keyword] = value
    return out


def schemas_of(*bodies: JsonObject) -> Iterator[JsonObject]:
    """Yield the schema of every version that has one."""
    for body in bodies:
        for version in body["spec"]["versions"]:
            schema = (version.get("schema") or {}).get("openAPIV3Schema")
            if schema is not None:
                yield schema


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
