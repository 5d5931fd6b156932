"""Which item of an object's list an item of a patch means: the one that has the same keys."""

from __future__ import annotations

from collections.abc import Iterable
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


class Known:
    """What tells the items of an object's list apart, found without a look at every item."""

    def __init__(self, items: Iterable[Json], keys: tuple[str, ...]) -> None:
        """Take the items of the list."""
        self.places: dict[Values, list[int]] = {}
        self._alike: dict[Json, list[Values]] = {}
        self._vague: dict[Json, list[Values]] = {}
        for at, item in enumerate(items):
            values = values_of(item, keys)
            if values not in self.places:
                self._alike.setdefault(values[0], []).append(values)
                if None in values:
                    self._vague.setdefault(values[0], []).append(values)
            self.places.setdefault(values, []).append(at)

    def place(self, values: Values) -> int | None:
        """Return where the first item with the values stands, if one does."""
        return self.places[values][0] if values in self.places else None

    def others(self, values: Values) -> list[Values]:
        """Return what other items have that may mean the same, as one side lacks a key."""
        if values in self.places:
            return []
        return (self._alike if None in values else self._vague).get(values[0], [])


def unkeyed(item: Json, keys: tuple[str, ...], known: Known, seen: set[Values]) -> str:
    """Say why it is not clear which item of the object an item of the patch means."""
    if not isinstance(item, dict):
        return f"found {shown(item, reveal=False)}, expected a mapping"
    values = values_of(item, keys)
    if values[0] is None:
        return f"found no {keys[0]!r} in the item"
    if values in seen:
        return f"found a second item with this {choice(list(keys), last='and')}"
    if len(known.places.get(values, ())) > 1:
        return "found more than one such item in the object"
    for other in known.others(values):
        pairs = list(zip(keys, values, other, strict=True))
        if all(mine == its or None in (mine, its) for _, mine, its in pairs):
            key, mine = next((key, mine) for key, mine, its in pairs if mine != its)
            return f"found no {key!r} in {'the item' if mine is None else 'the item of the object'}"
    return ""
