"""The difference between two objects as JSON patch operations, each with its reason."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from typing import TypeAlias

from msgspec import Struct

from kitgen.findings import Path, format_pointer
from kitgen.kube.manifest import FieldSource, Manifest
from kitgen.text.values import group_pairs
from kitgen.text.yaml import Json, JsonObject

MOST_PAIRS = 1_000_000
"""Of lists that are longer, the whole is replaced: to find out what moved would take too long."""


class Operation(Struct, frozen=True):
    """One step from the base's object to the target's, and its cause."""

    data: JsonObject
    sources: tuple[FieldSource, ...]
    undone: bool = False
    """The sources are of the base, and the target goes without them."""


class _Place(Struct, frozen=True):
    """The same spot in three trees: while patching, in the base's object and in the target's."""

    now: Path = ()
    old: Path = ()
    new: Path = ()

    def below(self, step: str) -> _Place:
        return _Place((*self.now, step), (*self.old, step), (*self.new, step))


class _Sources:
    """Sources by what they set: a patch may have thousands of operations, and each looks its source up."""

    def __init__(self, sources: Iterable[FieldSource]) -> None:
        known = list(sources)
        self._at = group_pairs((source.path, source) for source in known)
        self._inside = group_pairs(
            (source.path[:size], source) for source in known for size in range(len(source.path) + 1)
        )

    def find_inside(self, path: Path) -> tuple[FieldSource, ...]:
        """Return what set a value or something in it."""
        return tuple(self._inside.get(path, ()))

    def find_nearest(self, path: Path) -> tuple[FieldSource, ...]:
        """Return what set a value, or else the nearest thing that holds it."""
        sizes = range(len(path), -1, -1)
        return next((tuple(self._at[path[:size]]) for size in sizes if path[:size] in self._at), ())


def build_operations(base: Manifest, target: Manifest) -> list[Operation]:
    """Return what turns the base's object into the target's; nothing when they are equal."""
    if _serialize(base.body) == _serialize(target.body):
        return []
    before = {source.original for source in base.sources}
    # What a family gives by itself is no reason: who asked for the family is.
    given = [source for source in target.sources if source.path and not source.default]
    new = _Sources(source for source in given if source.original not in before)
    found: list[Operation] = []
    for data, place, removed in _diff_values(base.body, target.body, _Place(), set()):
        if removed:
            causes = new.find_nearest(place.new) or new.find_inside(place.old)
        else:
            causes = (
                new.find_inside(place.new) or new.find_nearest(place.new) or (target.find_source(place.new),)
            )
        found.append(Operation(data, causes or (base.find_source(place.old),), undone=not causes))
    return found


Step: TypeAlias = tuple[JsonObject, _Place, bool]
Same: TypeAlias = set[tuple[int, int]]
"""Ids of mappings that were found to be equal: types of Kubernetes stand in many places of a CRD."""


def _diff_values(old: Json, new: Json, place: _Place, same: Same) -> Iterator[Step]:
    if old is new:
        return
    if isinstance(old, dict) and isinstance(new, dict):
        if (pair := (id(old), id(new))) not in same:
            steps = list(_diff_maps(old, new, place, same))
            yield from steps
            if not steps:
                same.add(pair)
    elif isinstance(old, list) and isinstance(new, list):
        yield from _diff_lists(old, new, place, same)
    elif old != new or type(old) is not type(new):  # 1 equals true, and is not the same
        yield {"op": "replace", "path": format_pointer(place.now), "value": new}, place, False


def _diff_maps(old: JsonObject, new: JsonObject, place: _Place, same: Same) -> Iterator[Step]:
    for here in (place.below(key) for key in old if key not in new):
        yield {"op": "remove", "path": format_pointer(here.now)}, here, True
    for key, value in new.items():
        if key not in old:
            here = place.below(key)
            yield {"op": "add", "path": format_pointer(here.now), "value": value}, here, False
        elif isinstance(value, dict | list) or type(value) is not type(old[key]) or value != old[key]:
            yield from _diff_values(old[key], value, place.below(key), same)


def _diff_lists(old: list[Json], new: list[Json], place: _Place, same: Same) -> Iterator[Step]:
    """Keep items that are the same or have the same name; remove and add the others."""
    if _serialize(old) == _serialize(new):
        return
    if len(old) * len(new) > MOST_PAIRS:
        yield {"op": "replace", "path": format_pointer(place.now), "value": new}, place, False
        return
    matcher = SequenceMatcher(None, [_item_key(i) for i in old], [_item_key(i) for i in new], autojunk=False)
    index, length = 0, len(old)
    for tag, old_from, old_to, new_from, new_to in matcher.get_opcodes():
        if tag == "equal":
            for before, after in zip(range(old_from, old_to), range(new_from, new_to), strict=True):
                here = _Place((*place.now, index), (*place.old, before), (*place.new, after))
                yield from _diff_values(old[before], new[after], here, same)
                index += 1
            continue
        for before in range(old_from, old_to):
            here = _Place((*place.now, index), (*place.old, before), place.new)
            yield {"op": "remove", "path": format_pointer(here.now)}, here, True
        length -= old_to - old_from
        for after in range(new_from, new_to):
            here = _Place((*place.now, "-" if index == length else index), place.old, (*place.new, after))
            yield {"op": "add", "path": format_pointer(here.now), "value": new[after]}, here, False
            index, length = index + 1, length + 1


def _item_key(item: Json) -> str | bytes:
    if isinstance(item, dict) and isinstance(item.get("name"), str):
        return f"name {item['name']}"
    return _serialize(item)


def _serialize(value: Json) -> bytes:
    """Return what two values have in common only if they are the same to a cluster."""
    import orjson

    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
