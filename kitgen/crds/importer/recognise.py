"""Recognise Kubernetes' types in CRDs that are written out, so that an outline can fold them."""

from __future__ import annotations

from collections.abc import Sequence

from kitgen.crds.declare.declaration import expand
from kitgen.crds.importer.check import check_body
from kitgen.crds.importer.importer import import_crds
from kitgen.crds.outline.text import schema_of
from kitgen.errors import FindingsError
from kitgen.findings import Origin
from kitgen.yamlio import JsonObject, read


def recognise(bodies: Sequence[JsonObject]) -> list[JsonObject]:
    """Return the CRDs with Kubernetes' types in them as shared dicts that have a name.

    One that the API server would refuse is returned as it is.
    """
    sound = [body for body in bodies if not check_body(body, Origin(""))]
    try:
        imported = import_crds(sound)
    except FindingsError:
        return list(bodies)
    files = [(Origin(file.name), read(file.text)) for file in imported.files]
    expanded = {body["metadata"]["name"]: body for body in expand(files, minor=imported.minor).bodies}
    return [_with_schemas(body, expanded.get(body["metadata"]["name"])) for body in bodies]


def _with_schemas(body: JsonObject, expanded: JsonObject | None) -> JsonObject:
    """Return a CRD with the schemas of another one; everything else stays its own."""
    if expanded is None:
        return body
    schemas = {version["name"]: schema_of(version) for version in expanded["spec"]["versions"]}
    versions = [
        {**version, "schema": {"openAPIV3Schema": schemas[version["name"]]}}
        if "schema" in version
        else version
        for version in body["spec"]["versions"]
    ]
    return {**body, "spec": {**body["spec"], "versions": versions}}
