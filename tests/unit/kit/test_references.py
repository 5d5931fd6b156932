"""Cycles are found wherever they are."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kitgen.kit.references import find_cycle

NAMES = st.sampled_from("abcdef")


@given(edges=st.dictionaries(NAMES, st.lists(NAMES, max_size=3)))
def test_a_found_cycle_is_one(edges: dict[str, list[str]]) -> None:
    cycle = find_cycle(edges)
    for name, following in zip(cycle, [*cycle[1:], *cycle[:1]], strict=True):
        assert following in edges[name]


@given(pairs=st.lists(st.tuples(NAMES, NAMES)))
def test_an_order_has_no_cycle(pairs: list[tuple[str, str]]) -> None:
    edges: dict[str, list[str]] = {}
    for one, other in pairs:
        if one < other:
            edges.setdefault(one, []).append(other)
    assert find_cycle(edges) == []


def test_a_cycle_of_one() -> None:
    assert find_cycle({"a": ["b"], "b": ["b"]}) == ["b"]


def test_a_long_chain_is_no_problem() -> None:
    edges = {f"{number:04}": [f"{number + 1:04}"] for number in range(300)}
    assert find_cycle(edges) == []
