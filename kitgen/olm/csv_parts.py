"""A piece of a ClusterServiceVersion: a value, and the sources of what is in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from msgspec.structs import replace

from kitgen.findings import Cause, CauseKind, Origin, Path
from kitgen.kube.manifest import FieldSource, ListMove, Manifest
from kitgen.text.yaml import Json, JsonObject

BUNDLE = Cause(CauseKind.BUNDLE)


class CsvPart(NamedTuple):
    """A value and where it comes from."""

    value: Json
    sources: tuple[FieldSource, ...] = ()

    def sources_at(self, *path: str | int) -> Iterator[FieldSource]:
        """Yield the sources as those of a part that stands at a path."""
        return (nest_source(each, path) for each in self.sources)


def join_parts(pieces: Iterable[CsvPart]) -> CsvPart:
    """Return a list of pieces as one."""
    items = tuple(pieces)
    sources = tuple(source for index, each in enumerate(items) for source in each.sources_at(index))
    return CsvPart([each.value for each in items], sources)


def build_manifest(origin: Origin, body: JsonObject, places: Iterable[tuple[Path, CsvPart]]) -> Manifest:
    """Return an object with pieces at their places; those that are empty are left out."""
    sources = [make_computed_source(origin)]
    for path, piece in places:
        if piece.value in ("", [], {}):
            continue
        *above, key = path
        part = body
        for step in above:
            part = part.setdefault(str(step), {})
        part[str(key)] = piece.value
        sources += piece.sources_at(*path)
    return Manifest(body=body, sources=tuple(sources))


def nest_source(source: FieldSource, path: Path) -> FieldSource:
    """Return a source of a part as one of something that has the part at a path."""
    moves = tuple(ListMove((*path, *each.path), each.places) for each in source.moves)
    return replace(source, path=(*path, *source.path), moves=moves)


def select_sources(manifest: Manifest, *path: str | int) -> tuple[FieldSource, ...]:
    """Return the sources of what an object has at a path, as those of that part alone."""
    return tuple(_select_sources(manifest.sources, path))


def _select_sources(sources: Iterable[FieldSource], path: Path) -> Iterator[FieldSource]:
    size = len(path)
    for each in sources:
        if each.path[:size] == path:
            moves = tuple(
                ListMove(move.path[size:], move.places) for move in each.moves if move.path[:size] == path
            )
            yield replace(each, path=each.path[size:], moves=moves)
        elif path[: len(each.path)] == each.path and not each.partial:
            # What made the whole made the part too; where the file has the whole as it is, it has the part.
            inner = each.path_from_origin(path) if each.verbatim else ()
            yield replace(each, path=(), origin=each.origin.at(*inner), moves=())


def make_verbatim_source(origin: Origin, *path: str | int) -> FieldSource:
    """Return that a spec says a part as it is."""
    return FieldSource(path=path, cause=BUNDLE, origin=origin, verbatim=True)


def make_computed_source(origin: Origin, *path: str | int) -> FieldSource:
    """Return that a part was computed from what a spec says."""
    return FieldSource(path=path, cause=BUNDLE, origin=origin)
