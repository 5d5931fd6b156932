"""Find the line of values in a YAML text, and blank out values so that all others stay on their lines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any, NamedTuple, TypeAlias

import yaml
from yaml.events import AliasEvent, CollectionEndEvent, CollectionStartEvent, MappingStartEvent, NodeEvent

from kitgen.findings import Path
from kitgen.text.yaml.builder import Parser, _Builder
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


Keys: TypeAlias = tuple[str, ...]
"""The keys of mappings on the way to a value; items of a list have those of the list."""
Keeps: TypeAlias = Callable[[Keys, bool], bool]
"""Tells of the keys of a value, and of whether it is a scalar, if it stays."""


class _Gap(NamedTuple):
    """What is left out, from a character to another, and what stands there instead."""

    start: int
    end: int
    filler: str


def mask_values(text: str, keeps: Keeps) -> str:
    """Return a text that can be read without the values that are not kept; nothing of one that cannot be."""
    parts: list[str] = []
    at = 0
    try:
        parser: Any = Parser(text)
        while not isinstance(event := parser.get_event(), yaml.StreamEndEvent):
            for gap in _find_gaps(event, parser, (), keeps) if isinstance(event, NodeEvent) else ():
                parts += (text[at : gap.start], gap.filler)
                at = gap.end
    except (yaml.YAMLError, UnicodeEncodeError, RecursionError):
        return blank_lines(text)
    return "".join((*parts, text[at:]))


def blank_lines(text: str) -> str:
    """Return the lines of a text without what they say."""
    return "\n" * text.count("\n")


def _find_gaps(event: Any, parser: Any, keys: Keys, keeps: Keeps) -> Iterator[_Gap]:
    """Yield what is left out of the value that an event starts, in order."""
    is_open = isinstance(event, CollectionStartEvent)
    if isinstance(event, AliasEvent) or (not is_open and keeps(keys, True)):
        return
    if not is_open or not keeps(keys, False):
        yield _build_gap(event, parser)
        return
    is_mapping = isinstance(event, MappingStartEvent)
    while not isinstance(each := parser.get_event(), CollectionEndEvent):
        below = keys
        if is_mapping:
            if isinstance(each, CollectionStartEvent):
                raise yaml.YAMLError("found a key that is not a plain string")
            below = (*keys, getattr(each, "value", ""))
            each = parser.get_event()
        yield from _find_gaps(each, parser, below, keeps)


def _build_gap(first: Any, parser: Any) -> _Gap:
    """Leave out a value; lines and columns of what comes behind stay as they are."""
    last, depth = first, int(isinstance(first, CollectionStartEvent))
    while depth:
        last = parser.get_event()
        depth += isinstance(last, CollectionStartEvent) - isinstance(last, CollectionEndEvent)
    # What ends a block is the start of what comes behind it; and where a list starts, no scalar may.
    is_block = last is not first and not first.flow_style
    start, end = first.start_mark, last.start_mark if is_block else last.end_mark
    filler = "" if is_block else " ~ "
    if end.line > start.line:
        filler += "\n" * (end.line - start.line) + " " * end.column
    return _Gap(start.index, end.index, filler)
