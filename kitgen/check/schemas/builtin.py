"""Validate objects of Kubernetes' own kinds against each minor of the range."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec.structs import replace

from kitgen.check.schemas import catalog
from kitgen.check.schemas.embedded import as_heard
from kitgen.crd.validate.rules import FIELD_MISSING, FIELD_TYPE, FIELD_UNKNOWN
from kitgen.findings import Problem, near, problem
from kitgen.kube.definitions import Kind, kinds, spans
from kitgen.kube.schema_interning import shallow
from kitgen.text.values import value_at
from kitgen.text.wording import cut
from kitgen.text.yaml import Json, JsonObject

CRD = Kind("apiextensions.k8s.io", "v1", "CustomResourceDefinition")


def violations(name: str, body: Json, minors: tuple[int, ...], *, reveal: bool) -> Iterator[Problem]:
    """Yield where a value breaks a definition, each thing once with the minors that refuse it."""
    if all(catalog.shape(name, minor).accepts(body) for minor in catalog.decisive(name, body, minors)):
        return
    found: dict[tuple[object, ...], tuple[Problem, list[int]]] = {}
    for minor in reversed(minors):  # the newest minor knows the most names to hint at
        for each in catalog.shape(name, minor).violations(body, reveal=reveal):
            what = each.message if each.rule is not FIELD_UNKNOWN else ""
            found.setdefault((each.rule, each.path, what), (each, []))[1].append(minor)
    kind = name.rpartition(".")[2]
    for violation, refusing in found.values():
        lacks = violation.rule is FIELD_MISSING or (
            violation.rule is FIELD_TYPE and value_at(body, *violation.path) is None
        )
        told = as_heard(violation, kind, refusing[0]) if lacks else violation
        yield _with_minors(told, tuple(refusing), minors)


def crd_violations(body: JsonObject, minors: tuple[int, ...]) -> Iterator[Problem]:
    """Yield where an expanded CRD breaks what the API server of a minor knows of CRDs."""
    name = kinds(minors[-1])[CRD]
    yield from violations(name, {**body, "spec": shallow(body["spec"])}, minors, reveal=True)


def _with_minors(violation: Problem, refusing: tuple[int, ...], minors: tuple[int, ...]) -> Problem:
    if not (others := tuple(minor for minor in minors if minor not in refusing)):
        return violation
    if violation.rule is FIELD_UNKNOWN:
        message = f"the field {cut(str(violation.path[-1]))} is not in Kubernetes {spans(refusing)}"
        return replace(violation, message=message, hint=f"Kubernetes {spans(others)} has it")
    return replace(violation, message=f"{violation.message} (Kubernetes {spans(refusing)})")


def not_served(kind: Kind, minors: tuple[int, ...]) -> Problem:
    """Report which minors do not serve a kind, and what to use instead."""
    lacking = tuple(minor for minor in minors if kind not in kinds(minor))
    message = f"{kind} is not served by Kubernetes {spans(lacking)}"
    served = {each for minor in minors for each in kinds(minor)}
    # A kind that there never was is likely misspelt; of others the version has come or gone.
    at = "apiVersion" if any(each.kind == kind.kind for each in served) or lacking != minors else "kind"
    at = at if any(each[:2] == kind[:2] for each in served) else "apiVersion"
    return problem("kubernetes-api", message, (at,), _instead(kind, lacking, minors))


def _instead(kind: Kind, lacking: tuple[int, ...], minors: tuple[int, ...]) -> str:
    known = {each for minor in minors for each in kinds(minor)}
    if served := [each for each in known if each.kind == kind.kind and each != kind]:
        best = min(served, key=lambda each: _rank(each, kind.group, minors))
        reach = catalog.serving(best, minors)
        where = "" if len(reach) == len(minors) else f", which Kubernetes {spans(reach)} serves"
        return f"use {best.api_version}{where}"
    if len(lacking) < len(minors):
        return f"Kubernetes {spans(set(minors) - set(lacking))} serves it"
    same = sorted({each.kind for each in known if (each.group, each.version) == (kind.group, kind.version)})
    return near(kind.kind, same or sorted({each.kind for each in known}))


def _rank(kind: Kind, group: str, minors: tuple[int, ...]) -> tuple[bool, int, int, int, Kind]:
    """Order kinds that could stand in for one: same group, most minors, stable, newest."""
    unstable = 2 if "alpha" in kind.version else 1 if "beta" in kind.version else 0
    newest = -int(re.sub(r"^v(\d{1,9}).*", r"\1", kind.version))
    return kind.group != group, -len(catalog.serving(kind, minors)), unstable, newest, kind
