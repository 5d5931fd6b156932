"""Split a YAML stream line by line into documents and items of a list, as kubectl prints them.

A piece is parsed as strictly as a file. Where the lines do not separate the pieces, one of them cannot be
parsed, or has more than one document or item; then the whole is read at once instead.
"""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from typing import NamedTuple

from kitgen.findings import Problem
from kitgen.migrate.exports.spool import CHUNK, SpoolReader
from kitgen.text.patterns import compile_late
from kitgen.text.yaml import Json

MAX_PIECE = 32 * 1024 * 1024
MARKER = b"---"
ITEMS = b"items:\n"
LAST_INDENTED = compile_late(rb"\n(?! )")
"""The end of a line above one that is not indented."""


class OddExportError(Exception):
    """Raised when a text is not as simple as kubectl prints it, with what is wrong, if that is known."""

    def __init__(self, *problems: Problem) -> None:
        super().__init__("; ".join(each.message for each in problems))
        self.problems = problems


ODD: Json = object()
"""Stands for what the strict reader is to judge."""


class ExportPiece(NamedTuple):
    """A document, an item of a list, or what is left of a list without its items."""

    text: str
    before: int
    """How many lines stand above it."""
    document: int
    item: int | None = None
    is_head: bool = False
    is_json: bool = False
    data: Json = ODD
    """What it says, if that is known."""


def split_yaml(file: SpoolReader) -> Iterator[ExportPiece]:
    """Yield the pieces of a stream; of a list, its items come first."""
    splitter, number = _Splitter(), 0
    for lines in _read_lines(file):
        start = 0 if lines.startswith(b" ") else lines.find(b"\n") + 1 or len(lines)
        if start:
            yield from splitter.add_line(_normalize_end(lines[:start]), number)
        if start < len(lines) and not splitter.add_indented_lines(lines[start:]):
            for at, line in enumerate(BytesIO(lines[start:]), number + bool(start)):
                yield from splitter.add_line(_normalize_end(line), at)
        number += lines.count(b"\n")
    yield from splitter.end_document()


def _read_lines(file: SpoolReader) -> Iterator[bytes]:
    """Yield a line and the indented ones below it, as far as they are read at once: an item, as a rule."""
    rest = b""
    while part := file.read(CHUNK):
        text = rest + part
        end, start = text.rfind(b"\n") + 1, 0
        if len(text) - end > MAX_PIECE:
            raise OddExportError
        for match in LAST_INDENTED.finditer(text, 0, end):
            yield text[start : match.end()]
            start = match.end()
        rest = text[end:]
    if rest:
        yield rest


def _normalize_end(line: bytes) -> bytes:
    return line[:-2] + b"\n" if line.endswith(b"\r\n") else line


class _Splitter:
    """Knows which document and which item a line is in."""

    def __init__(self) -> None:
        self.document = 0
        self.first = True
        self._start_document(0)

    def _start_document(self, line: int) -> None:
        self.line = line
        self.head: list[bytes] = []
        self.item: list[bytes] = []
        self.item_line = self.items = self.size = 0
        self.dash: bytes | None = None
        """How an item starts, while there are items."""
        self.waiting: list[bytes] = []
        """`items:` and blank lines, until it is known whether a list is below."""

    def add_indented_lines(self, lines: bytes) -> bool:
        """Take lines that are within an item which is not indented itself, or below a key; most are."""
        if b"\r" in lines or self.waiting or self.dash not in (None, b"-"):
            return False
        self._append_line(self.head if self.dash is None else self.item, lines)
        return True

    def add_line(self, line: bytes, number: int) -> Iterator[ExportPiece]:
        """Take a line, and yield the piece that it ends."""
        if (start := line[:1]) == b"-" and line.startswith(MARKER) and line[3:4] in (b"", b" ", b"\n", b"\t"):
            if line[3:].strip() and not line[3:].lstrip().startswith(b"#"):
                raise OddExportError
            yield from self.end_document()
            self.first = False
            self._start_document(number)
        elif start in (b"%", b"\t") or line.startswith(b"..."):
            raise OddExportError
        elif self.dash is not None:
            yield from self._add_list_line(line, number)
        elif self.waiting:
            self._detect_list(line, number)
        elif line == ITEMS:
            if self.items:
                raise OddExportError
            self.waiting.append(line)
        else:
            self._append_line(self.head, line)

    def _detect_list(self, line: bytes, number: int) -> None:
        """Take a line below `items:`: the first that is not blank decides whether there is a list."""
        if not line.strip():
            self._append_line(self.waiting, line)
            return
        dash = line[: len(line) - len(line.lstrip(b" "))] + b"-"
        if not line.startswith((dash + b" ", dash + b"\n")):
            self.head += [*self.waiting, line]
            self.waiting = []
            return
        self.head.append(b"items: []\n")
        self.waiting, self.dash = [], dash
        self._start_item(line, number)

    def _start_item(self, line: bytes, number: int) -> None:
        self.item, self.item_line, self.size = [], number, 0
        self._append_line(self.item, line)

    def _add_list_line(self, line: bytes, number: int) -> Iterator[ExportPiece]:
        assert self.dash is not None
        inside = self.dash[:-1] + b" "
        if line.startswith(inside) or not line.strip() or line.lstrip().startswith(b"#"):
            self._append_line(self.item, line)
        elif line.startswith((self.dash + b" ", self.dash + b"\n")):
            yield self._build_item_piece()
            self._start_item(line, number)
        elif line[:1] not in (b" ", b"\t") and line != ITEMS:
            yield self._build_item_piece()
            self.dash = None
            self._append_line(self.head, line)
        else:
            raise OddExportError

    def _append_line(self, lines: list[bytes], line: bytes) -> None:
        self.size += len(line)
        if self.size > MAX_PIECE:
            raise OddExportError
        lines.append(line)

    def _build_item_piece(self) -> ExportPiece:
        self.items += 1
        return ExportPiece(_decode_lines(self.item), self.item_line, self.document, self.items - 1)

    def end_document(self) -> Iterator[ExportPiece]:
        """Yield what is left of a document; above the first marker, only what says something is one."""
        if self.dash is not None:
            yield self._build_item_piece()
        self.head += self.waiting
        if self.first and all(line[:1] == b"#" or not line.strip() for line in self.head):
            return
        yield ExportPiece(
            _decode_lines(self.head), self.line + (not self.first), self.document, None, self.items > 0
        )
        self.document += 1


def _decode_lines(lines: list[bytes]) -> str:
    try:
        return b"".join(lines).decode("utf-8")
    except UnicodeDecodeError as error:
        raise OddExportError from error
