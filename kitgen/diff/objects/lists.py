"""Compare lists: items are matched by their keys; where the order counts, another order is a difference."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from kitgen.diff.objects.difference import ABSENT, Found
from kitgen.diff.objects.spot import Spot, Told
from kitgen.schema.wording import text_of
from kitgen.yamlio import Json

UNORDERED = {
    "webhooks": ("name",),
    "volumes": ("name",),
    "volumeMounts": ("mountPath", "subPath"),
    "ports": ("name", "containerPort", "port", "protocol"),
    "imagePullSecrets": ("name",),
}
"""Lists whose order means nothing, whatever the kind, and what tells their items apart."""
UNSAID = {"protocol": "TCP"}
"""What a key is where an item does not say it."""
NAMED = ("name",)
Below = tuple[Found, Found, Spot]
Key = tuple[str, ...]
"""The values that tell an item from others."""


def compare_lists(left: list[Json], right: list[Json], spot: Spot) -> Iterator[Told | Below]:
    """Yield what is different about the lists themselves, and the items that are to be compared."""
    items = all(isinstance(each, dict) for each in (*left, *right))
    fields = UNORDERED.get(str(spot.step)) if items and not spot.name and not spot.plain else None
    if fields:
        yield from _matched(left, right, spot, fields)
    elif items and (fields := _fields(left, right, spot)):
        yield from _matched(left, right, spot, fields)
        mine, other = ([_key(item, fields) for item in side] for side in (left, right))
        common = set(mine) & set(other)
        had, has = ([key for key in keys if key in common] for keys in (mine, other))
        if had != has:
            yield Told(spot, _names(had), _names(has), order=True)
    elif len(left) == len(right) and any(isinstance(each, dict | list) for each in (*left, *right)):
        yield from ((a, b, spot.item(i, str(i))) for i, (a, b) in enumerate(zip(left, right, strict=True)))
    elif left != right or list(map(type, left)) != list(map(type, right)):
        yield Told(spot, left, right, order=_is_order(left, right))


def _fields(left: list[Any], right: list[Any], spot: Spot) -> tuple[str, ...]:
    """Return what tells the items apart: what Kubernetes says, or a name; nothing if it is not unique."""
    fields = (spot.type.keys if spot.type else None) or NAMED
    for side in (left, right):
        if len({_key(item, fields) for item in side}) < len(side):
            return ()
        if not all(isinstance(item.get(fields[0]), str | int) for item in side):
            return ()
    return fields


def _key(item: Any, fields: tuple[str, ...]) -> Key:
    return tuple(text_of(item.get(field, UNSAID.get(field, ""))) for field in fields)


def _names(keys: list[Key]) -> list[Json]:
    return ["/".join(filter(None, key)) for key in keys]


def _matched(
    left: list[Any], right: list[Any], spot: Spot, fields: tuple[str, ...]
) -> Iterator[Told | Below]:
    """Yield the items that both have, and those that one of them has."""
    here, there = _numbered(left, fields), _numbered(right, fields)
    first = Counter(next(filter(None, key), "") for key in {key for key, _ in (*here, *there)})
    for each in dict.fromkeys((*here, *there)):
        index = here.get(each, -1)
        a: Found = left[index] if each in here else ABSENT
        b: Found = right[there[each]] if each in there else ABSENT
        if a is not b:
            # A port goes by its name, or else by its number, if that is enough.
            item: Any = b if a is ABSENT else a
            said = [text_of(item[field]) for field in fields if item.get(field, "") != ""]
            name = said[0] if said and first[said[0]] == 1 else "/".join(said)
            yield a, b, spot.item(index, name or str(max(index, 0)))


def _numbered(items: list[Any], fields: tuple[str, ...]) -> dict[tuple[Key, int], int]:
    """Return the index of each item by its key; those of one key are counted."""
    seen: Counter[Key] = Counter()
    found = {}
    for index, item in enumerate(items):
        key = _key(item, fields)
        found[key, seen[key]] = index
        seen[key] += 1
    return found


def _is_order(left: list[Json], right: list[Json]) -> bool:
    return len(left) == len(right) and sorted(map(repr, left)) == sorted(map(repr, right))
