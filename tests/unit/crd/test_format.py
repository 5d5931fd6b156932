from __future__ import annotations

import json

import yaml
from hypothesis import example, given
from hypothesis import strategies as st
from some import rows

from kitgen.crd import format as layout
from kitgen.text.yaml import Json, read_yaml

LONG = ("k" * 1100, "k" * 999, "é" * 2000, '"' * 600, "a b " * 400, "k\n" * 400)
"""Readers look no further than 1024 characters for the colon of a key."""
KEYS = st.one_of(
    st.text(max_size=12), st.sampled_from(["properties", "type", "on", "1", "$set", "a: b", "- x", *LONG])
)
LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**15), 10**15),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=40),
    st.text(alphabet="ab \\\"'{}[]:#,-\n\té\u2028\U0001f600\x01", max_size=300),
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(KEYS, inner, max_size=4)),
    max_leaves=20,
)


@given(st.dictionaries(KEYS, VALUES, min_size=1))
@example({"a": ["b?"], "c": [{"d?": "e"}]})
def test_every_reader_takes_back_what_is_written(data: dict[str, Json]) -> None:
    text = layout.render_declaration(data)
    assert _same(read_yaml(text), data)
    assert _same(yaml.safe_load(text), data)


@rows("key", LONG)
def test_long_keys_are_read_back(key: str) -> None:
    for value in (
        1,
        "",
        "text " * 50,
        "a\nb\n",
        {},
        [],
        {key: [{key: {key: None}, "b": [[key]]}]},
        [[{key: 1}]],
    ):
        for data in ({key: value}, {"properties": {key: value}}, {"a": [{key: value, "b": 1}]}):
            text = layout.render_declaration(data)
            assert read_yaml(text) == yaml.safe_load(text) == data
            assert read_yaml(layout.render_flow(data)) == yaml.safe_load(layout.render_flow(data)) == data


def _same(one: Json, other: Json) -> bool:
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


@given(st.dictionaries(KEYS, VALUES, min_size=1))
def test_writing_what_was_read_changes_nothing(data: dict[str, Json]) -> None:
    text = layout.render_declaration(data)
    assert layout.render_declaration(read_yaml(text)) == text


def test_small_schemas_stand_on_one_line() -> None:
    fields = {
        "a": {"type": "array", "items": {"type": "string"}},
        "b": {"enum": ["x", "z"], "type": "string"},
    }
    assert layout.render_declaration({"properties": fields}).splitlines()[1:] == [
        "properties:",
        "  a: {type: array, items: {type: string}}",
        "  b: {type: string, enum: [x, z]}",
    ]


@rows(
    "text",
    [
        "word " * 40 + "end",
        "^" + "([a-z0-9]|-)" * 30 + "$",
        "first line\n\nsecond paragraph that is somewhat longer\n",
        "x  y " * 60,
    ],
)
def test_long_texts_are_broken(text: str) -> None:
    written = layout.render_declaration({"versions": {"v1": {"schema": {"pattern": text}}}})
    assert max(map(len, written.splitlines())) <= layout.WIDTH
    assert read_yaml(written)["versions"]["v1"]["schema"]["pattern"] == text


def test_a_question_mark_ends_a_word_in_a_list_for_some_readers() -> None:
    data = {"enum": ["a?", "b"]}
    assert yaml.safe_load(layout.render_declaration(data)) == data


@rows("end", [{}, [], [{}], [[]], {"a": {}}])
def test_what_is_empty_is_no_null_however_deep_it_stands(end: Json) -> None:
    data: Json = end
    for _ in range(70):
        data = {"properties": data} if data else {"a": [data, data]}
    text = layout.render_declaration(data)
    assert read_yaml(text) == yaml.safe_load(text) == data
