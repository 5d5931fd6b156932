"""Find the line of values in a YAML text, and blank out values so that all others stay on their lines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any, NamedTuple, TypeAlias

import yaml
from yaml.events import AliasEvent, CollectionEndEvent, CollectionStartEvent, MappingStartEvent, ScalarEvent

from kitgen.findings import Path
from kitgen.text.yaml.builder import Parser, _Builder
from kitgen.text.yaml.data import Dialect
from kitgen.text.yaml.reader import DocumentText, parts_of
from kitgen.text.yaml.rules import YamlError


class AllSeenError(Exception):
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
    """Return a function from a place to its line: of a key in a mapping, of an item in a list.

    A place is a document and a path in it. One that is not there gets the line of the nearest thing above it.
    """
    parts = parts_of(text)
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
            with suppress(YamlError, AllSeenError):  # what was read before the break still has its lines
                builder.documents(part.text, part.before, number)

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


class _Holder:
    """A mapping or a list that is being read."""

    __slots__ = ("is_mapping", "key", "keys")

    def __init__(self, keys: Keys, *, is_mapping: bool) -> None:
        self.keys = keys
        self.is_mapping = is_mapping
        self.key: str | None = None
        """The key whose value comes next, in a mapping."""

    @property
    def below(self) -> Keys:
        """Return the keys of the value that comes next."""
        return self.keys if self.key is None else (*self.keys, self.key)


def masked(text: str, keeps: Keeps) -> str:
    """Return a text that can be read without the values that are not kept; nothing of one that cannot be."""
    parts: list[str] = []
    at = 0
    try:
        for gap in _gaps(text, keeps):
            parts += (text[at : gap.start], gap.filler)
            at = gap.end
    except (yaml.YAMLError, UnicodeEncodeError):
        return blank(text)
    return "".join((*parts, text[at:]))


def blank(text: str) -> str:
    """Return the lines of a text without what they say."""
    return "\n" * text.count("\n")


def _gaps(text: str, keeps: Keeps) -> Iterator[_Gap]:
    """Yield what is left out, in order; a value that is left out is not looked into."""
    holders = [_Holder((), is_mapping=False)]
    start: Any = None
    depth = 0
    for event in _events(text):
        holder = holders[-1]
        opens = isinstance(event, CollectionStartEvent)
        if start is not None:
            depth += opens - isinstance(event, CollectionEndEvent)
            if depth == 0:
                yield _collection(start, event)
                start, holder.key = None, None
        elif isinstance(event, CollectionEndEvent):
            holders.pop()
            holders[-1].key = None
        elif opens and holder.is_mapping and holder.key is None:
            raise yaml.YAMLError("found a key that is not a plain string")
        elif opens and keeps(holder.below, False):
            holders.append(_Holder(holder.below, is_mapping=isinstance(event, MappingStartEvent)))
        elif opens:
            start, depth = event, 1
        elif holder.is_mapping and holder.key is None:
            holder.key = getattr(event, "value", "")
        else:
            if isinstance(event, ScalarEvent) and not keeps(holder.below, True):
                yield _gap(event.start_mark, event.end_mark, " ~ ")
            holder.key = None


def _events(text: str) -> Iterator[Any]:
    """Yield what the parser says of values."""
    parser: Any = Parser(text)
    while not isinstance(event := parser.get_event(), yaml.StreamEndEvent):
        if isinstance(event, ScalarEvent | AliasEvent | CollectionStartEvent | CollectionEndEvent):
            yield event


def _collection(first: Any, last: Any) -> _Gap:
    # What ends a block is the start of what comes behind it; and where a list starts, no scalar may.
    if first.flow_style:
        return _gap(first.start_mark, last.end_mark, " ~ ")
    return _gap(first.start_mark, last.start_mark, "")


def _gap(start: Any, end: Any, filler: str) -> _Gap:
    """Leave lines and columns of what comes behind as they are."""
    if end.line > start.line:
        filler += "\n" * (end.line - start.line) + " " * end.column
    return _Gap(start.index, end.index, filler)
