"""What a server keeps of an object, and what it takes by itself."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from some import rows

from kitgen.crd.validate.rules import FIELD_UNKNOWN, Effort
from kitgen.crd.validate.walk import Walk
from kitgen.migrate.resources.schemas import (
    find_unknown_fields,
    is_below,
    remove_fields,
    report_unknown_field,
    schema_at,
)
from kitgen.text.yaml import JsonObject

TEXT = {"type": "string"}
SPEC: JsonObject = {
    "type": "object",
    "properties": {
        "text": TEXT,
        "labels": {"type": "object", "additionalProperties": TEXT},
        "any": {"type": "object", "additionalProperties": True},
        "open": {
            "type": "object",
            "x-kubernetes-preserve-unknown-fields": True,
            "properties": {"shut": {"type": "object"}},
        },
        "object": {
            "type": "object",
            "x-kubernetes-embedded-resource": True,
            "properties": {"spec": {"type": "object"}},
        },
        "items": {"type": "array", "items": {"type": "object", "properties": {"name": TEXT}}},
        "number": {"x-kubernetes-int-or-string": True, "type": "integer"},
    },
}
SCHEMA: JsonObject = {
    "type": "object",
    "properties": {"metadata": {"type": "object"}, "spec": SPEC},
}


@rows(
    ("spec", "want"),
    [
        ({"text": 1, "labels": {"a": 1}, "any": {"a": {"b": 1}}}, [("any", "a", "b")]),
        ({"other": 1, "text": "a"}, [("other",)]),
        ({"open": {"a": {"b": 1}, "shut": {"c": 1}}}, [("open", "shut", "c")]),
        (
            {"object": {"apiVersion": "v1", "kind": "A", "metadata": {"a": 1}, "spec": {"a": 1}, "data": 1}},
            [("object", "spec", "a"), ("object", "data"), ("object", "metadata", "a")],
        ),
        ({"items": [{"name": "a"}, {"nam": "a"}]}, [("items", 1, "nam")]),
        ({"text": {"a": 1}, "items": {"a": 1}, "number": {"a": 1}, "labels": []}, []),
        ({"apiVersion": "v1"}, [("apiVersion",)]),
    ],
)
def test_what_a_server_drops(spec: Any, want: list[Any]) -> None:
    body = {"apiVersion": "v1", "kind": "A", "metadata": {"name": "a", "odd": 1}, "spec": spec}
    before = copy.deepcopy(body)
    found = find_unknown_fields(body, SCHEMA)
    assert found == [("spec", *path) for path in want]
    assert all(is_below((*path, "deeper"), found) for path in found)
    left = remove_fields(body, found)
    assert body == before
    assert find_unknown_fields(left, SCHEMA) == []
    assert left == body or found


def test_without_a_schema_all_is_known() -> None:
    assert find_unknown_fields({"spec": {"x": 1}}, None) == []
    assert not is_below(("spec", "x"), [("spec", "y"), ("spec", "x", "y")])
    assert schema_at(SCHEMA, ("spec", "items", 3, "name")) is TEXT


def test_a_name_that_is_nearly_right() -> None:
    assert report_unknown_field(("spec", "txet"), SCHEMA).hint == "did you mean 'text'?"
    assert "no API server kept it" in report_unknown_field(("spec", "wholly", "else"), SCHEMA).hint


KEYS = st.sampled_from(["apiVersion", "metadata", *SPEC["properties"], "shut", "name", "x"])
VALUES = st.recursive(
    st.one_of(st.none(), st.integers(), st.text(max_size=3)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=4)),
    max_leaves=15,
)


@given(VALUES)
def test_nothing_is_left_to_drop(spec: Any) -> None:
    body = {"metadata": {}, "spec": spec}
    left = remove_fields(body, find_unknown_fields(body, SCHEMA))
    assert find_unknown_fields(left, SCHEMA) == []


@given(VALUES)
def test_a_server_drops_what_validation_does_not_know(spec: Any) -> None:
    body = {"metadata": {}, "spec": spec, "x": 1}
    walk = Walk(Effort(), evaluate=False)
    walk.walk_value(SCHEMA, body, (), resource=True)
    assert find_unknown_fields(body, SCHEMA) == [e.path for e in walk.problems if e.rule is FIELD_UNKNOWN]
