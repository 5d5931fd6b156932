"""Fields go where a migration says, and none is lost without a word."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from moving import moved_field
from some import rows

from kitgen.migrate.resources.fields import MappedFields, build_field_tree, map_fields

ITEMS = (
    moved_field("spec.items[].text", to="spec.lines[].words"),
    moved_field("spec.items[].tone", lost="say it in the words"),
    moved_field("spec.volume.loud", to="spec.loud"),
)


def mapped(spec: Any, *fields: Any) -> MappedFields:
    return map_fields({"spec": spec}, build_field_tree(fields or ITEMS))


@rows(
    ("spec", "want"),
    [
        ({"items": [{"text": "a"}, {"text": "b"}]}, {"lines": [{"words": "a"}, {"words": "b"}]}),
        ({"items": []}, {"lines": []}),
        ({"volume": {"loud": False}}, {"loud": False}),
        ({"volume": {"loud": None}, "items": None}, None),
        ({"items": [{}, {"text": "b"}]}, {"lines": [{}, {"words": "b"}]}),
        ({"other": {}, "items": [{"text": ""}]}, {"lines": [{"words": ""}]}),
    ],
)
def test_where_fields_go(spec: Any, want: Any) -> None:
    made = mapped(spec)
    assert made.fields == ({} if want is None else {"spec": want})
    assert made.problems == ()


def test_a_field_without_a_counterpart_is_told_with_the_reason() -> None:
    made = mapped({"items": [{"text": "a", "tone": "high"}]})
    assert made.fields == {"spec": {"lines": [{"words": "a"}]}}
    (told,) = made.problems
    assert (told.rule.id, told.path) == ("migration-lost", ("spec", "items", 0, "tone"))
    assert told.message == "found spec.items[].tone, which has no counterpart"
    assert told.hint == "say it in the words"


@rows(
    ("spec", "path", "message"),
    [
        ({"shape": 1}, ("shape",), 'found the field "shape", of which the migration says nothing'),
        ({"items": [{"size": 1}]}, ("items", 0, "size"), 'found the field "size"'),
        ({"items": {"text": "a"}}, ("items",), "found a mapping, expected a list"),
        ({"volume": "s3cret"}, ("volume",), "found a string, expected a mapping"),
    ],
)
def test_what_nothing_is_said_of(spec: Any, path: tuple[Any, ...], message: str) -> None:
    (told,) = mapped(spec).problems
    assert told.rule.id == "migration-field"
    assert told.path == ("spec", *path)
    assert told.message.startswith(message)


def test_two_values_for_one_place() -> None:
    fields = (moved_field("spec.items[].text", to="spec.text"),)
    assert mapped({"items": [{"text": "a"}, {"text": "a"}]}, *fields).problems == ()
    (told,) = mapped({"items": [{"text": "a"}, {"text": "b"}]}, *fields).problems
    assert told.message == 'found a second value for "spec.text", expected one'
    assert told.path == ("spec", "items", 1, "text")


def test_the_rest_of_a_mapping_and_a_list_of_one() -> None:
    fields = (moved_field("spec.a", to="spec.all"), moved_field("spec.a.b", to="spec.each[].b"))
    made = mapped({"a": {"b": 1, "c": 2}}, *fields)
    assert made.fields == {"spec": {"each": [{"b": 1}], "all": {"c": 2}}}


def test_two_go_into_one_mapping() -> None:
    fields = (moved_field("spec.a", to="spec.all.a"), moved_field("spec.b", to="spec.all"))
    assert mapped({"a": 1, "b": {"c": 2}}, *fields).fields == {"spec": {"all": {"a": 1, "c": 2}}}
    assert mapped({"b": {"c": 2}, "a": 1}, *fields).fields == {"spec": {"all": {"a": 1, "c": 2}}}
    for spec in ({"a": 1, "b": 2}, {"b": 2, "a": 1}, {"b": {"a": 2}, "a": 1}):
        assert [each.rule.id for each in mapped(spec, *fields).problems] == ["migration-field"]


def test_nothing_goes_into_metadata() -> None:
    assert mapped({"a": 1}, moved_field("spec.a", to="metadata.labels")).problems


@rows(
    ("default", "value", "silent"),
    [
        (1, 1, True),
        (1, 2, False),
        (0, 0.0, True),
        (0, False, False),
        (1, True, False),
        ("", "", True),
        ({"spec": {}}, {"spec": {}}, True),
        ({"spec": {}}, {"spec": {"a": 0}}, False),
        ([1], [1.0], True),
        ([1], [1, 1], False),
    ],
)
def test_nothing_is_lost_with_a_default(default: Any, value: Any, silent: bool) -> None:
    field = moved_field("spec.a", lost="it is gone", default=default)
    made = mapped({"a": value}, field)
    assert [each.rule.id for each in made.problems] == ([] if silent else ["migration-lost"])
    assert made.fields == {}


def test_a_default_is_not_one_of_the_fields_below() -> None:
    fields = (moved_field("spec.a", lost="gone", default=0), moved_field("spec.a.b.c", lost="gone too"))
    assert [each.path for each in mapped({"a": {"b": 0}}, *fields).problems] == [("spec", "a", "b")]


PLAIN = {"type": "integer"}
INNER = {"deep": PLAIN, "growth": {"type": "string", "default": "slow"}, "times": {**PLAIN, "default": 3}}
BEFORE = {
    "type": "object",
    "properties": {
        "metadata": {"type": "object"},
        "spec": {
            "type": "object",
            "properties": {
                "a": {**PLAIN, "default": 5},
                "known": PLAIN,
                "inner": {"type": "object", "properties": INNER},
                "items": {"type": "array", "items": {"type": "object", "properties": {"text": PLAIN}}},
            },
        },
    },
}
AFTER = {"type": "object", "properties": {"spec": {"type": "object", "properties": {"later": PLAIN}}}}


@rows(
    ("spec", "want"),
    [
        ({"a": 5}, []),
        ({"a": 6}, ["migration-lost"]),
        ({"inner": {"growth": "slow", "times": 3}}, []),
        ({"inner": {"growth": "slow", "times": None}}, []),
        ({"inner": {"growth": "slow", "times": 4}}, ["migration-lost"]),
        ({"inner": {"growth": "slow", "deep": 0}}, ["migration-lost"]),
        ({"inner": {"growth": "slow", "odd": {}}}, ["migration-lost"]),
        ({"known": 1}, ["migration-field"]),
        ({"later": 1}, ["migration-field"]),
        ({"odd": 1}, ["migration-unkept"]),
        ({"items": [{"odd": {"b": 1}, "text": 1}]}, ["migration-unkept"]),
        ({"odd": {}, "items": [{"odd": None}]}, []),
    ],
)
def test_what_the_old_crd_says(spec: Any, want: list[str]) -> None:
    fields = (
        moved_field("spec.a", lost="gone"),
        moved_field("spec.inner", lost="gone"),
        moved_field("spec.items[].text", to="spec.lines[].words"),
    )
    made = map_fields({"spec": spec}, build_field_tree(fields), BEFORE, AFTER)
    assert [each.rule.id for each in made.problems] == want
    assert "odd" not in str(made.fields)


VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=3)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from(["items", "text", "tone", "volume", "loud", "x"]), inner, max_size=3),
    ),
    max_leaves=12,
)


@given(VALUES)
def test_any_shape_is_mapped_or_told(spec: Any) -> None:
    before = copy.deepcopy(spec)
    made = mapped(spec)
    assert spec == before
    leaves = len(made.places) + len(made.problems)
    assert leaves > 0 or not _says(spec)


def _says(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_says, value.values()))
    return any(map(_says, value)) if isinstance(value, list) else value is not None
