"""A rendered object, and the sources that its fields come from."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from msgspec import Struct
from msgspec.structs import replace

from kitgen.findings import Cause, Origin, Path, Reads
from kitgen.kube.identity import ObjectId
from kitgen.text.values import group_pairs, map_at
from kitgen.text.yaml import Json, JsonObject

ANNOTATIONS = ("metadata", "annotations")
"""Where an object has its annotations."""


class ListMove(Struct, frozen=True, dict=True):
    """Says where the items of a list went when others came or left."""

    path: Path
    """The list."""
    places: tuple[int | None, ...]
    """The new index of each item; None for one that is gone."""

    def follow(self, path: Path) -> Path | None:
        """Return where a place is after the move; None when it is gone."""
        if (index := self._item_index(path)) is None or index >= len(self.places):
            return path
        place = self.places[index]
        return None if place is None else (*self.path, place, *path[len(self.path) + 1 :])

    def undo(self, path: Path) -> Path:
        """Return where a place was before the move; for an item that came with it, its list."""
        if (index := self._item_index(path)) is None:
            return path
        if index not in self._old_indexes:
            return self.path
        return (*self.path, self._old_indexes[index], *path[len(self.path) + 1 :])

    @cached_property
    def _old_indexes(self) -> dict[int | None, int]:
        """Return the old index of the first item at each new one, for the sources of a list."""
        return {place: old for old, place in reversed(list(enumerate(self.places)))}

    def _item_index(self, path: Path) -> int | None:
        size = len(self.path)
        step = path[size] if len(path) > size and path[:size] == self.path else None
        return step if isinstance(step, int) else None


class FieldSource(Struct, frozen=True, kw_only=True):
    """Says what put a part of an object where it is, and from which spec value."""

    path: Path
    """The part of the object; empty for the whole of it."""
    cause: Cause
    """What made the part."""
    origin: Origin
    asked: Cause | None = None
    """Who asked the family for it, if not the component itself: such as a feature."""
    feature: str = ""
    """The one that the origin stands in, if it does."""
    why: str = ""
    reads: Reads = ()
    """What the expressions at the origin or below it read."""
    verbatim: bool = False
    """The part stands at the origin just as it is here, so a path inside it goes on in the file."""
    default: bool = False
    """No spec asks for the part: the family gives it by itself."""
    partial: bool = False
    """It took something out of the part, and has nothing to do with what is still in there."""
    aside: bool = False
    """It bears on the part, which something else sets."""
    moves: tuple[ListMove, ...] = ()
    """What moved the part, or something in it, since it was made."""

    def contains(self, path: Path) -> bool:
        """Return whether a field is the part, or in it."""
        return path == self.path if self.partial else path[: len(self.path)] == self.path

    def apply_move(self, move: ListMove) -> FieldSource | None:
        """Return the source after a move; None when its part is gone."""
        if (path := move.follow(self.path)) is None:
            return None
        if path == self.path and move.path[: len(path)] != path:
            return self
        return replace(self, path=path, moves=(*self.moves, move))

    @property
    def original(self) -> FieldSource:
        """Return the source as it was before all moves."""
        return replace(self, path=self.original_path(self.path), moves=()) if self.moves else self

    def original_path(self, path: Path) -> Path:
        """Return where a place in the part, or above it, was when the part was made."""
        for move in reversed(self.moves):
            path = move.undo(path)
        return path

    def path_from_origin(self, path: Path) -> Path:
        """Return the steps that lead from the origin to a place in a verbatim part."""
        return self.original_path(path)[len(self.original.path) :]


class Manifest(Struct, frozen=True, kw_only=True, dict=True):
    """One object: its body, and its sources in the order in which they worked on it."""

    body: JsonObject
    sources: tuple[FieldSource, ...]

    @cached_property
    def id(self) -> ObjectId:
        """Return the identity of this object."""
        return ObjectId.of(self.body)

    @property
    def labels(self) -> JsonObject:
        """Return its labels; what is no map of them is empty."""
        return map_at(self.body, "metadata", "labels")

    @property
    def annotations(self) -> JsonObject:
        """Return its annotations; what is no map of them is empty."""
        return map_at(self.body, *ANNOTATIONS)

    def replace_body(self, body: JsonObject, *sources: FieldSource) -> Manifest:
        """Return the object with a new body and more sources."""
        return Manifest(body=body, sources=(*self.sources, *sources))

    def apply_moves(self, moves: Iterable[ListMove]) -> Manifest:
        """Return the object with its sources where the moves took their parts; the body is not changed."""
        sources = self.sources
        for move in moves:
            sources = tuple(new for source in sources if (new := source.apply_move(move)) is not None)
        return Manifest(body=self.body, sources=sources)

    def drop_nested_sources(self, paths: set[Path]) -> Manifest:
        """Return the object without the sources of what was inside values that were replaced."""
        if not paths:
            return self
        kept = (s for s in self.sources if not any(s.path[:size] in paths for size in range(len(s.path))))
        return Manifest(body=self.body, sources=tuple(kept))

    def list_sources(self, path: Path) -> tuple[FieldSource, ...]:
        """Return the sources that bear on a field, in order: above it, at it or inside it."""
        at, inside = self._source_indexes
        above = [number for size in range(len(path)) for number in at.get(path[:size], ())]
        held = [number for number in above if not self.sources[number].partial]
        return tuple(self.sources[number] for number in sorted([*held, *inside.get(path, ())]))

    @cached_property
    def _source_indexes(self) -> tuple[dict[Path, list[int]], dict[Path, list[int]]]:
        """Return the numbers of the sources at each path, and those at it or inside it."""
        paths = [(number, source.path) for number, source in enumerate(self.sources)]
        inside = group_pairs((path[:size], number) for number, path in paths for size in range(len(path) + 1))
        return group_pairs((path, number) for number, path in paths), inside

    def find_source(self, path: Path) -> FieldSource:
        """Return the source that set a field: the last one among those nearest to it."""
        first, (exact, above, sizes) = self.sources[0], self._last_sources
        if len(path) < len(first.path):
            return first
        if path in exact:
            return exact[path]
        around = (path[:size] for size in sizes if len(first.path) <= size < len(path))
        return next((above[each] for each in around if each in above), first)

    @cached_property
    def _last_sources(self) -> tuple[dict[Path, FieldSource], dict[Path, FieldSource], list[int]]:
        """Return the last source that set each part, the last one that says what is in it, and its depths."""
        setting = [each for each in self.sources if not each.aside]
        above = {each.path: each for each in setting if not each.partial}
        sizes = sorted({len(path) for path in above}, reverse=True)
        return {each.path: each for each in setting}, above, sizes

    def find_origin(self, path: Path) -> Origin:
        """Return the place in the specs that a field comes from."""
        source = self.find_source(path)
        return source.origin.at(*source.path_from_origin(path)) if source.verbatim else source.origin


def existing_value(body: Json, path: Path) -> Json:
    """Return the value at a path; raise KeyError when it is not there."""
    for step in path:
        if isinstance(body, dict) and str(step) in body:
            body = body[str(step)]
        elif isinstance(body, list) and isinstance(step, int) and step < len(body):
            body = body[step]
        else:
            raise KeyError(step)
    return body
