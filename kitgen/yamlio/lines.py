"""Tell on which line of a text a value is; only what is asked for is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress

from kitgen.findings import Path
from kitgen.yamlio.builder import _Builder
from kitgen.yamlio.documents import Part, parts_of
from kitgen.yamlio.rules import YamlError
from kitgen.yamlio.scalars import Dialect


class AllSeenError(Exception):
    """Say that there is nothing left to look for."""


class Wanted:
    """A place whose line is asked for, or one above such a place: only those are kept."""

    __slots__ = ("below", "left", "line")

    def __init__(self, left: set[int]) -> None:
        self.line = 0
        self.below: dict[str | int, Wanted] = {}
        self.left = left
        """Places, by identity, that were not seen yet."""
        left.add(id(self))

    def seen(self, line: int) -> None:
        """Keep the line where it was met first; with the last place, there is no need to read on."""
        if not self.line:
            self.line = line
            self.left.discard(id(self))
            if not self.left:
                raise AllSeenError


def lines_of(text: str, paths: set[Path], *, document: int = 0) -> dict[Path, int]:
    """Return the line of each path in one document."""
    line_of = line_finder(text, [(document, path) for path in paths])
    return {path: line_of(document, path) for path in paths}


def line_finder(text: str, places: Iterable[tuple[int, Path]]) -> Callable[[int, Path], int]:
    """Return what tells the line of places: of a key in a mapping, of an item in a list.

    A place is a document and a path in it. One that is not there gets the line of the nearest thing above it.
    """
    parts = parts_of(text)
    wanted, all_left = Wanted(set()), set[int]()
    for document, path in places:
        if document not in wanted.below:  # one that stands by itself is left as soon as its places were seen
            wanted.below[document] = Wanted(all_left if parts is None else set())
        here = wanted.below[document]
        for step in path:
            if step not in here.below:
                here.below[step] = Wanted(here.left)
            here = here.below[step]
    builder = _Builder(Dialect.KUBECTL, wanted)
    for number, part in enumerate((Part(text, 0),) if parts is None else parts):
        if parts is None or number in wanted.below:
            with suppress(YamlError, AllSeenError):  # what was read before the break still has its lines
                builder.documents(part.text, part.before, number)

    def line_of(document: int, path: Path) -> int:
        here, line = wanted, 1
        for step in (document, *path):
            here = here.below[step]
            line = here.line or line
        return line

    return line_of
