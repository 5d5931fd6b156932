"""Check a real CRD before it is imported: what the API server would refuse is refused here too."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec.structs import replace

from kitgen.crds.importer import undeclare
from kitgen.crds.importer.tidy import tidy
from kitgen.crds.schema import paths, structural
from kitgen.crds.schema.columns import dead_end
from kitgen.crds.schema.crd import CRD_SHAPE, crd_faults
from kitgen.crds.schema.rules import CRD_COLUMN, CRD_NOT_STRUCTURAL, CRD_STORAGE, CRD_TWICE
from kitgen.findings import Chapter, Finding, Origin, Rule
from kitgen.schema.shape import violations
from kitgen.yamlio import JsonObject

CRD_NAME = Rule(
    id="crd-name",
    chapter=Chapter.CRD,
    checks="A CRD is called after its plural and group.",
    fix="Rename it.",
)


LABEL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9.]*[a-z0-9])?")


def check_body(body: JsonObject, origin: Origin) -> list[Finding]:
    """Return what is wrong with a CRD: its shape, then what the API server refuses, then what is unknown."""
    found = crd_faults(body, origin) or list(_faults(origin, body))
    return found or list(_misshapen(origin, tidy(body, keep=True)))


def _misshapen(origin: Origin, body: JsonObject) -> Iterator[Finding]:
    """Yield what no declaration can say, for it is nothing that a CRD may hold."""
    for finding in violations("crd", undeclare.literal(body), Origin("")):
        path = undeclare.path_in_crd(finding.origin.path, body)
        yield replace(finding, rule=CRD_SHAPE, origin=origin.at(*path))


def _faults(origin: Origin, body: JsonObject) -> Iterator[Finding]:
    spec: JsonObject = body["spec"]
    name, wanted = body["metadata"]["name"], f"{spec['names']['plural']}.{spec['group']}"
    if name != wanted:
        at = origin.at("metadata", "name")
        yield CRD_NAME(f"found the name {name!r}, expected {wanted!r}").at(at)
    for key, value, shape in (
        ("plural", spec["names"]["plural"], LABEL),
        ("group", spec["group"], SUBDOMAIN),
        *(("version", version["name"], LABEL) for version in spec["versions"]),
    ):
        if not shape.fullmatch(value) or len(value) > 253:
            message = f"found a {key} that is no name of the kind that Kubernetes takes"
            yield CRD_NAME(message).at(origin.at("spec"))
    conversion = spec.get("conversion")
    if conversion is not None and "strategy" not in conversion:
        message = "found a conversion without strategy, expected None or Webhook"
        yield CRD_SHAPE(message).at(origin.at("spec", "conversion"))
    stored = [version["name"] for version in spec["versions"] if version.get("storage")]
    if len(stored) != 1:
        message = f"found {' and '.join(stored) or 'none'} as storage version, expected exactly one"
        yield CRD_STORAGE(message).at(origin.at("spec", "versions"))
    seen: set[str] = set()
    for index, version in enumerate(spec["versions"]):
        at = origin.at("spec", "versions", index)
        if version["name"] in seen:
            message = f"found the version {version['name']!r} a second time"
            yield CRD_TWICE(message).at(at.at("name"))
        seen.add(version["name"])
        yield from _version(version, at, loose=spec.get("preserveUnknownFields") is True)


def _version(version: JsonObject, origin: Origin, *, loose: bool) -> Iterator[Finding]:
    schema = (version.get("schema") or {}).get("openAPIV3Schema")
    for index, column in enumerate(version.get("additionalPrinterColumns") or ()):
        at = origin.at("additionalPrinterColumns", index)
        for key in ("name", "type", "jsonPath"):
            if not isinstance(column.get(key), str):
                yield CRD_COLUMN(f"found a column without {key}").at(at)
    if schema is None:
        yield CRD_NOT_STRUCTURAL("found no schema, expected one").at(origin)
        return
    at = origin.at("schema", "openAPIV3Schema")
    if schema.get("type") != "object":
        message = "found a schema that is no object, expected type object"
        yield CRD_NOT_STRUCTURAL(message).at(at)
    for index, field in enumerate(version.get("selectableFields") or ()):
        path = field.get("jsonPath")
        if isinstance(path, str) and (end := dead_end(schema, path)):
            message = f"the path {path!r} leads nowhere: {end}"
            place = origin.at("selectableFields", index, "jsonPath")
            yield CRD_COLUMN(message).at(place)
    if not loose:
        yield from _schema(schema, at)


def _schema(schema: JsonObject, origin: Origin) -> Iterator[Finding]:
    yield from (fault.at(origin) for fault in structural.check(schema))
    for steps, below in paths.children(schema):
        yield from _schema(below, origin.at(*steps))
