"""Which minors need a look, and why the others do not."""

from __future__ import annotations

import pytest

from kitgen.check.schemas import catalog
from kitgen.kubernetes import Kind, kinds
from kitgen.yamlio import JsonObject

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
    assert catalog._accepts(old, new)


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
    assert not catalog._accepts(old, new)


def test_most_kinds_need_one_look_for_all_minors() -> None:
    role = kinds(27)[Kind("rbac.authorization.k8s.io", "v1", "ClusterRole")]
    assert catalog.decisive(role, (27, 28, 29, 30, 31, 32)) == (27,)


def test_a_minor_that_lost_a_field_needs_its_own_look() -> None:
    policy = kinds(27)[Kind("networking.k8s.io", "v1", "NetworkPolicy")]
    assert catalog.decisive(policy, (27, 28, 29)) == (27, 28)


def test_a_closure_holds_what_a_kind_leads_to() -> None:
    name = kinds(30)[Kind("apps", "v1", "Deployment")]
    assert {name, "io.k8s.api.core.v1.Probe", catalog.METADATA} <= catalog.closure_of(name, 30)
    assert "io.k8s.api.core.v1.Node" not in catalog.closure_of(name, 30)
