"""Read block YAML as programs print it, line by line: several times as fast as a parser does.

It knows keys, items, and texts that are plain, quoted or literal. At the first line that may be anything else
it gives up, and the parser reads the document. What it does read, it reads as the parser does.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from kitgen.yamlio.blocklines import (
    Holds,
    OddError,
    known_line,
    line_of,
    read_literal,
    read_plain,
    read_quoted,
)
from kitgen.yamlio.data import Json

DEEPEST = 100
"""How many levels are read here."""
MOST_LINES = 100_000
"""How many lines of a document are held at once."""
LONG = 120
"""A line as long as that hardly comes again."""
MARKER = "---"
ROOT = "root"
NOTHING = Holds.NOTHING


class Document(NamedTuple):
    """What was read, and how many values it holds."""

    data: Json
    nodes: int


def read_blocks(text: str) -> Document | None:
    r"""Return what a document holds, or None if it is not as simple as programs print it.

    The text is that of one document, with the line of its marker. All its characters are such as YAML allows,
    and nothing but \n ends a line.
    """
    if not text.endswith("\n") or text.count("\n") > MOST_LINES:
        return None
    lines = text[:-1].split("\n")
    try:
        return _read(lines, 1 if lines[0] == MARKER else 0)
    except OddError:
        return None


def _read(lines: list[str], at: int) -> Document:
    # A mapping has the level of twice its column; a list, which may start where its parent does, one more.
    whole: Any = {ROOT: None}
    levels, holders = [-1], [whole]
    top, here, waiting, nodes = -1, whole, ROOT, 1
    plain, key, held, below = "", None, 0, 0
    while at < len(lines):
        line = lines[at]
        content = line.lstrip(" ")
        if not content or content[0] == "#":
            at += 1
            continue
        column = len(line) - len(content)
        if plain and column > held:
            here[-1 if key is None else key], at = read_plain(lines, below, held, plain)
            plain = ""
            continue
        is_item, key, value, holds, plain = known_line(content) if len(content) < LONG else line_of(content)
        at = below = at + 1
        level = 2 * column + is_item
        while top > level:
            del levels[-1], holders[-1]
            top, here, waiting = levels[-1], holders[-1], ""
        if top < level:
            if not waiting or len(levels) > DEEPEST:
                raise OddError
            top, here[waiting] = level, [] if is_item else {}
            here = here[waiting]
            levels.append(top)
            holders.append(here)
        if is_item and key is not None:
            column, nodes = column + 2, nodes + 1
            here.append({})
            top, here = 2 * column, here[-1]
            levels.append(top)
            holders.append(here)
        held, nodes, waiting = column, nodes + 1, ""
        if holds is NOTHING:
            waiting = key or ""
        elif holds:
            value, at = _held(holds, value, lines, at, column)
        if key is None:
            here.append(value)
        elif key in here:
            raise OddError
        else:
            here[key] = value
    return Document(whole[ROOT], nodes)


def _held(holds: Holds, value: str, lines: list[str], at: int, column: int) -> tuple[Json, int]:
    """Return a value that is no plain one on its line, and the line behind it."""
    match holds:
        case Holds.LITERAL:
            return read_literal(lines, at, column, value)
        case Holds.QUOTED:
            return read_quoted(lines, at, column, value)
        case Holds.MAPPING:
            return {}, at
    return [], at
