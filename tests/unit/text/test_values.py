"""Readers of JSON of any shape."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from some import rows

from kitgen.text.values import entries_at, list_at, map_at, number_at, text_at, texts_at, value_at

BODY = {"a": [{"b": "x"}, 1, True, "y", None], "n": 3, "t": True}
PATHS = st.lists(st.sampled_from(["a", "b", "n", 0, 1, 7, -1]), max_size=3)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abn"), inner, max_size=3),
)


@rows(
    ("found", "expected"),
    [
        (value_at(BODY, "a", 0, "b"), "x"),
        (value_at(BODY, "a", 9), None),
        (value_at(BODY, "a", "b"), None),
        (map_at(BODY, "a", 0), {"b": "x"}),
        (map_at(BODY, "n"), {}),
        (list_at(BODY, "n"), []),
        (text_at(BODY, "a", 0, "b"), "x"),
        (text_at(BODY, "n"), ""),
        (number_at(BODY, "n"), 3),
        (number_at(BODY, "t"), None),
        (texts_at(BODY, "a"), ["y"]),
        (entries_at(BODY, "a"), [(0, {"b": "x"})]),
    ],
)
def test_what_is_there_is_returned_and_all_else_is_empty(found: object, expected: object) -> None:
    assert found == expected


@given(JSON, PATHS)
def test_any_path_into_any_value_has_the_promised_type(value: object, path: list[str | int]) -> None:
    assert isinstance(map_at(value, *path), dict)
    assert isinstance(list_at(value, *path), list)
    assert isinstance(text_at(value, *path), str)
    assert number_at(value, *path) is None or type(number_at(value, *path)) is int
    assert all(isinstance(each, str) for each in texts_at(value, *path))
    assert all(isinstance(each, dict) for _, each in entries_at(value, *path))
