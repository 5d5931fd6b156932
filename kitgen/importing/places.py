"""Places of a spec: values of its sections' normal forms, decided one by one, and their owners."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum
from itertools import count
from typing import TypeAlias, TypeVar

from msgspec import Struct, field

from kitgen.compare.objects.difference import ABSENT, AbsentValue
from kitgen.findings import Path
from kitgen.text.yaml import Json, JsonObject

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


def merging_for(path: Path, value: Json) -> Merging:
    """Return how layers come together at a place."""
    if is_permission(path):
        return Merging.UNION
    if _item_depth_of(path) is not None and path[0] != "accessRoles":
        return Merging.OVERRIDE if path == MOUNT else Merging.EXCLUSIVE
    if isinstance(value, list) and path[0] not in REPLACED:
        return Merging.EXTEND
    return Merging.OVERRIDE


def is_permission(path: Path) -> bool:
    """Return whether a place holds the verbs on one resource."""
    return len(path) == 4 and path[0] == "roles" and path[2] == "permissions"


def parse_verbs(value: Value) -> set[str]:
    """Return the verbs that a place says."""
    return set(value.split()) if isinstance(value, str) else set()


def format_verbs(verbs: Iterable[str]) -> str:
    """Return verbs as a place says them."""
    return " ".join(sorted(verbs))


def _item_depth_of(path: Path) -> int | None:
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


def flatten_sections(sections: Mapping[str, Json]) -> dict[Path, Json]:
    """Return every place of some sections with its value; mappings are gone into, but for whole things."""
    found: dict[Path, Json] = {}
    todo: list[tuple[Path, Json]] = [((key,), value) for key, value in reversed(list(sections.items()))]
    while todo:
        path, value = todo.pop()
        size = _item_depth_of(path)
        if isinstance(value, dict) and value and (size is None or len(path) < size):
            todo += [((*path, key), inner) for key, inner in reversed(list(value.items()))]
        else:
            found[path] = value
    return found


def nest_places(places: Mapping[Path, Json]) -> dict[str, Json]:
    """Return the sections that some places are of."""
    made: dict[str, Json] = {}
    for path, value in places.items():
        set_nested_value(made, path, value)
    return made


def set_nested_value(made: JsonObject, path: Path, value: Json) -> None:
    """Set a value of nested mappings; those on the way to it are made."""
    for step in path[:-1]:
        made = made.setdefault(str(step), {})
    made[str(path[-1])] = value


def find_topmost_paths(gone: Iterable[Path], left: Iterable[Path]) -> list[Path]:
    """Return what goes, as high up as nothing is left below it."""
    kept = {path[:size] for path in left for size in range(1, len(path) + 1)}
    above = ((path, (path[:size] for size in range(1, len(path) + 1))) for path in gone)
    return list(dict.fromkeys(next((some for some in way if some not in kept), path) for path, way in above))


Group: TypeAlias = frozenset[str]
"""Trees that a new feature is for, each by its target; empty for the component by itself."""
Owner: TypeAlias = str | Group
"""The component is the empty name, a feature goes by its own; a new one by its trees."""
Value: TypeAlias = Json | AbsentValue
COMPONENT = ""
T = TypeVar("T")


def distinct(values: Iterable[T]) -> list[T]:
    """Return values of any kind, each once, in their order."""
    found: list[T] = []
    for value in values:
        if value not in found:
            found.append(value)
    return found


def reserve_name(name: str, taken: set[str]) -> str:
    """Return a name, with a number if it is taken; then it is taken too."""
    ways = (name if number == 1 else f"{name}-{number}" for number in count(1))
    found = next(each for each in ways if each not in taken)
    taken.add(found)
    return found


class OwnerEdit(Struct, frozen=True, kw_only=True):
    """What an owner says now, and no longer says."""

    new: dict[Path, Json] = field(default_factory=dict)
    gone: dict[Path, None] = field(default_factory=dict)


class Solution(Struct, frozen=True, kw_only=True):
    """All edits, and what targets are denied."""

    own: Mapping[Path, Json] = field(default_factory=dict)
    """What the component says in the older spec."""
    edits: dict[Owner, OwnerEdit] = field(default_factory=dict)
    withheld: dict[str, dict[Path, Json]] = field(default_factory=dict)
    """Target → permissions that the component grants and the target does not have."""
    kept: dict[str, dict[Path, Json]] = field(default_factory=dict)
    """Target → permissions for objects with a name that it has instead of those."""
    switched: dict[str, dict[str, bool]] = field(default_factory=dict)
    """Target → features of the older spec that it turns on, since they say what it wants by now."""

    def set_value(self, owner: Owner, path: Path, value: Json) -> None:
        """Note that an owner says something."""
        self.edits.setdefault(owner, OwnerEdit()).new[path] = value

    def is_default_feature(self, owner: Owner) -> bool:
        """Return whether a new feature is on by itself: all it says, the component or its own tree says.

        What only some trees still have of the component, targets without a tree keep.
        """
        if isinstance(owner, str):
            return False
        gone = self.edits[COMPONENT].gone if COMPONENT in self.edits else {}
        new = self.edits[owner].new.items()
        return COMPONENT in owner or all(path in gone and self.own.get(path) == value for path, value in new)

    def drop_value(self, owner: Owner, path: Path) -> None:
        """Note that an owner says something no longer."""
        self.edits.setdefault(owner, OwnerEdit()).gone[path] = None


class SpecPlace(Struct, frozen=True, kw_only=True):
    """One place over all trees."""

    path: Path
    wanted: dict[str, Value]
    said: dict[str, list[tuple[str, Json]]]
    on: Mapping[str, Group]

    @property
    def trees(self) -> Group:
        """Return all trees."""
        return frozenset(self.wanted)

    @property
    def owners(self) -> dict[str, Json]:
        """Return who says the place in an older spec, and what."""
        return {owner: value for some in self.said.values() for owner, value in some}

    @property
    def features(self) -> list[str]:
        """Return the features that say the place in an older spec."""
        return [owner for owner in self.owners if owner != COMPONENT]

    def list_wanted_values(self, trees: Iterable[str]) -> list[Value]:
        """Return the values that some trees want, each once."""
        return distinct(self.wanted[tree] for tree in trees)

    @property
    def trees_with_value(self) -> Group:
        """Return the trees that have something there."""
        return frozenset(who for who, value in self.wanted.items() if value is not ABSENT)
