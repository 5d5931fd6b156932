"""Read JSON values of any shape: what is missing or has another type is empty, never an error.

Schemas report wrong types. All later readers of foreign manifests use these functions.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import TypeVar

from kitgen.text.yaml import Json, JsonObject

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
COLLECTIONS = (dict, list)
"""What has values in it; to ask for `dict | list` makes a new type every time."""


def value_at(value: Json, *path: str | int) -> Json:
    """Return what is at a path, or None."""
    return _find_value(value, path)


def _find_value(value: Json, path: tuple[str | int, ...]) -> Json:
    for step in path:
        if isinstance(value, dict):
            value = value.get(step)
        elif isinstance(value, list) and isinstance(step, int) and -len(value) <= step < len(value):
            value = value[step]
        else:
            return None
    return value


def map_at(value: Json, *path: str | int) -> JsonObject:
    """Return the mapping at a path, or an empty one."""
    found = _find_value(value, path)
    return found if isinstance(found, dict) else {}


def list_at(value: Json, *path: str | int) -> list[Json]:
    """Return the list at a path, or an empty one."""
    found = _find_value(value, path)
    return found if isinstance(found, list) else []


def text_at(value: Json, *path: str | int) -> str:
    """Return the string at a path, or an empty one."""
    found = _find_value(value, path)
    return found if isinstance(found, str) else ""


def number_at(value: Json, *path: str | int) -> int | None:
    """Return the integer at a path, or None; a boolean is no number."""
    found = _find_value(value, path)
    return found if isinstance(found, int) and not isinstance(found, bool) else None


def texts_at(value: Json, *path: str | int) -> list[str]:
    """Return the strings of the list at a path."""
    found = _find_value(value, path)
    return [item for item in found if isinstance(item, str)] if isinstance(found, list) else []


def entries_at(value: Json, *path: str | int) -> list[tuple[int, JsonObject]]:
    """Return the mappings of the list at a path, with their indexes."""
    found = _find_value(value, path)
    if not found or not isinstance(found, list):
        return []
    return [(index, item) for index, item in enumerate(found) if isinstance(item, dict)]


def text_entries_at(value: Json, *path: str | int) -> list[tuple[int, str]]:
    """Return the strings of the list at a path, with their indexes."""
    return [(index, item) for index, item in enumerate(list_at(value, *path)) if isinstance(item, str)]


def group_pairs(pairs: Iterable[tuple[K, V]]) -> dict[K, list[V]]:
    """Return the values of each key, both in the order of the pairs."""
    found: dict[K, list[V]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return found
