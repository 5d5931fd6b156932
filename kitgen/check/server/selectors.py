"""Label selectors: their syntax, and whether they select anything."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from kitgen.check.server.constraints import (
    LABEL_KEY,
    LABEL_VALUE,
    each_fits,
    is_given,
    is_label_value,
    not_empty,
    one_of,
)
from kitgen.check.server.rule_tables import Rules
from kitgen.check.server.rules import SERVER_INVALID, SERVER_REQUIRED
from kitgen.findings import Path, Problem, make_problem
from kitgen.kube.selectors import read_requirement
from kitgen.text.values import entries_at, map_at, value_at
from kitgen.text.wording import describe_value, quote_text
from kitgen.text.yaml import JsonObject

SELECTED = ("spec", "selector", "matchLabels")
SETS, PRESENCE = ("In", "NotIn"), ("Exists", "DoesNotExist")
LABEL_VALUES = each_fits(is_label_value, LABEL_VALUE)


def _check_values(value: JsonObject) -> Iterator[Problem]:
    yield from check_operator(value)
    if value.get("operator") in SETS:
        yield from LABEL_VALUES(value, "values")


def check_operator(value: JsonObject) -> Iterator[Problem]:
    """Report values that an operator lacks, or has no use for."""
    operator, given = value.get("operator"), is_given(value.get("values"))
    if operator in SETS and not given:
        path = ("values",) if "values" in value else ("operator",)
        yield SERVER_REQUIRED(f"found no values, expected some for the operator {operator}", path)
    if operator in PRESENCE and given:
        yield make_problem(
            "server-forbidden", f"found values, expected none for the operator {operator}", ("values",)
        )


def matches_expression(value: JsonObject, labels: JsonObject) -> bool:
    """Return whether labels fit an expression; one that is not well formed is not counted."""
    requirement = read_requirement(value)
    return requirement is None or requirement.matches(labels)


def check_selector(spec: JsonObject) -> Iterator[Problem]:
    """Report a selector that selects everything, or not the labels of the template beside it."""
    if (selector := spec.get("selector")) is None:
        yield from not_empty(spec, "selector")
    elif isinstance(selector, dict) and not any(
        is_given(selector.get(key)) for key in ("matchLabels", "matchExpressions")
    ):
        yield SERVER_INVALID(
            f"found {describe_value(selector)}, expected a selector of the template's labels", ("selector",)
        )
    else:
        yield from check_template_labels(spec)


def blame_template(body: JsonObject, wrong: Problem) -> Problem:
    """Blame the template for a label that it lacks, if the object itself has it as the selector does."""
    *above, key = wrong.path or ("",)
    there: Path = ("spec", "template", "metadata", "labels", key)
    if tuple(above) != SELECTED or value_at(body, *there) is None:
        return wrong
    own = value_at(body, "metadata", "labels", key)
    meant = isinstance(own, str) and own == value_at(body, *wrong.path)
    return replace(wrong, path=there, hint="") if meant else wrong


def check_template_labels(spec: JsonObject) -> Iterator[Problem]:
    """Report what a selector requires and the labels of the template lack."""
    labels = map_at(spec, "template", "metadata", "labels")
    for key, value in map_at(spec, "selector", "matchLabels").items():
        if labels.get(key) != value:
            yield SERVER_INVALID(
                (
                    f"found no label {quote_text(key)}={quote_text(str(value))} in the template, which the "
                    "selector asks for"
                ),
                ("selector", "matchLabels", key),
                "give the template the label",
            )
    for index, each in entries_at(spec, "selector", "matchExpressions"):
        lacks = each.get("operator") in SETS and not is_given(each.get("values"))
        if not lacks and not matches_expression(each, labels):
            yield SERVER_INVALID(
                "found an expression that the labels of the template do not fit",
                ("selector", "matchExpressions", index),
            )


RULES: Rules = {
    "meta/v1.LabelSelectorRequirement": (
        {"operator": one_of(*SETS, *PRESENCE), "key": (not_empty, LABEL_KEY)},
        _check_values,
    ),
}
