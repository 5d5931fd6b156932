"""Compare lists: items are matched by their keys; where the order counts, another order is a difference."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from kitgen.diff.objects.difference import ABSENT, Found
from kitgen.diff.objects.spot import Spot, Told
from kitgen.yamlio import Json

UNORDERED = {
    "webhooks": ("name",),
    "volumes": ("name",),
    "volumeMounts": ("mountPath", "subPath"),
    "ports": ("name", "containerPort", "port", "protocol"),
    "imagePullSecrets": ("name",),
}
"""Lists whose order means nothing, whatever the kind, and what tells their items apart."""
NAMED = ("name",)
Below = tuple[Found, Found, Spot]


def compare_lists(left: list[Json], right: list[Json], spot: Spot) -> Iterator[Told | Below]:
    """Yield what is different about the lists themselves, and the items that are to be compared."""
    items = all(isinstance(each, dict) for each in (*left, *right))
    fields = UNORDERED.get(str(spot.step)) if items and not spot.name else None
    if fields:
        yield from _matched(left, right, spot, fields, ordered=False)
    elif items and (keys := _keys(left, right, spot)):
        yield from _matched(left, right, spot, keys, ordered=True)
    elif len(left) == len(right) and any(isinstance(each, dict | list) for each in (*left, *right)):
        yield from ((a, b, spot.item(i, str(i))) for i, (a, b) in enumerate(zip(left, right, strict=True)))
    elif left != right or list(map(type, left)) != list(map(type, right)):
        yield Told(spot, left, right, order=_is_order(left, right))


def _keys(left: list[Any], right: list[Any], spot: Spot) -> tuple[str, ...]:
    """Return what tells the items apart: what Kubernetes says, or a name; nothing if it is not unique."""
    keys = (spot.type.keys if spot.type else None) or NAMED
    for side in (left, right):
        if len({_named(item, keys) for item in side}) < len(side):
            return ()
        if not all(isinstance(item.get(keys[0]), str | int) for item in side):
            return ()
    return keys


def _named(item: Any, keys: tuple[str, ...]) -> str:
    """Return what an item is called among the others."""
    return "/".join(str(item[key]) for key in keys if item.get(key) not in (None, ""))


def _short(item: Any, keys: tuple[str, ...]) -> str:
    """Return what an item is called if that is enough: a port goes by its name, or else its number."""
    return next((str(item[key]) for key in keys if item.get(key) not in (None, "")), "")


def _matched(
    left: list[Any], right: list[Any], spot: Spot, keys: tuple[str, ...], *, ordered: bool
) -> Iterator[Told | Below]:
    """Yield the items that both have, those that one of them has, and whether the order is another one."""
    name_of = _short
    if any(len({_short(item, keys) for item in side}) < len(side) for side in (left, right)):
        name_of = _named
    mine, other = ([name_of(item, keys) for item in side] for side in (left, right))
    here, there = _numbered(mine), _numbered(other)
    for name in dict.fromkeys((*here, *there)):
        index = here.get(name, -1)
        a: Found = left[index] if name in here else ABSENT
        b: Found = right[there[name]] if name in there else ABSENT
        if a is not b:
            yield a, b, spot.item(index, name[0])
    if ordered:
        kept = [[name for name in names if name in mine and name in other] for names in (mine, other)]
        if kept[0] != kept[1]:
            yield Told(spot, kept[0], kept[1], order=True)


def _numbered(names: list[str]) -> dict[tuple[str, int], int]:
    """Return the index of each item by its name; those of one name are counted."""
    seen: Counter[str] = Counter()
    found = {}
    for index, name in enumerate(names):
        found[name, seen[name]] = index
        seen[name] += 1
    return found


def _is_order(left: list[Json], right: list[Json]) -> bool:
    return len(left) == len(right) and sorted(map(repr, left)) == sorted(map(repr, right))
