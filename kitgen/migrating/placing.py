"""Put values at places of a new object, one after the other."""

from __future__ import annotations

from itertools import pairwise

from kitgen.findings import Path
from kitgen.yamlio import Json, JsonObject


class _Items(dict[int, Json]):
    """A list that is being filled, by the numbers that its items had."""


class _Fields(dict[str, Json]):
    """A mapping that is being filled; any other was given, and stays as it is."""


class Tray:
    """An object in the making."""

    def __init__(self) -> None:
        """Start with nothing."""
        self._root = _Fields()
        self.places: list[tuple[Path, Path]] = []
        """Where each value was put, and where it is from."""

    def put(self, place: Path, value: Json, source: Path) -> bool:
        """Put a value at a place; tell whether that was free, or has the same one."""
        above = self._above(place)
        if above is None:
            return False
        there = above.setdefault(place[-1], value)
        if there is not value and isinstance(there, _Fields) and isinstance(value, dict):
            return all(self.put((*place, key), item, (*source, key)) for key, item in value.items())
        self.places.append((place, source))
        return there is value or bool(there == value and type(there) is type(value))

    def open(self, place: Path, source: Path, *, item: bool = False) -> None:
        """Make an empty list at a place, or an empty item of one, unless there is something."""
        above = self._above(place)
        if above is not None and place[-1] not in above:
            above[place[-1]] = _Fields() if item else _Items()
            if item:
                self.places.append((place, source))

    def _above(self, place: Path) -> dict[Json, Json] | None:
        """Return what holds a place, made where it is missing; None if something else stands there."""
        here: dict[Json, Json] = self._root
        for step, below in pairwise(place):
            wanted = _Items if isinstance(below, int) else _Fields
            inner = here.setdefault(step, wanted())
            if wanted is _Fields and type(inner) is dict:
                # What was given stays as it is; which of two comes first must not matter.
                inner = here[step] = _Fields(inner)
            if type(inner) is not wanted:
                return None
            here = inner
        return here

    @property
    def content(self) -> JsonObject:
        """Return the object; items stand in their old order, without gaps."""
        made: JsonObject = _plain(self._root)
        return made


def _plain(value: Json) -> Json:
    if isinstance(value, _Items):
        return [_plain(value[number]) for number in sorted(value)]
    return {key: _plain(item) for key, item in value.items()} if isinstance(value, _Fields) else value
