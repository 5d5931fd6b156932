"""Leave out of a real CRD what nobody declares: nulls, what a server or generator adds, descriptions."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.crds.schema import paths
from kitgen.crds.schema.crd import present
from kitgen.yamlio import JsonObject

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
    spec = present(body["spec"])
    versions = [_version(version, keep=keep) for version in spec["versions"]]
    return {
        "apiVersion": body["apiVersion"],
        "kind": body["kind"],
        "metadata": metadata,
        "spec": {**spec, "names": present(spec["names"]), "versions": versions},
    }


def _version(version: JsonObject, *, keep: bool) -> JsonObject:
    out = {"served": False, "storage": False, **present(version)}
    if "additionalPrinterColumns" in out:
        out["additionalPrinterColumns"] = [
            {key: value for key, value in present(column).items() if keep or key != "description"}
            for column in out["additionalPrinterColumns"]
        ]
    schema = present(out.pop("schema", {})).get("openAPIV3Schema")
    return out if schema is None else {**out, "schema": {"openAPIV3Schema": _schema(schema, keep=keep)}}


def _schema(schema: JsonObject, *, keep: bool) -> JsonObject:
    """Return a schema without nulls and descriptions; names of fields and plain values are left alone."""
    left = {
        keyword: value
        for keyword, value in schema.items()
        if (value is not None or keyword in VALUES) and (keep or keyword != "description")
    }
    return paths.mapped(left, lambda _, below: _schema(below, keep=keep))


def schemas_of(*bodies: JsonObject) -> Iterator[JsonObject]:
    """Yield the schema of every version that has one."""
    for body in bodies:
        for version in body["spec"]["versions"]:
            schema = (version.get("schema") or {}).get("openAPIV3Schema")
            if schema is not None:
                yield schema


def count_descriptions(schema: JsonObject) -> int:
    """Return how many descriptions a schema holds."""
    below = sum(count_descriptions(each) for _, each in paths.children(schema))
    return ("description" in schema) + below
