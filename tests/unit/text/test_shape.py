"""Spec files against JSON Schemas, and the words for what is wrong."""

from __future__ import annotations

import gc
from pathlib import Path

import jsonschema_rs
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from some import rows

from kitgen.findings import Origin
from kitgen.findings.errors import KitgenError
from kitgen.text import schema_check as schemafiles
from kitgen.text.schema_check import SPECS, Shape, check_against_schema, compile_schema
from kitgen.text.yaml import Json, JsonObject

SCHEMA: JsonObject = {
    "type": "object",
    "required": ["name"],
    "additionalProperties": False,
    "properties": {
        "name": {"type": "string", "pattern": "^[a-z]+$", "x-expected": "lower case letters"},
        "version": {"type": "string", "pattern": "^v", "title": "A version such as v1.0.0."},
        "code": {"type": "string", "pattern": "^c"},
        "mode": {"enum": ["Managed", "Removed"]},
        "replicas": {"type": "integer", "minimum": 1, "maximum": 9},
        "day": {"type": "string", "format": "date"},
        "image": {"oneOf": [{"type": "string"}, {"$ref": "#/$defs/image"}]},
        "login": {"type": "object", "properties": {"password": {"type": "string"}}},
        "alone": {"type": "array", "maxItems": 1},
        "words": {"type": "array", "minItems": 1, "uniqueItems": True, "items": {"type": "string"}},
        "names": {"type": "object", "propertyNames": {"enum": ["olm", "odh"]}},
        "fixed": {"const": 1},
        "place": {"oneOf": [{"required": ["file"]}, {"required": ["url"]}]},
        "step": {
            "anyOf": [
                {
                    "type": "object",
                    "required": ["do"],
                    "properties": {"do": {"const": "copy"}, "to": {"type": "string"}},
                },
                {
                    "type": "object",
                    "required": ["do"],
                    "properties": {"do": {"const": "drop"}, "at": {"type": "integer"}},
                },
            ]
        },
        "open": {
            "allOf": [{"properties": {"here": {}}}, {"$ref": "#/$defs/image"}],
            "unevaluatedProperties": False,
        },
        "never": {"type": "object", "properties": {"old": False}},
        "paired": {"dependentRequired": {"a": ["b"]}},
    },
    "$defs": {"image": {"type": "object", "properties": {"tag": {"type": "string"}}}},
}
COMPILED = Shape(SCHEMA, formats=True)
WORD = {SPECS.unknown: "unknown", SPECS.missing: "missing", SPECS.mistyped: "type", SPECS.value: "value"}


def told(data: JsonObject) -> list[str]:
    found = COMPILED.check({"name": "web", **data})
    return [
        f"{WORD[each.rule]} {'/'.join(map(str, each.path))}: {each.message} ({each.hint})" for each in found
    ]


@rows(
    ("data", "expected"),
    [
        ({"nam": 1}, "unknown nam: found the unknown key \"nam\" (did you mean 'name'?)"),
        ({"name": "Web"}, 'value name: found "Web", expected lower case letters ()'),
        ({"name": None}, "type name: found nothing, expected lower case letters ()"),
        ({"version": "1"}, 'value version: found "1", expected a version such as v1.0.0 ()'),
        ({"code": "x"}, 'value code: found "x", expected text that matches ^c ()'),
        ({"code": True}, "type code: found true, expected a string (quote it)"),
        (
            {"mode": "managed"},
            'value mode: found "managed", expected one of "Managed" or "Removed" (did you mean \'Managed\'?)',
        ),
        ({"replicas": 0}, "value replicas: found 0, expected at least 1 ()"),
        ({"replicas": "2"}, 'type replicas: found "2", expected a whole number ()'),
        ({"day": "soon"}, 'value day: found "soon", expected a date ()'),
        ({"image": 3}, "type image: found 3, expected a string or a mapping ()"),
        ({"image": {"tag": 3}}, "type image/tag: found 3, expected a string (quote it)"),
        ({"login": {"password": 1234}}, "type login/password: found a number, expected a string (quote it)"),
        ({"alone": [1, 2]}, "value alone: found a list, expected at most one ()"),
        ({"words": []}, "value words: found an empty list, expected at least one ()"),
        ({"words": ["a", "a"]}, "value words: found a list, expected every item only once ()"),
        (
            {"names": {"oml": 1}},
            'value names/oml: found the key "oml", expected one of "olm" or "odh" (did you mean \'olm\'?)',
        ),
        ({"fixed": 2}, "value fixed: found 2, expected 1 ()"),
        ({"place": {}}, 'missing place: found none of "file" or "url", expected one of them ()'),
        (
            {"place": {"file": 1, "url": 1}},
            'value place: found a mapping, expected only one of "file" or "url" ()',
        ),
        ({"step": {"do": "drop", "at": "x"}}, 'type step/at: found "x", expected a whole number ()'),
        ({"step": 1}, "type step: found 1, expected a mapping ()"),
        ({"open": {"tga": 1}}, "unknown open/tga: found the unknown key \"tga\" (did you mean 'tag'?)"),
        ({"never": {"old": 1}}, 'unknown never/old: found the unknown key "old" ()'),
        ({"paired": {"a": 1}}, 'missing paired: found no key "b", which is required ()'),
    ],
)
def test_words(data: JsonObject, expected: str) -> None:
    assert told(data) == [expected]


