"""Validate a real CRD before it is imported, as the API server does."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from kitgen.crd import structural
from kitgen.crd.columns import dead_end
from kitgen.crd.definition import CRD_SHAPE, crd_faults
from kitgen.crd.importer import declaration_fields
from kitgen.crd.importer.declaration_fields import tidy
from kitgen.crd.structural import CRD_NOT_STRUCTURAL
from kitgen.findings import Finding, Origin, Path, Problem, problem
from kitgen.kube import schema_paths
from kitgen.kube.names import NameForm
from kitgen.text.schema_check import violations
from kitgen.text.values import value_at
from kitgen.text.yaml import Json, JsonObject


def check_body(body: JsonObject, origin: Origin) -> list[Finding]:
    """Return what is wrong with a CRD: its shape, then what the API server refuses, then what is unknown."""
    found = crd_faults(body, origin) or [wrong.at(origin) for wrong in _faults(body)]
    return found or list(_misshapen(origin, tidy(body, keep=True)))


def _misshapen(origin: Origin, body: JsonObject) -> Iterator[Finding]:
    """Yield what no declaration can say, for it is nothing that a CRD may hold."""
    for finding in violations("crd", declaration_fields.literal(body), Origin("")):
        path = declaration_fields.path_in_crd(finding.origin.path, body)
        yield replace(finding, rule=CRD_SHAPE, origin=origin.at(*path))


def _faults(body: JsonObject) -> Iterator[Problem]:
    spec: JsonObject = body["spec"]
    name, wanted = body["metadata"]["name"], f"{spec['names']['plural']}.{spec['group']}"
    if name != wanted:
        yield problem("crd-name", f"found the name {name!r}, expected {wanted!r}", ("metadata", "name"))
    yield from (
        problem("crd-name", f"found a {key} that is no name of the kind that Kubernetes takes", ("spec",))
        for key, value, form in (
            ("plural", spec["names"]["plural"], NameForm.LABEL),
            ("group", spec["group"], NameForm.SUBDOMAIN),
            *(("version", version["name"], NameForm.LABEL) for version in spec["versions"]),
        )
        if not form.fits(value)
    )
    if (conversion := spec.get("conversion")) is not None and "strategy" not in conversion:
        yield CRD_SHAPE(
            "found a conversion without strategy, expected None or Webhook", ("spec", "conversion")
        )
    if len(stored := [version["name"] for version in spec["versions"] if version.get("storage")]) != 1:
        yield problem(
            "crd-storage",
            f"found {' and '.join(stored) or 'none'} as storage version, expected exactly one",
            ("spec", "versions"),
        )
    seen: set[str] = set()
    for index, version in enumerate(spec["versions"]):
        at: Path = ("spec", "versions", index)
        if version["name"] in seen:
            yield problem("crd-twice", f"found the version {version['name']!r} a second time", (*at, "name"))
        seen.add(version["name"])
        wrong = _version(version, loose=spec.get("preserveUnknownFields") is True)
        yield from (fault.below(*at) for fault in wrong)


def _version(version: JsonObject, *, loose: bool) -> Iterator[Problem]:
    at: Path = ("schema", "openAPIV3Schema")
    schema: Json = value_at(version, *at)
    yield from (
        problem("crd-column", f"found a column without {key}", ("additionalPrinterColumns", index))
        for index, column in enumerate(version.get("additionalPrinterColumns") or ())
        for key in ("name", "type", "jsonPath")
        if not isinstance(column.get(key), str)
    )
    if schema is None:
        yield CRD_NOT_STRUCTURAL("found no schema, expected one")
        return
    if schema.get("type") != "object":
        yield CRD_NOT_STRUCTURAL("found a schema that is no object, expected type object", at)
    for index, field in enumerate(version.get("selectableFields") or ()):
        path = field.get("jsonPath")
        if isinstance(path, str) and (end := dead_end(schema, path)):
            yield problem(
                "crd-column",
                f"the path {path!r} leads nowhere: {end}",
                ("selectableFields", index, "jsonPath"),
            )
    for steps, below in schema_paths.all_schemas(schema) if not loose else ():
        yield from (fault.below(*at, *steps) for fault in structural.check(below))
