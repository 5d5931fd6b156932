from __future__ import annotations

from some import rows

from kitgen.crd.columns import find_json_path_fault
from kitgen.crd.structural import check, find_default_fault
from kitgen.text.yaml import Json, JsonObject

STRING = {"type": "string"}
EITHER: JsonObject = {"x-kubernetes-int-or-string": True, "anyOf": [{"type": "integer"}, STRING]}
LIST: JsonObject = {
    "type": "array",
    "items": {"type": "object", "properties": {"k": STRING}, "required": ["k"]},
}
FIELD: JsonObject = {"type": "object", "properties": {"a": STRING}}
MAP = {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"]}

GOOD: list[JsonObject] = [
    STRING,
    EITHER,
    {"type": "object"},
    {"x-kubernetes-preserve-unknown-fields": True},
    {"type": "object", "x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True},
    {**LIST, **MAP},
    {**LIST, "x-kubernetes-list-type": "atomic"},
    {**FIELD, "oneOf": [{"required": ["a"]}, {"properties": {"a": {"enum": ["x"]}}}]},
    {**FIELD, "not": {"required": ["a"]}, "anyOf": [{"not": {"required": ["a"]}}]},
    {"type": "string", "allOf": [{"maxLength": 3}, {"anyOf": [{"pattern": "a"}]}]},
    {"x-kubernetes-int-or-string": True, "allOf": [{"anyOf": EITHER["anyOf"]}, {"pattern": "a"}]},
    {"type": "array", "items": STRING, "anyOf": [{"items": {"maxLength": 3}}]},
    {"type": "string", "x-kubernetes-validations": [{"rule": "self != ''"}]},
    {"type": "string", "x-go-name": "Foreign"},
    # To the API server these mean nothing beside such a type, and it takes them.
    {"type": "object", "items": STRING},
    {"type": "string", "properties": {"a": STRING}},
    {"type": "array", "items": STRING, "additionalProperties": STRING},
    {**FIELD, "additionalProperties": True},
    {"type": "object", "properties": {}, "additionalProperties": STRING},
]  # fmt: skip
BAD: list[tuple[JsonObject, str]] = [
    ({}, ""),
    ({"type": "null"}, "type"),
    ({"type": ["string"]}, "type"),
    ({**EITHER, "type": "string"}, "type"),
    ({"type": "array"}, ""),
    ({"type": "array", "items": [STRING]}, ""),
    ({**FIELD, "additionalProperties": STRING}, "additionalProperties"),
    ({**FIELD, "additionalProperties": False}, "additionalProperties"),
    ({"type": "object", "additionalProperties": False}, "additionalProperties"),
    ({"type": "object", "$ref": "x"}, "$ref"),
    ({"type": "array", "items": STRING, "uniqueItems": True}, "uniqueItems"),
    ({"type": "string", "x-kubernetes-list-type": "set"}, "x-kubernetes-list-type"),
    ({**LIST, "x-kubernetes-list-type": "sack"}, "x-kubernetes-list-type"),
    ({**LIST, "x-kubernetes-list-type": "map"}, "x-kubernetes-list-type"),
    ({**LIST, "x-kubernetes-list-map-keys": ["k"]}, "x-kubernetes-list-map-keys"),
    ({**LIST, **MAP, "x-kubernetes-list-map-keys": ["q"]}, "x-kubernetes-list-map-keys/0"),
    ({**LIST, **MAP, "items": {**FIELD, "properties": {"k": STRING}}}, "x-kubernetes-list-map-keys/0"),
    ({"type": "object", "x-kubernetes-map-type": "odd"}, "x-kubernetes-map-type"),
    ({"type": "string", "x-kubernetes-map-type": "atomic"}, "x-kubernetes-map-type"),
    ({"type": "string", "x-kubernetes-embedded-resource": True}, "x-kubernetes-embedded-resource"),
    ({**FIELD, "x-kubernetes-preserve-unknown-fields": False}, "x-kubernetes-preserve-unknown-fields"),
    ({"type": "string", "x-kubernetes-validations": [{"message": "x"}]}, "x-kubernetes-validations/0"),
    ({"type": "string", "nullable": "yes"}, "nullable"),
    ({"type": "string", "x-kubernetes-listtype": "set"}, "x-kubernetes-listtype"),
    ({"type": "string", "pattren": "x"}, "pattren"),
    ({"type": "string", "maxLength": -1}, "maxLength"),
    ({"type": "object", "required": "a"}, "required"),
    ({"type": "string", "anyOf": [STRING]}, "anyOf/0/type"),
    ({"type": "string", "not": {"default": 1}}, "not/default"),
    ({**EITHER, "anyOf": [STRING]}, "anyOf/0/type"),
    ({**EITHER, "allOf": [{"maxLength": 3}, {"anyOf": [STRING]}]}, "allOf/1/anyOf/0/type"),
    ({**FIELD, "anyOf": [{"properties": {"a": {"anyOf": [STRING]}}}]}, "anyOf/0/properties/a/anyOf/0/type"),
    ({"type": "string", "not": 5}, "not"),
    ({"type": "string", "anyOf": 5}, "anyOf"),
    ({**FIELD, "oneOf": [{"properties": {"b": {}}}]}, "oneOf/0/properties/b"),
]  # fmt: skip


@rows("schema", GOOD)
def test_structural_schemas_pass(schema: JsonObject) -> None:
    assert list(check(schema)) == []


@rows(("schema", "path"), BAD)
def test_what_is_not_structural_is_found(schema: JsonObject, path: str) -> None:
    assert path in {"/".join(map(str, fault.path)) for fault in check(schema)}


FIELDS: JsonObject = {
    "type": "object",
    "properties": {
        "list": {"type": "array", "items": {"type": "object", "properties": {"name": STRING}}},
        "map": {"type": "object", "additionalProperties": STRING},
        "open": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
        "a.b": STRING,
    },
}


@rows("path", [
        ".list[0].name", ".list[*].name", '.list[?(@.name=="x")].name', ".list[?(@.a==')]')].name",
        ".map.any", ".open.a.b.c", r".a\.b", "['a.b']", ".metadata.creationTimestamp", ".metadata.labels.x",
        "{.map.x}", "map.x", "..name", ".*", ".list[-1:].name", ".list.name", ".metadata",
        r".metadata.labels['a\.b/c']",
    ])  # fmt: skip
def test_paths_that_lead_somewhere(path: str) -> None:
    assert find_json_path_fault(FIELDS, path) == ""


@rows("path", [".lost", ".list[0].lost", ".map[0]", ".list[0].name.more", ".metadata.lost", ".a.b", ".list["])
def test_paths_that_lead_nowhere(path: str) -> None:
    if path == ".map[0]":
        assert find_json_path_fault({"type": "object", "properties": {"map": {"type": "object"}}}, path)
    else:
        assert find_json_path_fault(FIELDS, path)


@rows(
    ("schema", "right", "wrong"),
    [
        (STRING, "x", 5),
        ({"type": "integer"}, 5, True),
        ({"type": "boolean"}, True, "true"),
        ({"type": "number"}, 5, "5"),
        ({"type": "string", "enum": ["a"]}, "a", "b"),
        ({"type": "string", "nullable": True}, None, 5),
        (STRING, "", None),
        ({"type": "string", "pattern": "^(?i)[a-z]$"}, "Q", "5"),
        ({"type": "integer", "minimum": 1}, 1, 0),
        ({"type": "integer"}, 2**63 - 1, 2**63),
        ({"type": "string", "format": "date-time"}, "2024-01-31T12:00:00Z", "today"),
        ({"type": "number", "minimum": 1, "exclusiveMinimum": True}, 2, 1),
        (EITHER, 5, []),
        ({"type": "array", "items": STRING}, ["a"], [5]),
        ({"type": "object", "properties": {"a": STRING}, "required": ["a"]}, {"a": "x"}, {}),
        ({"type": "object", "properties": {"a": STRING}}, {}, {"b": 1}),
        ({"type": "object", "properties": {"a": {**STRING, "default": "x"}}, "required": ["a"]}, {}, []),
        ({"type": "object", "additionalProperties": STRING}, {"a": "x"}, {"a": 1}),
        ({"type": "object", "x-kubernetes-preserve-unknown-fields": True, "properties": {}}, {"b": 1}, 7),
        ({"type": "string", "anyOf": [{"maxLength": 1}, {"pattern": "^long$"}]}, "long", "longer"),
        ({"type": "string", "not": {"enum": ["x"]}}, "y", "x"),
    ],
)
def test_defaults_fit_their_schema(schema: JsonObject, right: Json, wrong: Json) -> None:
    assert find_default_fault({**schema, "default": right}) == ""
    assert find_default_fault({**schema, "default": wrong})


def test_a_default_is_not_held_against_a_schema_that_is_none() -> None:
    assert find_default_fault({"type": ["string"], "minimum": "x", "default": 5}) == ""
    items = {"type": "array", "items": {"type": "integer", "minimum": "x"}}
    assert find_default_fault({**items, "default": [5]}) == ""


def test_a_pattern_of_go_alone_is_no_reason_to_refuse_a_default() -> None:
    assert find_default_fault({"type": "string", "pattern": r"\Qa.b\E(?<", "default": "x"}) == ""
