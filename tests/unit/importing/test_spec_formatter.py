"""Specs that an import writes are read back as they were meant, whatever a stranger's keys are."""

from __future__ import annotations

import yaml
from hypothesis import given
from hypothesis import strategies as st
from some import rows

from kitgen.importing.spec_formatter import render_spec
from kitgen.text.yaml import Json, read_yaml

LONG = ("k" * 1100, "é" * 2000, '"' * 600, "a b " * 400, "k\n" * 400)
KEYS = st.one_of(st.text(max_size=12), st.sampled_from(["images", "patches", "on", "1", "a: b", *LONG]))
LEAVES = st.one_of(st.none(), st.booleans(), st.integers(-(10**15), 10**15), st.text(max_size=40))
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(KEYS, inner, max_size=4)),
    max_leaves=20,
)


@given(st.dictionaries(KEYS, VALUES, min_size=1))
def test_every_reader_takes_back_what_is_written(data: dict[str, Json]) -> None:
    text = render_spec({"crds": data}, "component.json")  # in which nothing is computed
    assert read_yaml(text) == yaml.safe_load(text) == {"crds": data}


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
        for data in ({key: value}, {"objects": {key: value}}, {"a": [{key: value, "b": 1}]}):
            text = render_spec(data, "component.json")
            assert read_yaml(text) == yaml.safe_load(text) == data
