"""Read block YAML as programs print it, line by line: several times as fast as a parser.

It supports keys, items, and plain, quoted or literal scalars. At the first line that may be anything else it
gives up, and the parser reads the document. The result is the same as the parser's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

from kitgen.text.patterns import compile_late
from kitgen.text.yaml.data import Json, resolve_scalar

ENTRY = compile_late(r"(- )?(?:([A-Za-z0-9_./$][-A-Za-z0-9_./$]{0,255}):(?: (.+))?|(.+))")
"""An item, an entry of a mapping, or an item that is a mapping and its first entry."""
PLAIN = compile_late(r"(?:[^-?:,\[\]{}#&*!|>'\"%@` ]|[-?:][^ ]).*")
NOT_PLAIN = compile_late(r": | #|[ :]\Z|\t")
QUOTED = {
    "'": compile_late(r"[^'\t]*(?:''[^'\t]*)*('?)"),
    '"': compile_late(r'[^"\\\t]*(?:\\[^\t][^"\\\t]*)*(["\\]?)'),
}
"""What may stand on a line behind an open quote: it is closed, the line end is escaped, or it goes on."""
ESCAPE = compile_late(r"\\(.)")
ESCAPES = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "\\": "\\", " ": " "}
"""What programs write most of all."""
LITERALS = ("|", "|-", "|+")


class UnusualTextError(Exception):
    """Raised when a text is not simple, and needs the parser."""


ReadOn: TypeAlias = Callable[[list[str], int, int, str], tuple[Json, int]]
"""Takes lines, where to read on, a column and the start of a value; returns it and the line behind it."""


class BlockLine(NamedTuple):
    """A line without its indent."""

    is_item: bool
    key: str | None
    value: Json
    """The value, or how one starts that is read on with."""
    read_on: ReadOn | None = None
    plain: str = ""
    """A value without quotes as it is written: the lines below may go on with it."""
    is_open: bool = False
    """Nothing stands behind the key: null, or what the lines below say."""


@lru_cache(maxsize=2**14)
def parse_cached_line(content: str) -> BlockLine:
    """Take a line apart that may come again: those of manifests do, again and again."""
    return parse_line(content)


def parse_line(content: str) -> BlockLine:
    """Take a line apart."""
    if (match := ENTRY.fullmatch(content)) is None:
        raise UnusualTextError
    is_item, key, text = match[1] is not None, match[2], match[3] or match[4]
    if key is None:
        if not is_item:
            raise UnusualTextError
    elif resolve_scalar(key) != (key, False):
        raise UnusualTextError
    elif text is None:
        return BlockLine(is_item, key, None, is_open=True)
    if text[0] in QUOTED:
        closed = _find_ending(text[1:], text[0]) == text[0]
        return BlockLine(is_item, key, *((_unquote(text), None) if closed else (text, read_quoted)))
    if text in LITERALS:
        return BlockLine(is_item, key, text[1:], read_literal)
    if text in ("{}", "[]"):
        return BlockLine(is_item, key, text, read_empty)
    if PLAIN.fullmatch(text) and not NOT_PLAIN.search(text):
        return BlockLine(is_item, key, resolve_scalar(text)[0], None, text)
    raise UnusualTextError


def _find_ending(text: str, quote: str) -> str:
    """Return what ends a line in quotes: the quote, a backslash before the line end, or nothing."""
    if (match := QUOTED[quote].fullmatch(text)) is None or text.endswith(" "):
        raise UnusualTextError
    return match[1]


def _unquote(text: str) -> str:
    """Return what a text says that stands in quotes, on one line."""
    inner = text[1:-1]
    if text[0] == "'":
        return inner.replace("''", "'")
    return ESCAPE.sub(_unescape, inner) if "\\" in inner else inner


def _unescape(match: re.Match[str]) -> str:
    if match[1] not in ESCAPES:
        raise UnusualTextError
    return ESCAPES[match[1]]


def read_empty(lines: list[str], start: int, column: int, text: str) -> tuple[Json, int]:
    """Return a mapping or a list that holds nothing; it is a new one each time."""
    return {} if text == "{}" else [], start


def read_literal(lines: list[str], start: int, column: int, ending: str) -> tuple[str, int]:
    """Return the text of the lines below a `|`, and the line behind it; it is more indented than a column."""
    content = lines[start].lstrip(" ") if start < len(lines) else ""
    indent = len(lines[start]) - len(content) if content else 0
    if indent <= column or content[0] == "\t":
        raise UnusualTextError
    pad, at = " " * indent, start
    while at < len(lines) and (lines[at].startswith(pad) or not lines[at].strip(" ")):
        at += 1
    text = "\n".join([line[indent:] for line in lines[start:at]])
    if ending == "+":
        return f"{text}\n", at
    text = text.rstrip("\n")
    return (text if ending else f"{text}\n"), at


def read_plain(lines: list[str], start: int, column: int, text: str) -> tuple[Json, int]:
    """Return a value that goes on over lines, and the line behind it."""
    parts, at = [text], start
    for end, breaks, content in _list_indented_lines(lines, start, column):
        if content[0] == "#":
            break
        if NOT_PLAIN.search(content):
            raise UnusualTextError
        parts += ("\n" * breaks or " ", content)
        at = end
    if at == start:
        raise UnusualTextError
    return resolve_scalar("".join(parts))[0], at


def read_quoted(lines: list[str], start: int, column: int, text: str) -> tuple[str, int]:
    """Return a text in quotes that goes on over lines, and the line behind it."""
    quote, parts = text[0], [text]
    ending = _find_ending(text[1:], quote)
    for end, breaks, content in _list_indented_lines(lines, start, column):
        if not ending:
            parts.append("\n" * breaks or " ")
        elif breaks:
            raise UnusualTextError
        else:
            parts[-1] = parts[-1].removesuffix(ending)
        parts.append(content)
        if (ending := _find_ending(content, quote)) == quote:
            return _unquote("".join(parts)), end
    raise UnusualTextError


def _list_indented_lines(lines: list[str], start: int, column: int) -> Iterator[tuple[int, int, str]]:
    """Yield lines that are more indented than a column: the one behind, empty lines before, the content."""
    breaks = 0
    for at in range(start, len(lines)):
        if not (content := lines[at].lstrip(" ")):
            breaks += 1
        elif len(lines[at]) - len(content) <= column:
            return
        else:
            yield at + 1, breaks, content
            breaks = 0


DEEPEST = 100
"""How many levels are read here."""
MOST_LINES = 100_000
"""How many lines of a document are held at once."""
LONG = 120
"""A line as long as that hardly comes again."""
MARKER = "---"
ROOT = "root"


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
        return _read_lines(lines, 1 if lines[0] == MARKER else 0)
    except UnusualTextError:
        return None


def _read_lines(lines: list[str], at: int) -> Document:
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
        is_item, key, value, read_on, plain, is_open = (
            parse_cached_line(content) if len(content) < LONG else parse_line(content)
        )
        at = below = at + 1
        level = 2 * column + is_item
        while top > level:
            del levels[-1], holders[-1]
            top, here, waiting = levels[-1], holders[-1], ""
        if top < level:
            if not waiting or len(levels) > DEEPEST:
                raise UnusualTextError
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
        held, nodes = column, nodes + 1
        waiting = key if key and is_open else ""
        if read_on is not None:
            value, at = read_on(lines, at, column, value)
        if key is None:
            here.append(value)
        elif key in here:
            raise UnusualTextError
        else:
            here[key] = value
    return Document(whole[ROOT], nodes)
