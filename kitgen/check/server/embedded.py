"""Embedded Kubernetes types of custom resources: objects, pod templates and selectors.

A controller completes them before use, so missing fields are ignored; what is present must be valid.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kitgen.check.schemas.builtin import check_against_definition
from kitgen.check.schemas.catalog import find_serving_minors, is_kubernetes_group
from kitgen.check.schemas.embedded import FILLED_IN
from kitgen.check.server import selectors, walk
from kitgen.check.server.rule_tables import Validators
from kitgen.check.server.rules import SERVER_INVALID, SERVER_REQUIRED
from kitgen.crd.validate.rules import FIELD_TYPE, FIELD_UNKNOWN, FIELD_VALUE
from kitgen.findings import Path, Problem
from kitgen.kube.definitions import Kind, list_kinds
from kitgen.kube.identity import split_api_version
from kitgen.kube.names import check_object_names
from kitgen.text.values import entries_at, value_at
from kitgen.text.yaml import Json, JsonObject

MISFITS = (FIELD_TYPE, FIELD_UNKNOWN, FIELD_VALUE)
TEMPLATE = "io.k8s.api.core.v1.PodTemplateSpec"
TERM = {"key", "operator", "values"}
OPERATORS = (*selectors.SETS, *selectors.PRESENCE)
MAKES_MORE = frozenset({"template.openshift.io", "apiextensions.crossplane.io"})
"""Groups whose objects are patterns of others."""


def check_embedded(
    found: Sequence[tuple[Path, JsonObject]], group: str, minors: tuple[int, ...], validators: Validators
) -> Iterator[Problem]:
    """Yield what no operator puts right, among the mappings of a custom resource."""
    if group in MAKES_MORE:
        return
    inside: set[Path] = set()
    for path, mapping in found:
        if not path or path[0] in ("metadata", "status") or path[:-1] in inside:
            if path[:-1] in inside:
                inside.add(path)
            continue
        if name := _find_definition(path, mapping, minors):
            inside.add(path)
            if not _has_placeholder(mapping):
                yield from (
                    each.prefix_path(*path) for each in _check_part(name, mapping, minors, validators)
                )
        elif isinstance(mapping.get("matchExpressions"), list):
            yield from (each.prefix_path(*path) for each in _check_operators(mapping))


def _find_definition(path: Path, mapping: JsonObject, minors: tuple[int, ...]) -> str:
    """Return what Kubernetes calls a thing; nothing if it is none of its own."""
    api_version, kind = mapping.get("apiVersion"), mapping.get("kind")
    if isinstance(api_version, str) and isinstance(kind, str) and isinstance(mapping.get("metadata"), dict):
        own = Kind(*split_api_version(api_version), kind)
        return (
            list_kinds(minors[-1]).get(own, "")
            if is_kubernetes_group(own.group, minors) and find_serving_minors(own, minors)
            else ""
        )
    listed = entries_at(mapping, "spec", "containers")
    named = all(isinstance(each.get("name"), str) for _, each in listed)
    return TEMPLATE if path[-1] == "template" and listed and named else ""


def _check_part(
    name: str, mapping: JsonObject, minors: tuple[int, ...], validators: Validators
) -> Iterator[Problem]:
    if name != TEMPLATE:
        broken = check_against_definition(name, mapping, minors[-1:], reveal=mapping.get("kind") != "Secret")
        yield from (each for each in broken if each.rule in MISFITS)
        yield from (each for each in check_object_names(mapping) if len(each.path) > 1)
    for each in walk.check_object(mapping, name, minors[-1], validators):
        # An operator may bring volumes of its own; one that is called nearly so is meant.
        brought = name == TEMPLATE and "volumeMounts" in each.path and each.path[-1] == "name"
        missing = each.rule is SERVER_REQUIRED and not isinstance(value_at(mapping, *each.path), str)
        if not missing and (each.hint or not brought):
            yield each


def _check_operators(mapping: JsonObject) -> Iterator[Problem]:
    """Yield operators of a selector that are spelt otherwise; those of nodes know more of them."""
    for index, each in entries_at(mapping, "matchExpressions"):
        operator = each.get("operator")
        if not TERM.issuperset(each) or not isinstance(operator, str) or operator in OPERATORS:
            continue
        if meant := next((word for word in OPERATORS if word.casefold() == operator.casefold()), ""):
            path = ("matchExpressions", index, "operator")
            yield SERVER_INVALID(f'found "{operator}", expected {meant}', path)


def _has_placeholder(value: Json) -> bool:
    """Return whether some text is there for another one."""
    todo: list[Json] = [value]
    while todo:
        if isinstance(each := todo.pop(), dict):
            todo += [part for key, part in each.items() if key not in ("args", "command", "env", "data")]
        elif isinstance(each, list):
            todo += each
        elif isinstance(each, str) and any(sign in each for sign in FILLED_IN):
            return True
    return False
