"""Read block YAML as programs print it, line by line: several times as fast as a parser.

It supports keys, items, plain, quoted, literal and folded scalars, and collections in brackets. At the first
line that may be anything else it gives up, and the parser reads the document. The result is the same as the
parser's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple, TypeAlias

from msgspec import Struct

from kitgen.text.patterns import compile_late
from kitgen.text.yaml.data import STARTS, Json, resolve_scalar, walk_values
from kitgen.text.yaml.inline import OPENED, UnusualTextError, read_collection, unquote_text

ENTRY = compile_late(
    r"""(- )?(?:([A-Za-z0-9_./$][^\s:'"]{0,255}+|'[^'\t]{1,255}+'|"[^"\\\t]{1,255}+"):(?: (.+))?|(.+))"""
)
"""An item, an entry of a mapping, or an item that is a mapping and its first entry."""
SIGNS = frozenset(",[]{}#&*!|>'\"%@` ")
"""With which a value without quotes cannot begin."""
UNSURE = ("-", "?", ":")
"""With these it can, if no space is behind."""
QUOTED = {
    "'": compile_late(r"[^'\t]*(?:''[^'\t]*)*('?)"),
    '"': compile_late(r'[^"\\\t]*(?:\\[^\t][^"\\\t]*)*(["\\]?)'),
}
"""What may stand on a line behind an open quote: it is closed, the line end is escaped, or it goes on."""
BREAKS = compile_late(r"\n+")
ANCHORED, ANCHOR = ("&", "*"), compile_late(r"[&*]([A-Za-z0-9_-]+)")
MOST_ALIASED = 1000
"""How many values an alias may stand for here."""


ReadOn: TypeAlias = Callable[[list[str], int, int, str], tuple[Json, int, int]]
"""Takes lines, where to read on, a column and the start of a value.

Returns the value, the line behind it, and how many values are in it.
"""


class BlockLine(Struct, frozen=True):
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
    anchor: str = ""
    """Names what an open key holds; else what stands elsewhere by this name."""


@lru_cache(maxsize=2**14)
def parse_cached_line(content: str, strict: bool) -> BlockLine:
    """Take a line apart that may come again: those of manifests do, again and again."""
    return parse_line(content, strict)


def parse_line(content: str, strict: bool) -> BlockLine:
    """Take a line apart; a strict one has no words that readers disagree about."""
    if (match := ENTRY.fullmatch(content)) is None:
        raise UnusualTextError
    item, key, valued, alone = match.groups()
    is_item, text = item is not None, valued or alone or ""
    if key and key[0] in QUOTED:
        key = unquote_text(key)
    elif key and key[0] in STARTS and resolve_scalar(key) != (key, False):
        raise UnusualTextError
    first = text[:1]
    if not text and key is not None:
        return BlockLine(is_item, key, None, is_open=True)
    if first in QUOTED:
        if _find_ending(text[1:], first) == first:
            return BlockLine(is_item, key, unquote_text(text))
        return BlockLine(is_item, key, text, read_quoted)
    if first in OPENED:
        return BlockLine(is_item, key, text, read_collection)
    said = text
    if "#" in text:
        said = f" {text}".partition(" #")[0].rstrip(" ")[1:]
    if not said and key is not None:
        return BlockLine(is_item, key, None, is_open=True)
    if said in BELOW:
        return BlockLine(is_item, key, said[1:], BELOW[said])
    if first in ANCHORED and key is not None and (named := ANCHOR.fullmatch(said)):
        return BlockLine(is_item, key, None, is_open=first == "&", anchor=named[1])
    if not said or first in SIGNS or (first in UNSURE and said[1:2] in ("", " ")) or not _is_plain(said):
        raise UnusualTextError
    value, ambiguous = resolve_scalar(said)
    if ambiguous and strict:
        raise UnusualTextError
    return BlockLine(is_item, key, value, None, text if said == text else "")


def _is_plain(text: str) -> bool:
    """Return whether nothing in a value without quotes may be more than text."""
    return text[-1] not in " :" and not (": " in text or " #" in text or "\t" in text)


def _find_ending(text: str, quote: str) -> str:
    """Return what ends a line in quotes: the quote, a backslash before the line end, or nothing."""
    if (match := QUOTED[quote].fullmatch(text)) is None or text.endswith(" "):
        raise UnusualTextError
    return match[1]


def read_literal(lines: list[str], start: int, column: int, ending: str) -> tuple[str, int, int]:
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
        return f"{text}\n", at, 0
    text = text.rstrip("\n")
    return (text if ending else f"{text}\n"), at, 0


def read_folded(lines: list[str], start: int, column: int, ending: str) -> tuple[str, int, int]:
    """Return the text of the lines below a `>`, and the line behind it; it is more indented than a column."""
    text, at, _ = read_literal(lines, start, column, "-")
    if "\n " in text or "\n\t" in text:
        raise UnusualTextError  # lines that are indented further are not folded
    return BREAKS.sub(lambda breaks: breaks[0][1:] or " ", text) + ("" if ending else "\n"), at, 0


def read_plain(lines: list[str], start: int, column: int, text: str) -> tuple[Json, int]:
    """Return a value that goes on over lines, and the line behind it."""
    parts, at = [text], start
    for end, breaks, content in _list_indented_lines(lines, start, column):
        if content[0] == "#":
            break
        if not _is_plain(content):
            raise UnusualTextError
        parts += ("\n" * breaks or " ", content)
        at = end
    if at == start:
        raise UnusualTextError
    value, ambiguous = resolve_scalar("".join(parts))
    if ambiguous:
        raise UnusualTextError
    return value, at


def read_quoted(lines: list[str], start: int, column: int, text: str) -> tuple[str, int, int]:
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
            return unquote_text("".join(parts)), end, 0
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


BELOW: dict[str, ReadOn] = {
    **dict.fromkeys(("|", "|-", "|+"), read_literal),
    **dict.fromkeys((">", ">-"), read_folded),
}
"""What stands for a text on the lines below."""
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


def read_blocks(text: str, *, strict: bool = False) -> Document | None:
    r"""Return what a document holds, or None if it is not as simple as programs print it.

    The text is that of one document, with the line of its marker. All its characters are such as YAML allows,
    and nothing but \n ends a line. A strict one has no words that readers disagree about.
    """
    if not text.endswith("\n") or text.count("\n") > MOST_LINES:
        return None
    lines = text[:-1].split("\n")
    try:
        return _read_lines(lines, 1 if lines[0] == MARKER else 0, strict)
    except UnusualTextError:
        return None


class _Place:
    """Where in a document a line belongs, and what the lines before it named."""

    def __init__(self) -> None:
        self.here: Any = {ROOT: None}
        self.holders = [self.here]
        self.levels = [-1]
        """That of a mapping is twice its column; that of a list, which may start there too, is one more."""
        self.waiting = ROOT
        """The key of which the next line may say the value."""
        self.named: dict[str, tuple[Any, str]] = {}

    def enter(self, level: int, kind: type) -> None:
        """Go to the collection of a level, which is a new one if an open key waits for it."""
        levels, holders = self.levels, self.holders
        if levels[-1] > level:
            while levels[-1] > level:
                del levels[-1], holders[-1]
            self.here, self.waiting = holders[-1], ""
        if levels[-1] < level:
            if not self.waiting or len(levels) > DEEPEST:
                raise UnusualTextError
            self.here[self.waiting] = made = kind()
            self.push(level, made)

    def push(self, level: int, made: Any) -> None:
        """Go into a new collection."""
        self.here = made
        self.levels.append(level)
        self.holders.append(made)

    def note_name(self, name: str, key: str) -> None:
        """Note what the value of an open key is named."""
        if name in self.named:
            raise UnusualTextError
        self.named[name] = self.here, key

    def find_named(self, name: str) -> Json:
        """Return what has a name; it is whole, and none of those that are read still."""
        if name not in self.named:
            raise UnusualTextError
        holder, key = self.named[name]
        value = holder[key]
        size = sum(1 for _ in islice(walk_values(value), MOST_ALIASED))
        if size == MOST_ALIASED or any(each is value for each in self.holders):
            raise UnusualTextError
        return value


def _read_lines(lines: list[str], at: int, strict: bool) -> Document:
    place = _Place()
    plain, key, held, below, nodes = "", None, 0, 0, 1
    while at < len(lines):
        line = lines[at]
        content = line.lstrip(" ")
        if not content or content[0] == "#":
            at += 1
            continue
        column = len(line) - len(content)
        if plain and column > held:
            place.here[-1 if key is None else key], at = read_plain(lines, below, held, plain)
            plain = ""
            continue
        entry = parse_cached_line(content, strict) if len(content) < LONG else parse_line(content, strict)
        key, value, plain = entry.key, entry.value, entry.plain
        at = below = at + 1
        if key is None and not entry.is_item:  # the value of the open key above
            if not place.waiting or column <= held or entry.read_on in BELOW.values():
                raise UnusualTextError
            key = place.waiting
        else:
            if (level := 2 * column + entry.is_item) != place.levels[-1]:
                place.enter(level, list if entry.is_item else dict)
            if entry.is_item and key is not None:
                column, nodes = column + 2, nodes + 1
                place.here.append({})
                place.push(2 * column, place.here[-1])
            place.waiting, held, nodes = "", column, nodes + 1
        if entry.read_on is not None:
            value, at, more = entry.read_on(lines, at, held, value)
            nodes += more
        if entry.anchor and not entry.is_open:
            value, nodes = place.find_named(entry.anchor), nodes - 1
        if key is None:
            place.here.append(value)
        elif key in place.here and key != place.waiting:
            raise UnusualTextError
        else:
            place.here[key] = value
        place.waiting = key if key and entry.is_open else ""
        if entry.anchor and entry.is_open and key:
            place.note_name(entry.anchor, key)
    return Document(place.holders[0][ROOT], nodes)
