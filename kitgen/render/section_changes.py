"""Changes of a section: applied to its normal form, and written as an overlay of an older spec."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from kitgen.findings import Path
from kitgen.kit.merge import name_of
from kitgen.render.inverse import SectionChange, SectionWords
from kitgen.text.values import map_at
from kitgen.text.yaml import Json, JsonObject


class SectionDifference(NamedTuple):
    """What has to be said to make one value another: a part of the new one, and what goes."""

    value: Json
    gone: list[Path]
    needed: bool
    """Whether there is a value to say."""


NOTHING = SectionDifference(None, [], needed=False)


def is_identical_value(one: Json, other: Json) -> bool:
    """Return whether two values are the same, 1, 1.0 and true kept apart, whatever the order of keys."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(
            is_identical_value(value, other[key]) for key, value in one.items()
        )
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(is_identical_value, one, other))
    return type(one) is type(other) and bool(one == other)


def apply_section_change(have: Json, change: SectionChange, keep: int = 0) -> Json:
    """Return a normal form with a change made to it; maps that lose all they held go too, below a depth."""
    if isinstance(have, str) or isinstance(change.new, str):
        return change.new or (have if () not in change.gone else "")
    left = _copy_maps(have) if isinstance(have, dict) and () not in change.gone else {}
    for path in change.gone:
        _drop_path(left, path, keep)
    return _merge_maps(left, change.new or {})


def _copy_maps(value: JsonObject) -> JsonObject:
    return {key: _copy_maps(each) if isinstance(each, dict) else each for key, each in value.items()}


def _drop_path(data: JsonObject, path: Path, keep: int) -> None:
    for depth in range(len(path), 0, -1):
        above, step = map_at(data, *path[: depth - 1]), path[depth - 1]
        if step not in above or (depth < len(path) and (above[step] or depth <= keep)):
            return
        del above[step]


def _merge_maps(have: JsonObject, new: JsonObject) -> JsonObject:
    data = dict(have)
    for key, value in new.items():
        both = isinstance(value, dict) and isinstance(have.get(key), dict) and value  # empty is a value
        data[key] = _merge_maps(have[key], value) if both else value
    return data


def keep_empty_values(old: JsonObject, want: JsonObject) -> JsonObject:
    """Return words with those of an older spec that say nothing, which need not go."""
    return {**{key: value for key, value in old.items() if value in ({}, []) and key not in want}, **want}


def drop_empty_values(section: Json) -> JsonObject:
    """Return things by name without their parts that say nothing."""
    return {
        name: {key: value for key, value in (each or {}).items() if value}
        for name, each in (section or {}).items()
    }


def keep_empty_values_by_name(want: Json, old: Json) -> JsonObject:
    """Return things by name, each with those parts of an older spec's that say nothing and need not go."""
    return {
        name: {**{key: value for key, value in map_at(old, name).items() if not value}, **each}
        for name, each in want.items()
    }


def make_change_converter(
    key: str, normal: Callable[[Json], Json], words: Callable[[Json, Json], Json], *, keep: int = 0
) -> Callable[[SectionChange], SectionWords]:
    """Return what says a change under a key, by its normal form and how specs say one over older words.

    Maps of the normal form at a depth to keep may be empty.
    """

    def terms(change: SectionChange) -> SectionWords:
        old = change.old
        want = words(apply_section_change(normal(old) if old else {}, change, keep), old)
        if not old:
            return SectionWords(section=want or None)
        if not want:
            return SectionWords(remove=("",))
        made = compare_sections(old, want, (key,))
        return SectionWords(
            section=made.value if made.needed else None,
            remove=tuple(format_remove_path(*path[1:]) for path in made.gone),
        )

    return terms


def format_remove_path(*steps: str | int) -> str:
    """Write a path as `remove` has it; slashes stay as they are."""
    return "/".join(str(step).replace("~", "~0") for step in steps)


def compare_sections(old: Json, want: Json, path: Path) -> SectionDifference:
    """Return what to lay over old words, by the rules of specs that build on another."""
    if is_identical_value(old, want):
        return NOTHING
    if isinstance(old, dict) and isinstance(want, dict):
        return _compare_maps(old, want, path)
    if isinstance(old, list) and isinstance(want, list):
        have, more = _index_items(old, path), _index_items(want, path)
        if have and more:
            return _compare_items(have, more, path)
    return SectionDifference(want, [], needed=True)


def _compare_maps(old: JsonObject, want: JsonObject, path: Path) -> SectionDifference:
    value: JsonObject = {}
    gone: list[Path] = [(*path, key) for key in old if key not in want]
    for key, each in want.items():
        words = (
            compare_sections(old[key], each, (*path, key))
            if key in old
            else SectionDifference(each, [], needed=True)
        )
        gone += words.gone
        if words.needed:
            value[key] = words.value
    return SectionDifference(value, gone, needed=bool(value))


def _index_items(items: list[Json], path: Path) -> dict[str, Json] | None:
    """Return the items of a list that merges by name; None if it replaces."""
    found = {name: item for item in items if (name := name_of(item, path)) is not None}
    return found if len(found) == len(items) else None


def _compare_items(have: dict[str, Json], more: dict[str, Json], path: Path) -> SectionDifference:
    value: list[Json] = []
    gone: list[Path] = [(*path, name) for name in have if name not in more]
    for name, item in more.items():
        if name not in have:
            value.append(item)
            continue
        words = compare_sections(have[name], item, (*path, name))
        gone += words.gone
        if words.needed:
            part = isinstance(item, dict) and isinstance(have[name], dict)
            value.append(_add_identity(item, words.value) if part else words.value)
    return SectionDifference(value, gone, needed=bool(value))


def _add_identity(item: JsonObject, part: JsonObject) -> JsonObject:
    """Return a part of an item with what it is called by."""
    if isinstance(item.get("metadata"), dict):
        names: JsonObject = {key: item[key] for key in ("apiVersion", "kind") if key in item}
        meta = {"name": item["metadata"].get("name"), **part.get("metadata", {})}
        return {**names, "metadata": meta, **{key: each for key, each in part.items() if key != "metadata"}}
    key = "kind" if "kind" in item else "name"
    return {key: item[key], **part}
