"""Selectors of labels: their syntax, and whether they select."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from kitgen.check.server import values
from kitgen.check.server.rules import SERVER_FORBIDDEN, SERVER_INVALID, SERVER_REQUIRED
from kitgen.check.server.walk import Validators
from kitgen.findings import Path, Problem
from kitgen.kube.selectors import read_requirement
from kitgen.text.values import entries_at, value_at
from kitgen.text.wording import cut, shown
from kitgen.text.yaml import JsonObject

SELECTED = ("spec", "selector", "matchLabels")
SETS, PRESENCE = ("In", "NotIn"), ("Exists", "DoesNotExist")


def expression(value: JsonObject) -> Iterator[Problem]:
    """Yield what is wrong with an expression of a selector; labels to match are looked at as labels."""
    operator = value.get("operator")
    yield from values.one_of(value, "operator", (*SETS, *PRESENCE), empty=False)
    yield from values.not_empty(value, "key")
    yield from values.qualified(value, "key")
    yield from values_for_operator(value)
    if operator in SETS:
        yield from values.each_fitting(value, "values", values.is_label_value, values.LABEL_VALUE)


def values_for_operator(value: JsonObject) -> Iterator[Problem]:
    """Yield values that an operator lacks, or has no use for."""
    operator, given = value.get("operator"), values.is_given(value.get("values"))
    if operator in SETS and not given:
        path = ("values",) if "values" in value else ("operator",)
        yield SERVER_REQUIRED(f"found no values, expected some for the operator {operator}", path)
    if operator in PRESENCE and given:
        message = f"found values, expected none for the operator {operator}"
        yield SERVER_FORBIDDEN(message, ("values",))


def fits(value: JsonObject, labels: JsonObject) -> bool:
    """Return whether labels fit an expression; one that is not well formed is not counted."""
    requirement = read_requirement(value)
    return requirement is None or requirement.matches(labels)


def selector_and_labels(spec: JsonObject) -> Iterator[Problem]:
    """Yield a selector that selects everything, or not the labels of the template beside it."""
    selector = spec.get("selector")
    if "selector" in spec and selector is None:
        yield from values.not_empty(spec, "selector")
    if not isinstance(selector, dict):
        return  # schemas tell of it
    if not any(values.is_given(selector.get(key)) for key in ("matchLabels", "matchExpressions")):
        message = f"found {shown(selector)}, expected a selector of the template's labels"
        yield SERVER_INVALID(message, ("selector",))
        return
    yield from missing_labels(spec)


def blamed(body: JsonObject, problem: Problem) -> Problem:
    """Blame the template for a label that it lacks, if the object itself has it as the selector does."""
    *above, key = problem.path or ("",)
    there: Path = ("spec", "template", "metadata", "labels", key)
    if tuple(above) != SELECTED or value_at(body, *there) is None:
        return problem
    own = value_at(body, "metadata", "labels", key)
    meant = isinstance(own, str) and own == value_at(body, *problem.path)
    return replace(problem, path=there, hint="") if meant else problem


def missing_labels(spec: JsonObject) -> Iterator[Problem]:
    """Yield what a selector asks for and the labels of the template do not have."""
    labels = values.mapping(value_at(spec, "template", "metadata", "labels"))
    for key, value in values.mapping(value_at(spec, "selector", "matchLabels")).items():
        if labels.get(key) != value:
            message = (
                f"found no label {cut(key)}={cut(str(value))} in the template, which the selector asks for"
            )
            yield SERVER_INVALID(message, ("selector", "matchLabels", key), "give the template the label")
    for index, each in entries_at(spec, "selector", "matchExpressions"):
        lacks = each.get("operator") in SETS and not values.is_given(each.get("values"))
        if not lacks and not fits(each, labels):
            message = "found an expression that the labels of the template do not fit"
            yield SERVER_INVALID(message, ("selector", "matchExpressions", index))


VALIDATORS: Validators = {"meta/v1.LabelSelectorRequirement": expression}
