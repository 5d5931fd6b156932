"""Layers fold into one value, and each part knows the layer that set it."""

from __future__ import annotations

import copy
import time

from hypothesis import given
from hypothesis import strategies as st

from kitgen.findings import Origin
from kitgen.kit.model import Layer
from kitgen.kube.manifest import existing_value
from kitgen.render.layers import merge_layers
from kitgen.text.yaml import Json, JsonObject

LEAVES = st.one_of(st.booleans(), st.integers(0, 3), st.sampled_from(["x", "y"]))
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(st.lists(LEAVES, max_size=3), st.dictionaries(st.sampled_from("abc"), inner)),
    max_leaves=8,
)
DATA = st.dictionaries(st.sampled_from("abc"), VALUES, max_size=3)


def layers(*data: JsonObject) -> tuple[Layer, ...]:
    return tuple(
        Layer(data=each, origin=Origin(f"{number}.yaml"), why=f"layer {number}")
        for number, each in enumerate(data)
    )


def leaves(value: Json, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    if isinstance(value, dict):
        return [leaf for key, item in value.items() for leaf in leaves(item, (*path, key))]
    return [path]


@given(data=DATA)
def test_one_layer_is_itself(data: JsonObject) -> None:
    assert merge_layers(layers(data)).data == data


@given(first=DATA, second=DATA)
def test_the_last_layer_wins(first: JsonObject, second: JsonObject) -> None:
    got = merge_layers(layers(first, second), extend=False).data
    for path in leaves(second):
        value = existing_value(second, path)
        if value != {}:
            assert existing_value(got, path) == value


@given(first=DATA, second=DATA, third=DATA)
def test_folding_is_associative(first: JsonObject, second: JsonObject, third: JsonObject) -> None:
    for extend in (True, False):
        at_once = merge_layers(layers(first, second, third), extend=extend).data
        by_steps = merge_layers(
            layers(merge_layers(layers(first, second), extend=extend).data, third), extend=extend
        ).data
        assert at_once == by_steps


@given(first=DATA, second=DATA)
def test_layers_are_left_as_they_are(first: JsonObject, second: JsonObject) -> None:
    given_first, given_second = copy.deepcopy(first), copy.deepcopy(second)
    merge_layers(layers(first, second))
    assert (first, second) == (given_first, given_second)


@given(first=DATA, second=DATA)
def test_every_leaf_is_led_back_to_its_layer(first: JsonObject, second: JsonObject) -> None:
    folded = merge_layers(layers(first, second), extend=False)
    for path in leaves(folded.data):
        touch = folded.touch_at(path)
        assert existing_value(touch.layer.data, touch.within) == existing_value(folded.data, path)


def test_lists_extend_or_are_replaced() -> None:
    both = layers({"a": [1]}, {"a": [2]})
    assert merge_layers(both).data == {"a": [1, 2]}
    assert merge_layers(both, extend=False).data == {"a": [2]}
    touch = merge_layers(both).touch_at(("a", 1))
    assert (touch.layer.why, touch.within) == ("layer 1", ("a", 0))


def test_who_set_many_values_is_found_in_linear_time() -> None:
    folded = merge_layers(layers({"a": {str(number): {"b": 1} for number in range(10_000)}}))
    before = time.process_time()
    assert all(folded.touch_at(("a", str(number), "b")).layer.why == "layer 0" for number in range(10_000))
    assert time.process_time() - before < 2
