"""What a CRD asks of each value multiplies with the values, so the steps of a check are counted."""

from __future__ import annotations

from typing import Any

from some import rows

from kitgen.crd.validate.rules import Effort
from kitgen.crd.validate.values import check_keywords
from kitgen.crd.validate.walk import Walk
from kitgen.text.formats import matches_format
from kitgen.text.regex_match import compile_pattern, count_compiled

BODY = {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "t"}}
MANY = 100


def items(**schema: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"list": {"type": "array", "items": schema}}}


def rules_found(schema: dict[str, Any], values: list[Any], steps: int) -> set[str]:
    walk = Walk(Effort(steps))
    walk.walk_object(schema, {**BODY, "list": values}, namespaced=True, status=False)
    return {each.rule.id for each in walk.problems}


@rows(
    ("schema", "value"),
    [
        (items(type="integer", anyOf=[{"minimum": 9}] * MANY + [{"minimum": 1}]), 1),
        (items(type="integer", oneOf=[{"minimum": 9}] * MANY + [{"minimum": 1}]), 1),
        (items(type="integer", allOf=[{"minimum": 1}] * MANY), 1),
        (items(type="integer", **{"not": {"anyOf": [{"minimum": 9}] * MANY}}), 1),
        (items(type="integer", **{"x-kubernetes-validations": [{"rule": "self > 0"}] * MANY}), 1),
        (items(type="object", properties={f"p{n}": {"default": 1} for n in range(MANY)}), {}),
        (items(type="object", properties={f"p{n}": {} for n in range(32 * MANY)}), {}),
        (items(type="string", pattern="^a+$"), "a" * MANY),
    ],
)
def test_steps_multiply_and_are_bounded(schema: dict[str, Any], value: Any) -> None:
    assert rules_found(schema, [value], 1_000) == set()
    assert rules_found(schema, [value] * MANY, 1_000) == {"effort-limit"}
    assert rules_found(schema, [value] * MANY, 100_000) == set()


def test_patterns_that_are_compiled_anew_take_steps() -> None:
    schema = {"type": "object", "properties": {f"p{n}": {"pattern": f"^x({n})?$"} for n in range(500)}}
    walk = Walk(Effort(10_000))
    walk.walk_object(schema, {**BODY, **{f"p{n}": "x" for n in range(500)}}, namespaced=True, status=False)
    assert {each.rule.id for each in walk.problems} == {"effort-limit"}


def test_a_large_pattern_is_not_run() -> None:
    known = count_compiled()
    assert compile_pattern("^[ab]*a[ab]{5000}[cd]$") is None
    assert count_compiled() == known + 1


@rows(
    ("value", "is_there"),
    [(99, True), (99.0, True), (True, False), ({"a": [1]}, True), ({"a": [True]}, False)],
)
def test_long_choices_of_any_type(value: Any, is_there: bool) -> None:
    enum = [*range(100), {"a": [1]}]
    found = list(check_keywords({"enum": enum}, value, reveal=True, effort=Effort()))
    assert (not found) is is_there


@rows(
    ("name", "text", "fits"),
    [
        ("email", "a" * 100_000 + "@example.com", False),
        ("email", " \ta@example.com ", True),
        ("creditcard", "4" * 100_000, False),
        ("byte", "QUJD" * 50_000, True),
        ("byte", "QUJD" * 50_000 + "QQ=", False),
        ("byte", "", False),
        ("uri", "http://example.com/" + "%20" * 50_000, True),
        ("uri", "http://example.com/" + "%20" * 50_000 + "%2", False),
        ("uri", "http://exa%C3%A4mple.com/", True),
        ("uri", "http://exa%20mple.com/", False),
    ],
)
def test_long_texts_of_a_format(name: str, text: str, fits: bool) -> None:
    assert matches_format(name, text) is fits
