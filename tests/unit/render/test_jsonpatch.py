"""Patches lead from the base's object to the target's, in few steps, each with its reason."""

from __future__ import annotations

import copy

from hypothesis import given
from hypothesis import strategies as st

from kitgen.findings import Origin
from kitgen.kube.manifest import FieldSource, Manifest
from kitgen.render.kustomize.json_patch import apply_operation
from kitgen.render.overlays.json_patch import build_operations
from kitgen.text.yaml import Json, JsonObject

KEYS = st.sampled_from(["a", "b", "name", "x/y", "t~z", "", "0", "-"])
LEAVES = st.one_of(st.none(), st.booleans(), st.integers(-2, 2), st.sampled_from(["", "a", "b", "1"]))
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(st.lists(inner, max_size=5), st.dictionaries(KEYS, inner, max_size=4)),
    max_leaves=12,
)
BODIES = st.dictionaries(KEYS, VALUES, max_size=4)


def manifest(body: JsonObject, *sources: FieldSource) -> Manifest:
    whole = FieldSource(path=(), cause="component", origin=Origin("c.yaml"))
    return Manifest(body=body, sources=(whole, *sources))


def patched(base: JsonObject, target: JsonObject) -> Json:
    body = copy.deepcopy(base)
    for operation in build_operations(manifest(base), manifest(target)):
        apply_operation(body, operation.data)
    return body


def same(one: Json, other: Json) -> bool:
    """Compare with types: 1 is not true, and the order of keys does not matter."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return type(one) is type(other) and one == other


@given(base=BODIES, target=BODIES)
def test_the_operations_lead_to_the_target(base: JsonObject, target: JsonObject) -> None:
    assert same(patched(base, target), target)


@given(body=BODIES)
def test_equal_objects_need_no_patch(body: JsonObject) -> None:
    assert build_operations(manifest(body), manifest(copy.deepcopy(body))) == []


@given(base=st.lists(LEAVES, max_size=6), target=st.lists(LEAVES, max_size=6))
def test_lists_of_plain_values(base: list[Json], target: list[Json]) -> None:
    assert same(patched({"list": base}, {"list": target}), {"list": target})


def test_a_patch_is_small() -> None:
    base = {"spec": {"containers": [{"name": "a", "image": "x:1", "args": ["1", "2"]}, {"name": "b"}]}}
    target = {"spec": {"containers": [{"name": "a", "image": "x:2", "args": ["1", "3"]}, {"name": "c"}]}}
    assert [operation.data for operation in build_operations(manifest(base), manifest(target))] == [
        {"op": "replace", "path": "/spec/containers/0/image", "value": "x:2"},
        {"op": "remove", "path": "/spec/containers/0/args/1"},
        {"op": "add", "path": "/spec/containers/0/args/-", "value": "3"},
        {"op": "remove", "path": "/spec/containers/1"},
        {"op": "add", "path": "/spec/containers/-", "value": {"name": "c"}},
    ]


def test_operations_say_who_asked_for_them() -> None:
    base = manifest(
        {"a": 1, "b": 1, "c": 1}, FieldSource(path=("c",), cause="feature c", origin=Origin("c.yaml"))
    )
    target = manifest(
        {"a": 2},
        FieldSource(path=("a",), cause="patch a", origin=Origin("t.yaml")),
        FieldSource(path=("b",), cause="patch b", origin=Origin("t.yaml")),
    )
    told = [(o.data["path"], o.sources[0].cause, o.undone) for o in build_operations(base, target)]
    assert told == [("/b", "patch b", False), ("/c", "feature c", True), ("/a", "patch a", False)]


def reasons(base: JsonObject, target: JsonObject, *paths: tuple[str | int, ...]) -> list[str]:
    sources = [FieldSource(path=path, cause=f"patch {path}", origin=Origin("t.yaml")) for path in paths]
    return [o.sources[0].cause for o in build_operations(manifest(base), manifest(target, *sources))]


def test_a_reason_may_stand_inside_or_above_what_differs() -> None:
    assert reasons({}, {"a": {"b": 1}}, ("a", "b")) == ["patch ('a', 'b')"]
    assert reasons({"a": {"b": 1}}, {"a": {"b": 2}}, ("a",)) == ["patch ('a',)"]


def test_an_item_that_a_patch_changed_is_told_of_twice() -> None:
    """It is removed and added, since lists of nameless items have no other way."""
    changed = reasons({"a": [{"b": 1}, {"b": 2}]}, {"a": [{"b": 1}, {"b": 3}]}, ("a", 1, "b"))
    assert changed == ["patch ('a', 1, 'b')"] * 2
