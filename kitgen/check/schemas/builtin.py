"""Validate objects of Kubernetes' own kinds against each minor of the range."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec.structs import replace

from kitgen.check.schemas import catalog
from kitgen.check.schemas.embedded import classify_builtin_problem
from kitgen.crd.validate.rules import FIELD_MISSING, FIELD_TYPE, FIELD_UNKNOWN
from kitgen.findings import Problem, make_problem, suggest_word
from kitgen.kube.definitions import Kind, format_minors, list_kinds
from kitgen.kube.schema_interning import drop_type_details
from kitgen.text.values import value_at
from kitgen.text.wording import quote_text
from kitgen.text.yaml import Json, JsonObject

CRD = Kind("apiextensions.k8s.io", "v1", "CustomResourceDefinition")


def check_against_definition(
    name: str, body: Json, minors: tuple[int, ...], *, reveal: bool
) -> Iterator[Problem]:
    """Yield where a value breaks a definition, each thing once with the minors that refuse it."""
    if catalog.is_accepted(name, body, minors):
        return
    found: dict[tuple[object, ...], tuple[Problem, list[int]]] = {}
    for minor in reversed(minors):  # the newest minor knows the most names to hint at
        for each in catalog.compile_definition(name, minor).check(body, reveal=reveal):
            what = each.message if each.rule is not FIELD_UNKNOWN else ""
            found.setdefault((each.rule, each.path, what), (each, []))[1].append(minor)
    kind = name.rpartition(".")[2]
    for violation, refusing in found.values():
        lacks = violation.rule is FIELD_MISSING or (
            violation.rule is FIELD_TYPE and value_at(body, *violation.path) is None
        )
        told = classify_builtin_problem(violation, kind, refusing[0]) if lacks else violation
        yield _add_minors(told, tuple(refusing), minors)


def check_crd_fields(body: JsonObject, minors: tuple[int, ...]) -> Iterator[Problem]:
    """Yield where an expanded CRD breaks what the API server of a minor knows of CRDs."""
    name = list_kinds(minors[-1])[CRD]
    yield from check_against_definition(
        name, {**body, "spec": drop_type_details(body["spec"])}, minors, reveal=True
    )


def _add_minors(violation: Problem, refusing: tuple[int, ...], minors: tuple[int, ...]) -> Problem:
    if not (others := tuple(minor for minor in minors if minor not in refusing)):
        return violation
    if violation.rule is FIELD_UNKNOWN:
        message = (
            f"the field {quote_text(str(violation.path[-1]))} is not in Kubernetes {format_minors(refusing)}"
        )
        return replace(violation, message=message, hint=f"Kubernetes {format_minors(others)} has it")
    return replace(violation, message=f"{violation.message} (Kubernetes {format_minors(refusing)})")


def report_unserved(kind: Kind, minors: tuple[int, ...]) -> Problem:
    """Report which minors do not serve a kind, and what to use instead."""
    lacking = tuple(minor for minor in minors if kind not in list_kinds(minor))
    message = f"{kind} is not served by Kubernetes {format_minors(lacking)}"
    served = {each for minor in minors for each in list_kinds(minor)}
    # A kind that there never was is likely misspelt; of others the version has come or gone.
    at = "apiVersion" if any(each.kind == kind.kind for each in served) or lacking != minors else "kind"
    at = at if any(each[:2] == kind[:2] for each in served) else "apiVersion"
    return make_problem("kubernetes-api", message, (at,), _describe_alternative(kind, lacking, minors))


def _describe_alternative(kind: Kind, lacking: tuple[int, ...], minors: tuple[int, ...]) -> str:
    known = {each for minor in minors for each in list_kinds(minor)}
    if served := [each for each in known if each.kind == kind.kind and each != kind]:
        best = min(served, key=lambda each: _rank_kind(each, kind.group, minors))
        reach = catalog.find_serving_minors(best, minors)
        where = "" if len(reach) == len(minors) else f", which Kubernetes {format_minors(reach)} serves"
        return f"use {best.api_version}{where}"
    if len(lacking) < len(minors):
        return f"Kubernetes {format_minors(set(minors) - set(lacking))} serves it"
    same = sorted({each.kind for each in known if (each.group, each.version) == (kind.group, kind.version)})
    return suggest_word(kind.kind, same or sorted({each.kind for each in known}))


def _rank_kind(kind: Kind, group: str, minors: tuple[int, ...]) -> tuple[bool, int, int, int, Kind]:
    """Order kinds that could stand in for one: same group, most minors, stable, newest."""
    unstable = 2 if "alpha" in kind.version else 1 if "beta" in kind.version else 0
    newest = -int(re.sub(r"^v(\d{1,9}).*", r"\1", kind.version))
    return kind.group != group, -len(catalog.find_serving_minors(kind, minors)), unstable, newest, kind
