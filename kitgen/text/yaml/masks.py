"""Blank out values of a YAML text so that all others stay on their lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeAlias

import yaml
from yaml.events import AliasEvent, CollectionEndEvent, CollectionStartEvent, MappingStartEvent, NodeEvent

from kitgen.text.yaml.builder import Parser

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
    filler = " " if is_block else " ~ "  # a space, lest a break before it and one in it become one
    if end.line > start.line:
        filler += "\n" * (end.line - start.line) + " " * end.column
    return _Gap(start.index, end.index, filler)
