"""Changes at many places of an object at once."""

from __future__ import annotations

from functools import partial

from hypothesis import given
from hypothesis import strategies as st

from kitgen.render.kustomize.field_paths import apply_change, apply_changes
from kitgen.text.yaml import Json, JsonObject

PLACES = st.sets(st.tuples(st.sampled_from(["a", "b"]), st.integers(0, 4), st.sampled_from(["c", "d"])))


def _text(text: str, _: Json) -> Json:
    return text


@given(PLACES)
def test_many_changes_at_once_are_those_changes_one_by_one(paths: set[tuple[str, int, str]]) -> None:
    before: JsonObject = {"a": [{"c": 1, "e": 2}] * 5, "b": [{}] * 5, "f": {}}
    changes = {path: partial(_text, str(path)) for path in sorted(paths)}
    one_by_one: Json = before
    for path, change in changes.items():
        one_by_one = apply_change(one_by_one, path, change)
    assert apply_changes(before, changes) == one_by_one
    assert before == {"a": [{"c": 1, "e": 2}] * 5, "b": [{}] * 5, "f": {}}


def test_maps_on_the_way_are_made() -> None:
    changes = {("a", "b"): partial(_text, "x"), ("a", "c"): partial(_text, "y")}
    assert apply_changes({}, changes) == {"a": {"b": "x", "c": "y"}}