def test_everything_wrong_is_told() -> None:
    found = COMPILED.check({"mode": 1, "replicas": 99, "words": [1, True]})
    assert [(each.rule, each.path) for each in found] == [
        (SPECS.value, ("mode",)),
        (SPECS.value, ("replicas",)),
        (SPECS.mistyped, ("words", 0)),
        (SPECS.mistyped, ("words", 1)),
        (SPECS.missing, ()),
    ]


def test_a_long_value_loses_its_tail() -> None:
    (line,) = told({"code": "x" * 300})
    assert "x" * 59 + "…" in line
    assert "x" * 60 not in line


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from([*SCHEMA["properties"], "tag", "do", "x"]), inner, max_size=4)
    ),
    max_leaves=8,
)


@given(JSON)
def test_what_is_refused_is_explained_and_nothing_else(data: Json) -> None:
    found = COMPILED.check(data)
    assert bool(found) is not COMPILED.accepts(data)
    assert all(each.message and "None" not in each.message for each in found)


@pytest.fixture
def schemas(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put other schemas in the place of the shipped ones."""
    caches = (schemafiles.list_schema_names, schemafiles.read_schema, compile_schema)
    for each in caches:
        each.cache_clear()
    monkeypatch.setattr(schemafiles, "find_schema_folder", lambda: tmp_path)
    yield tmp_path
    for each in caches:
        each.cache_clear()


def test_findings_point_into_the_spec(schemas: Path) -> None:
    (schemas / "thing.json").write_bytes(orjson.dumps(SCHEMA))
    origin = Origin("components/web/v1.0.0/component.yaml", ("parts", 0))
    found = check_against_schema("thing", {"mode": "managed", "nam": 1, "replicas": "x"}, origin)
    assert [(each.rule.id, str(each.origin)) for each in found] == [
        ("spec-value", f"{origin}/mode"),
        ("spec-type", f"{origin}/replicas"),
        ("spec-unknown-key", f"{origin}/nam"),
        ("spec-missing-key", f"{origin}"),
    ]


def test_schemas_may_refer_to_each_other(schemas: Path) -> None:
    (schemas / "parts").mkdir()
    other = {"$defs": {"tag": {"type": "string", "pattern": "^v", "x-expected": "a tag"}}}
    (schemas / "parts" / "other.json").write_bytes(orjson.dumps(other))
    thing = {"properties": {"tag": {"$ref": "parts/other.json#/$defs/tag"}}}
    (schemas / "thing.json").write_bytes(orjson.dumps(thing))
    (finding,) = check_against_schema("thing", {"tag": "1"}, Origin("x"))
    assert finding.message == 'found "1", expected a tag'


def test_a_schema_that_is_not_there_is_said(schemas: Path) -> None:
    (schemas / "thing.json").write_bytes(b"{}")
    assert schemafiles.list_schema_names() == ("thing",)
    with pytest.raises(KitgenError, match="there is no schema 'thin'"):
        schemafiles.read_schema("thin")


@rows(("count", "told"), [(1000, 1000), (1001, 1)])
def test_of_very_many_siblings_only_the_first_error_is_told(count: int, told: int) -> None:
    kinds = Shape({"type": "object", "additionalProperties": {"type": "integer"}})
    assert len(kinds.check({f"k{number}": "v" for number in range(count)})) == told


@rows("wrong", [0, 999, 1_000, 4_321, 19_999])
def test_of_a_long_list_among_choices_the_first_wrong_item_is_told(wrong: int) -> None:
    words: JsonObject = {"type": "array", "items": {"enum": ["a", "b"]}}
    choices = Shape({"properties": {"list": {"anyOf": [words, {"const": "all"}]}}}, rules=SPECS)
    items = ["a"] * 20_000
    assert choices.check({"list": items}) == []
    items[wrong] = "x"
    (found,) = choices.check({"list": items})
    assert found.path in (("list",), ("list", wrong))
    assert found.hint.endswith("only the first error is told")


def test_an_error_of_a_large_value_is_freed_without_a_collection() -> None:
    closed = Shape({"type": "object", "additionalProperties": False})
    gc.collect()
    gc.disable()
    try:
        assert closed.check({f"k{number}": "v" for number in range(2_000)})
        assert not any(isinstance(each, jsonschema_rs.ValidationError) for each in gc.get_objects())
    finally:
        gc.enable()
