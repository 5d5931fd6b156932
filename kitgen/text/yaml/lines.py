"""Find the line of values in a YAML text."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress

from kitgen.findings import Path
from kitgen.text.yaml.data import Dialect
from kitgen.text.yaml.reader import DocumentText, split_documents
from kitgen.text.yaml.rules import YamlError


class AllLinesFoundError(Exception):
    """Raised when all lines are found."""


class LineQuery:
    """A place whose line is wanted, or one above such a place: only those are kept."""

    __slots__ = ("below", "left", "line")

    def __init__(self, left: set[int]) -> None:
        self.line = 0
        self.below: dict[str | int, LineQuery] = {}
        self.left = left
        """Places, by identity, that were not seen yet."""
        left.add(id(self))

    def record_line(self, line: int) -> None:
        """Keep the line where it was met first; with the last place, there is no need to read on."""
        if not self.line:
            self.line = line
            self.left.discard(id(self))
            if not self.left:
                raise AllLinesFoundError


def find_lines(text: str, paths: set[Path], *, document: int = 0) -> dict[Path, int]:
    """Return the line of each path in one document."""
    line_of = build_line_finder(text, [(document, path) for path in paths])
    return {path: line_of(document, path) for path in paths}


def build_line_finder(text: str, places: Iterable[tuple[int, Path]]) -> Callable[[int, Path], int]:
    """Return a function from a place to its line: of a key in a mapping, of an item in a list.

    A place is a document and a path in it. One that is not there gets the line of the nearest thing above it.
    """
    from kitgen.text.yaml.builder import _Builder

    parts = split_documents(text)
    wanted, all_left = LineQuery(set()), set[int]()
    for document, path in places:
        if document not in wanted.below:  # one that stands by itself is left as soon as its places were seen
            wanted.below[document] = LineQuery(all_left if parts is None else set())
        here = wanted.below[document]
        for step in path:
            if step not in here.below:
                here.below[step] = LineQuery(here.left)
            here = here.below[step]
    builder = _Builder(Dialect.KUBECTL, wanted)
    for number, part in enumerate((DocumentText(text, 0),) if parts is None else parts):
        if parts is None or number in wanted.below:
            with suppress(
                YamlError, AllLinesFoundError
            ):  # what was read before the break still has its lines
                builder.read_documents(part.text, part.before, number)

    def line_of(document: int, path: Path) -> int:
        here, line = wanted, 1
        for step in (document, *path):
            here = here.below[step]
            line = here.line or line
        return line

    return line_of
