"""Which minors need a look, and why the others do not."""

from __future__ import annotations

import pytest

from kitgen.check.schemas import builtin, catalog
from kitgen.kube.definitions import Kind, definition_texts, get_definition, list_kinds, list_minors
from kitgen.text.yaml import JsonObject

CLOSED = {"type": "object", "additionalProperties": False}


def field(schema: JsonObject) -> JsonObject:
    return {**CLOSED, "properties": {"a": schema}}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"type": "string", "description": "old"}, {"type": "string", "description": "new"}),
        (field({}), {**CLOSED, "properties": {"a": {}, "b": {}}}),
        ({**field({}), "required": ["a"]}, field({})),
        (
            {"type": "array", "items": field({})},
            {"type": "array", "items": {**CLOSED, "properties": {"a": {}, "b": {}}}},
        ),
        ({"type": "object", "x-kubernetes-map-type": "atomic"}, {"type": "object"}),
    ],
)
def test_growth_is_seen(old: JsonObject, new: JsonObject) -> None:
    assert catalog.is_compatible_schema(old, new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"type": "string"}, {"type": "integer"}),
        (field({}), CLOSED),
        (field({}), {**field({}), "required": ["a"]}),
        (field({"type": "string"}), field({"type": "integer"})),
        ({"type": "object"}, {"type": "object", "properties": {"a": {"type": "string"}}}),
        ({"type": "object"}, CLOSED),
        ({"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}),
        ({"type": "string"}, {"type": "string", "enum": ["a"]}),
        ({"type": "array", "items": {"type": "string"}}, {"type": "array", "items": {"type": "integer"}}),
    ],
)
def test_anything_else_needs_a_look(old: JsonObject, new: JsonObject) -> None:
    assert not catalog.is_compatible_schema(old, new)


def decisive(kind: Kind, body: JsonObject, some: tuple[int, ...]) -> list[int]:
    return list(catalog.select_decisive_minors(list_kinds(some[0])[kind], body, some))


def test_most_kinds_need_one_look_for_all_minors() -> None:
    role = Kind("rbac.authorization.k8s.io", "v1", "ClusterRole")
    assert decisive(role, {"rules": []}, (27, 28, 29, 30, 31, 32)) == [27]


def test_a_minor_that_lost_a_field_needs_its_own_look() -> None:
    policy = Kind("networking.k8s.io", "v1", "NetworkPolicy")
    assert decisive(policy, {"spec": {}}, (27, 28, 29)) == [27, 28]


def in_pod(spec: JsonObject) -> JsonObject:
    return {"spec": {"template": {"spec": {"containers": [{"name": "a"}], **spec}}}}


@pytest.mark.parametrize(
    ("spec", "looks"),
    [
        ({}, [28]),
        ({"volumes": [{"name": "a", "emptyDir": {}}]}, [28]),
        ({"volumes": [{"name": "a", "ephemeral": {"volumeClaimTemplate": {"spec": {}}}}]}, [28, 29]),
        ({"hostAliases": []}, [28]),
        ({"hostAliases": [{"hostnames": ["a"]}]}, [28, 31]),
    ],
)
def test_what_an_object_has_nothing_of_needs_no_look(spec: JsonObject, looks: list[int]) -> None:
    assert decisive(Kind("apps", "v1", "Deployment"), in_pod(spec), (28, 29, 30, 31, 32)) == looks


def test_what_a_newer_minor_refuses_is_found() -> None:
    name, body = "io.k8s.api.core.v1.PodSpec", {"containers": [{"name": "a"}], "hostAliases": [{}]}
    some = (28, 29, 30, 31, 32)
    refusing = [minor for minor in some if not catalog.compile_definition(name, minor).accepts(body)]
    assert refusing == [31, 32]
    assert [each.message for each in builtin.check_against_definition(name, body, some, reveal=True)]


def test_forms_that_are_known_say_what_a_comparison_of_definitions_says(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pairs = [(each, old, new) for old, new in ((27, 28), (28, 37)) for each in definition_texts(old)]
    known = [catalog._is_compatible_definition(*pair) for pair in pairs]
    assert not all(known)
    monkeypatch.setattr(catalog, "list_forms", definition_texts)
    assert [catalog._is_compatible_definition(*pair) for pair in pairs] == known


def test_minors_with_a_definition_alike_share_it_compiled() -> None:
    role, pod = ("io.k8s.api.rbac.v1.ClusterRole", "io.k8s.api.core.v1.PodSpec")
    assert catalog.compile_definition(role, 27) is catalog.compile_definition(role, 29)
    assert catalog.compile_definition(pod, 27) is not catalog.compile_definition(pod, 29)


def test_definitions_lead_to_others_by_fields_and_items_alone() -> None:
    def led(schema: JsonObject) -> set[str]:
        if "$ref" in schema:
            return {str(schema["$ref"]).removeprefix(catalog.REFERENCE)}
        inner = [
            *schema.get("properties", {}).values(),
            schema.get("items"),
            schema.get("additionalProperties"),
        ]
        return set().union(*(led(each) for each in inner if isinstance(each, dict)))

    for minor in list_minors():
        for name, text in definition_texts(minor).items():
            assert led(get_definition(name, minor)) == catalog._find_references(text), name


def test_a_closure_holds_what_a_kind_leads_to() -> None:
    name = list_kinds(30)[Kind("apps", "v1", "Deployment")]
    assert {name, "io.k8s.api.core.v1.Probe", catalog.METADATA} <= catalog.closure_of(name, 30)
    assert "io.k8s.api.core.v1.Node" not in catalog.closure_of(name, 30)
