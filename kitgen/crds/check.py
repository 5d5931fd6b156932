"""Check a real CRD before it is imported: what the API server would refuse is refused here too."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from kitgen.crds import paths, structural, undeclare
from kitgen.crds.columns import dead_end
from kitgen.crds.defaults import wrong_default
from kitgen.crds.tidy import tidy
from kitgen.findings import Finding, Origin
from kitgen.shape import violations
from kitgen.yamlio import JsonObject

LABEL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9.]*[a-z0-9])?")


def check_body(origin: Origin, body: JsonObject) -> Iterator[Finding]:
    """Yield what is wrong with a CRD whose parts have the right types."""
    findings = list(_faults(origin, body))
    yield from findings
    if not findings:
        yield from _misshapen(origin, tidy(body, keep=True))


def _misshapen(origin: Origin, body: JsonObject) -> Iterator[Finding]:
    """Yield what no declaration can say, for it is nothing that a CRD may hold."""
    for finding in violations("crd", undeclare.literal(body), Origin("")):
        path = undeclare.path_in_crd(finding.origin.path, body)
        yield replace(finding, rule="crd-shape", origin=origin.at(*path))


def _faults(origin: Origin, body: JsonObject) -> Iterator[Finding]:
    spec: JsonObject = body["spec"]
    name, wanted = body["metadata"]["name"], f"{spec['names']['plural']}.{spec['group']}"
    if name != wanted:
        at = origin.at("metadata", "name")
        yield Finding(rule="crd-name", message=f"found the name {name!r}, expected {wanted!r}", origin=at)
    for key, value, shape in (
        ("plural", spec["names"]["plural"], LABEL),
        ("group", spec["group"], SUBDOMAIN),
        *(("version", version["name"], LABEL) for version in spec["versions"]),
    ):
        if not shape.fullmatch(value) or len(value) > 253:
            message = f"found a {key} that is no name of the kind that Kubernetes takes"
            yield Finding(rule="crd-name", message=message, origin=origin.at("spec"))
    conversion = spec.get("conversion")
    if conversion is not None and not (isinstance(conversion, dict) and "strategy" in conversion):
        message = "found a conversion without strategy, expected None or Webhook"
        yield Finding(rule="crd-shape", message=message, origin=origin.at("spec", "conversion"))
    stored = [version["name"] for version in spec["versions"] if version.get("storage")]
    if len(stored) != 1:
        message = f"found {' and '.join(stored) or 'none'} as storage version, expected exactly one"
        yield Finding(rule="crd-storage", message=message, origin=origin.at("spec", "versions"))
    seen: set[str] = set()
    for index, version in enumerate(spec["versions"]):
        at = origin.at("spec", "versions", index)
        if version["name"] in seen:
            message = f"found the version {version['name']!r} a second time"
            yield Finding(rule="crd-twice", message=message, origin=at.at("name"))
        seen.add(version["name"])
        yield from _version(version, at, loose=spec.get("preserveUnknownFields") is True)


def _version(version: JsonObject, origin: Origin, *, loose: bool) -> Iterator[Finding]:
    schema = (version.get("schema") or {}).get("openAPIV3Schema")
    for index, column in enumerate(version.get("additionalPrinterColumns") or ()):
        at = origin.at("additionalPrinterColumns", index)
        for key in ("name", "type", "jsonPath"):
            if not isinstance(column.get(key), str):
                yield Finding(rule="crd-column", message=f"found a column without {key}", origin=at)
    if schema is None:
        yield Finding(rule="crd-not-structural", message="found no schema, expected one", origin=origin)
        return
    at = origin.at("schema", "openAPIV3Schema")
    if schema.get("type") != "object":
        message = "found a schema that is no object, expected type object"
        yield Finding(rule="crd-not-structural", message=message, origin=at)
    for index, field in enumerate(version.get("selectableFields") or ()):
        path = field.get("jsonPath")
        if isinstance(path, str) and (end := dead_end(schema, path)):
            message = f"the path {path!r} leads nowhere: {end}"
            place = origin.at("selectableFields", index, "jsonPath")
            yield Finding(rule="crd-column", message=message, origin=place)
    if not loose:
        yield from _schema(schema, at)


def _schema(schema: JsonObject, origin: Origin) -> Iterator[Finding]:
    for fault in structural.check(schema):
        yield Finding(
            rule="crd-not-structural", message=fault.message, origin=origin.at(*fault.path), hint=fault.hint
        )
    if "default" in schema and (wrong := wrong_default(schema)):
        message = f"the default breaks its own schema: {wrong}"
        yield Finding(rule="crd-default", message=message, origin=origin.at("default"))
    for steps, below in paths.children(schema):
        yield from _schema(below, origin.at(*steps))
