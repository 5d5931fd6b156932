"""Validate a real CRD before it is imported: by its names, and by the declaration that says all of it."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from kitgen.crd.declaration import expand_crds
from kitgen.crd.definition import CRD_SHAPE, check_crd_shape, schema_of
from kitgen.crd.importer.declaration_fields import normalize_crd, path_in_crd, to_literal_declaration
from kitgen.crd.structural import CRD_NOT_STRUCTURAL
from kitgen.findings import Finding, Origin, Path, Problem, make_problem
from kitgen.kube.definitions import list_minors
from kitgen.kube.names import NameForm
from kitgen.text.schema_check import check_against_schema
from kitgen.text.yaml import JsonObject


def check_crd(body: JsonObject, origin: Origin) -> list[Finding]:
    """Return what is wrong with a CRD: its shape, then its names, then what a declaration cannot say."""
    if found := check_crd_shape(body, origin) or [wrong.to_finding(origin) for wrong in _check_spec(body)]:
        return found
    tidied, whole = normalize_crd(body, keep=True), Origin("")
    declared = to_literal_declaration(tidied)
    wrong = [replace(each, rule=CRD_SHAPE) for each in check_against_schema("crd", declared, whole)]
    return [
        replace(each, origin=origin.at(*path_in_crd(each.origin.path, tidied)))
        for each in wrong or expand_crds([(whole, declared)], minor=list_minors()[-1]).findings
    ]


def _check_spec(body: JsonObject) -> Iterator[Problem]:
    spec: JsonObject = body["spec"]
    name, wanted = body["metadata"]["name"], f"{spec['names']['plural']}.{spec['group']}"
    if name != wanted:
        yield make_problem("crd-name", f"found the name {name!r}, expected {wanted!r}", ("metadata", "name"))
    yield from (
        make_problem(
            "crd-name", f"found a {key} that is no name of the kind that Kubernetes takes", ("spec",)
        )
        for key, value, form in (
            ("plural", spec["names"]["plural"], NameForm.LABEL),
            ("group", spec["group"], NameForm.SUBDOMAIN),
            *(("version", version["name"], NameForm.LABEL) for version in spec["versions"]),
        )
        if not form.matches(value)
    )
    if (conversion := spec.get("conversion")) is not None and "strategy" not in conversion:
        yield CRD_SHAPE(
            "found a conversion without strategy, expected None or Webhook", ("spec", "conversion")
        )
    names = [version["name"] for version in spec["versions"]]
    for index, version in enumerate(spec["versions"]):
        at: Path = ("spec", "versions", index)
        if names[index] in names[:index]:
            yield make_problem(
                "crd-twice", f"found the version {names[index]!r} a second time", (*at, "name")
            )
        if not schema_of(version):
            yield CRD_NOT_STRUCTURAL("found no schema, expected one", at)
