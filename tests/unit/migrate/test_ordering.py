"""Owners come first, and everything else stays where it is."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kitgen.migrate.resources.stream import sort_by_owners


def test_owners_first() -> None:
    assert list(sort_by_owners(4, {})) == [0, 1, 2, 3]
    assert list(sort_by_owners(4, {0: [2], 2: [3]})) == [3, 2, 0, 1]


def test_a_long_chain_and_a_circle() -> None:
    count = 50_000
    chain = {number: [number + 1] for number in range(count - 1)}
    assert list(sort_by_owners(count, chain)) == list(reversed(range(count)))
    assert sorted(sort_by_owners(3, {0: [1], 1: [2], 2: [0]})) == [0, 1, 2]
    assert list(sort_by_owners(1, {0: [0]})) == [0]


@given(st.dictionaries(st.integers(0, 9), st.lists(st.integers(0, 9), max_size=3)))
def test_each_once_and_in_order_the_second_time(owners: dict[int, list[int]]) -> None:
    order = list(sort_by_owners(10, owners))
    assert sorted(order) == list(range(10))
    place = {number: at for at, number in enumerate(order)}
    if all(place[above] < place[each] for each, some in owners.items() for above in some):
        again = {place[each]: [place[above] for above in some] for each, some in owners.items()}
        assert list(sort_by_owners(10, again)) == list(range(10))
