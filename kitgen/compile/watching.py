"""Note what is read of a context, so that what was made of it can be used again where that is the same."""

from __future__ import annotations

from types import FunctionType, MethodType
from typing import Any, TypeAlias, cast

from kitgen.compile.context import Context
from kitgen.yamlio import Json

Reads: TypeAlias = dict[tuple[str, ...], Any]
"""The way to each value that was read, and the value."""
RECORDS = frozenset({"component", "part", "settings"})
"""Fields of a context of which only some is read; other values are noted as a whole."""


class _Watched:
    """Stands in for a record. Its methods run as they are, and what they read is noted as well."""

    __slots__ = ("_of", "_reads", "_way")

    def __init__(self, of: object, reads: Reads, way: tuple[str, ...] = ()) -> None:
        self._of, self._reads, self._way = of, reads, way

    def __getattr__(self, name: str) -> Any:
        own = getattr(type(self._of), name, None)
        if isinstance(own, FunctionType):
            return MethodType(own, self)
        if isinstance(own, property) and own.fget:
            return own.fget(self)
        way, value = (*self._way, name), getattr(self._of, name)
        if name in RECORDS and not self._way:
            return _Watched(value, self._reads, way)
        self._reads[way] = value
        return value

    def __getitem__(self, key: str) -> Json:
        value = self._of[key]  # type: ignore[index] # a part is asked for its sections
        self._reads[(*self._way, "[]", key)] = value
        return value


def watched(context: Context) -> tuple[Context, Reads]:
    """Return what stands in for a context, and what will have been read of it."""
    reads: Reads = {}
    return cast("Context", _Watched(context, reads)), reads


def unchanged(reads: Reads, context: Context) -> bool:
    """Tell whether all that was read of a context is the same in another one."""
    return all(_at(context, way) == value for way, value in reads.items())


def _at(context: Context, way: tuple[str, ...]) -> Any:
    found: Any = context
    for index, step in enumerate(way):
        if step == "[]":
            return found[way[index + 1]]
        found = getattr(found, step)
    return found
