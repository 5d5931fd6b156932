"""Which item of an object's list an item of a patch means: the one that has the same keys."""

from __future__ import annotations

from typing import TypeAlias

from kitgen.schema.wording import choice, shown
from kitgen.yamlio import Json

Values: TypeAlias = tuple[Json, ...]
"""What tells an item of a list from the others."""


def values_of(item: Json, keys: tuple[str, ...]) -> Values:
    """Return what tells an item from the others; a key that is not there is None."""
    found = (item.get(key) if isinstance(item, dict) else None for key in keys)
    return tuple(None if isinstance(each, dict | list) else each for each in found)


def said(item: Json, keys: tuple[str, ...]) -> int:
    """Count the keys that an item says; kustomize brings patched items to the front if none says two."""
    return sum(value is not None for value in values_of(item, keys))


def unkeyed(item: Json, keys: tuple[str, ...], known: list[Values], seen: set[Values]) -> str:
    """Say why it is not clear which item of the object an item of the patch means."""
    if not isinstance(item, dict):
        return f"found {shown(item, reveal=False)}, expected a mapping"
    values = values_of(item, keys)
    if values[0] is None:
        return f"found no {keys[0]!r} in the item"
    if values in seen:
        return f"found a second item with this {choice(list(keys), last='and')}"
    if known.count(values) > 1:
        return "found more than one such item in the object"
    for other in known if values not in known else ():
        pairs = list(zip(keys, values, other, strict=True))
        if values[0] == other[0] and all(mine == its or None in (mine, its) for _, mine, its in pairs):
            key, mine = next((key, mine) for key, mine, its in pairs if mine != its)
            return f"found no {key!r} in {'the item' if mine is None else 'the item of the object'}"
    return ""
