"""Places of a spec: its sections in the normal form, taken apart into values that are decided one by one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum

from kitgen.findings import Path
from kitgen.yamlio import Json, JsonObject

ITEMS = {
    ("accessRoles", "resources"): 3,
    ("crds",): 4,
    ("objects",): 2,
    ("patches",): 2,
}
"""Where things are that one layer says as a whole: how many steps lead to one."""
MOUNT = ("config", "mount")
"""What a layer says as a whole too, and another one may say instead."""
CONTAINER_ITEMS = frozenset({"ports", "env", "volumeMounts"})
REPLACED = frozenset({"config", "webhooks", "params", "accessRoles"})
"""Keys whose lists a later layer replaces."""


class Merging(Enum):
    """What becomes of a place that several layers say."""

    OVERRIDE = "the last one counts"
    EXTEND = "lists are put together"
    UNION = "all verbs are granted"
    EXCLUSIVE = "only one may say it"


def merging(path: Path, value: Json) -> Merging:
    """Return how layers come together at a place."""
    if is_permission(path):
        return Merging.UNION
    if _size(path) is not None and path[0] != "accessRoles":
        return Merging.OVERRIDE if path == MOUNT else Merging.EXCLUSIVE
    if isinstance(value, list) and path[0] not in REPLACED:
        return Merging.EXTEND
    return Merging.OVERRIDE


def is_permission(path: Path) -> bool:
    """Tell whether a place holds the verbs on one resource."""
    return len(path) == 4 and path[0] == "roles" and path[2] == "permissions"


def _size(path: Path) -> int | None:
    """Return how many steps lead to a thing that is said as a whole; None if the place is no such thing."""
    for start, size in ITEMS.items():
        if path[: len(start)] == start:
            return size
    match path:
        case ("deployment", "containers", _, step, _, *_) if step in CONTAINER_ITEMS:
            return 5
        case _ if path == MOUNT:
            return 2
    return None


def flatten(sections: Mapping[str, Json]) -> dict[Path, Json]:
    """Return every place of some sections with its value; mappings are gone into, but for whole things."""
    found: dict[Path, Json] = {}
    todo: list[tuple[Path, Json]] = [((key,), value) for key, value in reversed(list(sections.items()))]
    while todo:
        path, value = todo.pop()
        size = _size(path)
        if isinstance(value, dict) and value and (size is None or len(path) < size):
            todo += [((*path, key), inner) for key, inner in reversed(list(value.items()))]
        else:
            found[path] = value
    return found


def nested(places: Mapping[Path, Json]) -> dict[str, Json]:
    """Return the sections that some places are of."""
    made: dict[str, Json] = {}
    for path, value in places.items():
        at: JsonObject = made
        for step in path[:-1]:
            at = at.setdefault(str(step), {})
        at[str(path[-1])] = value
    return made


def highest(gone: Iterable[Path], left: Iterable[Path]) -> list[Path]:
    """Return what goes, as high up as nothing is left below it."""
    kept = {path[:size] for path in left for size in range(1, len(path) + 1)}
    found: dict[Path, None] = {}
    for path in gone:
        sizes = (size for size in range(1, len(path) + 1) if path[:size] not in kept)
        found[path[: next(sizes, len(path))]] = None
    return list(found)
