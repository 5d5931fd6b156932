"""Convert fields of an old kind to fields of the new one, as a migration declares."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from itertools import pairwise
from typing import cast

from msgspec import UNSET, Struct, field
from msgspec.structs import replace

from kitgen.findings import Path, Problem, make_problem
from kitgen.kit.model.migration import MovedField, format_field_steps
from kitgen.migrate.resources.schemas import (
    ITEM,
    find_unknown_fields,
    is_below,
    is_default_value,
    is_same_value,
    report_unknown_field,
    schema_at,
)
from kitgen.text.wording import describe_value, quote_text
from kitgen.text.yaml import Json, JsonObject


class _Items(dict[int, Json]):
    """A list that is being filled, by the numbers that its items had."""


class _Fields(dict[str, Json]):
    """A mapping that is being filled; any other was given, and stays as it is."""


class ObjectDraft:
    """An object in the making."""

    def __init__(self) -> None:
        """Start with nothing."""
        self._root = _Fields()
        self.places: list[tuple[Path, Path]] = []
        """Where each value was put, and where it is from."""

    def put(self, place: Path, value: Json, source: Path) -> bool:
        """Put a value at a place; return whether that was free, or has the same one."""
        if (above := self._ensure_parent(place)) is None:
            return False
        there = above.setdefault(place[-1], value)
        if there is not value and isinstance(there, _Fields) and isinstance(value, dict):
            return all(self.put((*place, key), item, (*source, key)) for key, item in value.items())
        self.places.append((place, source))
        return there is value or bool(there == value and type(there) is type(value))

    def add_empty(self, place: Path, source: Path, *, item: bool = False) -> None:
        """Make an empty list at a place, or an empty item of one, unless there is something."""
        if (above := self._ensure_parent(place)) is not None and place[-1] not in above:
            above[place[-1]] = _Fields() if item else _Items()
            if item:
                self.places.append((place, source))

    def _ensure_parent(self, place: Path) -> dict[Json, Json] | None:
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
        return cast("JsonObject", _to_json(self._root))


def _to_json(value: Json) -> Json:
    if isinstance(value, _Items):
        return [_to_json(value[number]) for number in sorted(value)]
    return {key: _to_json(item) for key, item in value.items()} if isinstance(value, _Fields) else value


ASIDE = ("apiVersion", "kind", "metadata", "status")
"""What no declaration of fields is about."""


class FieldTree(Struct):
    """What is said of a field, and of those below it."""

    said: MovedField | None = None
    below: dict[str, FieldTree] = field(default_factory=dict)

    def list_destinations(self) -> Iterator[tuple[str, ...]]:
        """Yield where all of it goes."""
        if self.said and self.said.to:
            yield self.said.to
        for each in self.below.values():
            yield from each.list_destinations()


class MappedFields(Struct, frozen=True, kw_only=True):
    """The fields of the new object, and what is wrong."""

    fields: JsonObject
    problems: tuple[Problem, ...] = ()
    places: Mapping[Path, Path] = {}
    """Where a value stands now → where it was."""


def build_field_tree(fields: Iterable[MovedField]) -> FieldTree:
    """Put what is said of fields together, by their steps."""
    root = FieldTree()
    for each in fields:
        here = root
        for step in each.field:
            here = here.below.setdefault(step, FieldTree())
        here.said = here.said or each
    _inherit_destinations(root)
    return root


def _inherit_destinations(tree: FieldTree) -> None:
    """Have fields between a declared one and a declared one below it go where the upper one does."""
    for step, below in tree.below.items():
        if (said := tree.said) and below.said is None:
            to = (*said.to, step) if said.to else ()
            below.said = replace(said, field=(*said.field, step), to=to, default=UNSET)
        _inherit_destinations(below)


def map_fields(body: JsonObject, tree: FieldTree, before: Json = None, after: Json = None) -> MappedFields:
    """Put the fields of an object where they go; its schemas are None where no CRD is known."""
    mapping = _Mapping(body, before, after)
    problems = tuple(
        mapping.map_value({key: item for key, item in body.items() if key not in ASIDE}, tree, ())
    )
    return MappedFields(fields=mapping.tray.content, problems=problems, places=dict(mapping.tray.places))


class _Mapping:
    """Walks through an object, and fills a new one."""

    def __init__(self, body: JsonObject, before: Json, after: Json) -> None:
        self.body, self.before, self.after = body, before, after
        self.tray = ObjectDraft()

    @cached_property
    def unknown_fields(self) -> tuple[list[Path], list[Path]]:
        """Return the fields that the old CRD does not have, and the new one."""
        return find_unknown_fields(self.body, self.before), find_unknown_fields(self.body, self.after)

    def map_value(self, value: Json, tree: FieldTree, path: Path) -> Iterator[Problem]:
        """Put a value where it goes, and yield what is wrong with it."""
        if is_empty_value(value) and not (value == [] and ITEM in tree.below):
            if value is not None and tree.said and tree.said.to:
                yield from self._put_value(value, tree.said.to, path)
            return
        if tree.said is None and not tree.below:
            yield from self._check_undeclared_field(value, path)
        elif isinstance(value, dict) and tree.below.keys() - {ITEM}:
            yield from self._map_object(value, tree, path)
        elif isinstance(value, list) and ITEM in tree.below:
            yield from self._map_list(value, tree.below[ITEM], path)
        elif tree.said is None:
            expected = "a list" if ITEM in tree.below else "a mapping"
            yield make_problem(
                "migration-field", f"found {describe_value(value, reveal=False)}, expected {expected}", path
            )
        elif tree.said.lost:
            yield from self._check_lost_value(value, tree.said, path)
        else:
            yield from self._put_value(value, tree.said.to, path)

    def _check_undeclared_field(self, value: Json, path: Path) -> Iterator[Problem]:
        """Yield that nothing is said of a field, unless there is nothing to lose."""
        if all(is_below(path, fields) for fields in self.unknown_fields):
            yield report_unknown_field(path, self.before)
        elif not self._is_default_value(value, path):
            message = f"found the field {quote_text(str(path[-1]))}, of which the migration says nothing"
            yield make_problem(
                "migration-field", message, path, "say in the migration where it goes, or that it is lost"
            )

    def _check_lost_value(self, value: Json, said: MovedField, path: Path) -> Iterator[Problem]:
        """Report that a field is lost, unless its value is the default."""
        if (said.default is not UNSET and is_same_value(value, said.default)) or self._is_default_value(
            value, path
        ):
            return
        # A text may be a secret; a number or a boolean tells how much is lost.
        what = f" {describe_value(value)}" if isinstance(value, int | float) else ""
        yield make_problem(
            "migration-lost",
            f"found {format_field_steps(said.field)}{what}, which has no counterpart",
            path,
            said.lost,
        )

    def _is_default_value(self, value: Json, path: Path) -> bool:
        return is_default_value(value, schema_at(self.before, path))

    def _map_object(self, value: JsonObject, tree: FieldTree, path: Path) -> Iterator[Problem]:
        for key, item in value.items():
            if key in tree.below or tree.said is None:
                yield from self.map_value(item, tree.below.get(key, FieldTree()), (*path, key))
        rest = {key: item for key, item in value.items() if key not in tree.below}
        if tree.said and rest:
            yield from self.map_value(rest, FieldTree(said=tree.said), path)

    def _map_list(self, value: list[Json], tree: FieldTree, path: Path) -> Iterator[Problem]:
        """Walk through a list; an item of which nothing goes anywhere is an empty one there."""
        lists = dict.fromkeys(_find_destination_lists(tree, path))
        for place in lists:
            self.tray.add_empty(place, path)
        for index, item in enumerate(value):
            before = len(self.tray.places)
            yield from self.map_value(item, tree, (*path, index))
            if len(self.tray.places) == before:
                for place in lists:
                    self.tray.add_empty((*place, index), (*path, index), item=True)

    def _put_value(self, value: Json, to: tuple[str, ...], path: Path) -> Iterator[Problem]:
        place = _insert_indexes(to, [step for step in path if isinstance(step, int)])
        if place[0] in ASIDE or not self.tray.put(place, value, path):
            yield make_problem(
                "migration-field",
                f"found a second value for {quote_text(format_field_steps(to))}, expected one",
                path,
            )


def is_empty_value(value: Json) -> bool:
    """Return whether a value says nothing, so that nothing is lost with it."""
    return value is None or value in ({}, [])


def _find_destination_lists(tree: FieldTree, path: Path) -> Iterator[Path]:
    """Yield the lists that items of this one become items of."""
    numbers = [step for step in path if isinstance(step, int)]
    for to in tree.list_destinations():
        if to.count(ITEM) > len(numbers):
            at = [index for index, step in enumerate(to) if step == ITEM][len(numbers)]
            yield _insert_indexes(to[:at], numbers)


def _insert_indexes(to: tuple[str, ...], numbers: list[int]) -> Path:
    """Return a place with the numbers of items; where there are more lists than numbers, the first item."""
    left = iter(numbers)
    return tuple(next(left, 0) if step == ITEM else step for step in to)
