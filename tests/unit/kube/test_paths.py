from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kitgen.crd.schema_edits import SchemaPart, parse_part
from kitgen.kube import schema_paths

FIELD = st.tuples(st.just("properties"), st.text(min_size=1))
STEP = st.one_of(FIELD, st.just(("items",)), st.just(("additionalProperties",)))
FIELDS = st.lists(STEP, max_size=6).map(lambda steps: tuple(step for group in steps for step in group))
KEYWORD = st.sampled_from(["required", "default", "x-kubernetes-list-type", "properties", "maxLength"])


@given(FIELDS)
def test_paths_come_back(steps: schema_paths.Steps) -> None:
    assert schema_paths.parse_path(schema_paths.format_path(steps)) == steps
    assert schema_paths.is_schema(steps)


@given(FIELDS, KEYWORD)
def test_paths_to_keywords_come_back(steps: schema_paths.Steps, keyword: str) -> None:
    assert schema_paths.parse_path(schema_paths.format_path((*steps, keyword))) == (*steps, keyword)
    assert not schema_paths.is_schema((*steps, keyword))


@given(FIELDS)
def test_parts_come_back(steps: schema_paths.Steps) -> None:
    part = SchemaPart("things.example.dev", "v1", steps)
    assert parse_part(str(part)) == part


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("", ()),
        ("spec", ("properties", "spec")),
        ("spec.list[].a", ("properties", "spec", "properties", "list", "items", "properties", "a")),
        ("map{}#maxLength", ("properties", "map", "additionalProperties", "maxLength")),
        ("#required", ("required",)),
        ('"a.b"."#"', ("properties", "a.b", "properties", "#")),
    ],
)
def test_paths_are_read(text: str, steps: schema_paths.Steps) -> None:
    assert schema_paths.parse_path(text) == steps


@pytest.mark.parametrize("text", [".a", "a.", "a..b", "a b", "a#", "a]", '"a', "[]a", 'a"b"'])
def test_what_is_no_path_is_refused(text: str) -> None:
    with pytest.raises(schema_paths.PathError):
        schema_paths.parse_path(text)


@pytest.mark.parametrize("text", ["", "things", "things/", "/v1", "things/v1/a#type"])
def test_what_is_no_part_is_refused(text: str) -> None:
    with pytest.raises(schema_paths.PathError):
        parse_part(text)
