"""Split JSON into objects: the items of a list, or objects that follow one another, one at a time."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator

from kitgen.migrate.exports.spool import CHUNK, SpoolReader
from kitgen.migrate.exports.yaml_stream import MAX_PIECE, ODD, ExportPiece, OddExportError
from kitgen.text.patterns import compile_late
from kitgen.text.yaml import Json, JsonObject

SPACE = compile_late(r"[ \t\r\n]*")
NUMBER_END = 8
"""Behind a value there must be so many characters, or it may go on."""


def _require_unique_keys(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    if len(made := dict(pairs)) != len(pairs):
        raise OddExportError
    return made


def _parse_finite_number(text: str) -> float:
    value = float(text)
    if abs(value) == float("inf"):
        raise OddExportError
    return value


def _refuse_constant(_text: str) -> Json:
    raise OddExportError


PLAIN = json.JSONDecoder()
STRICT = json.JSONDecoder(
    object_pairs_hook=_require_unique_keys,
    parse_float=_parse_finite_number,
    parse_constant=_refuse_constant,
)
"""Reads what is as plain as JSON gets; OddExportError where the strict reader of YAML is to judge it."""


def split_json(file: SpoolReader) -> Iterator[ExportPiece]:
    """Yield the pieces of a stream of objects; of a list, its items come first."""
    scanner, document = _Scanner(file), 0
    while scanner.peek():
        yield from _split_object(scanner, document)
        document += 1


def _split_object(scanner: _Scanner, document: int) -> Iterator[ExportPiece]:
    """Yield an object; if it has items, those, and then what is left of it."""
    scanner.start_piece()
    head: dict[str, str] = {}
    data: JsonObject = {}
    count = -1
    scanner.expect("{")
    while scanner.peek() != "}":
        if head:
            scanner.expect(",")
        _, key = scanner.read_value()
        scanner.expect(":")
        if key in head or not isinstance(key, str):
            raise OddExportError
        if key == "items" and scanner.peek() == "[":
            head[key], count = "[]", 0
            for piece in _split_items(scanner, document):
                yield piece
                count += 1
        else:
            head[key], data[key] = scanner.read_value()
    scanner.expect("}")
    if count > 0:
        text = ", ".join(f"{json.dumps(key)}: {text}" for key, text in head.items())
        yield ExportPiece(f"{{{text}}}", scanner.lines, document, is_head=True, is_json=True)
    else:
        text, before = scanner.get_piece()
        known = ODD if count == 0 or any(each is ODD for each in data.values()) else data
        yield ExportPiece(text, before, document, is_json=True, data=known)


def _split_items(scanner: _Scanner, document: int) -> Iterator[ExportPiece]:
    scanner.expect("[")
    number = 0
    while scanner.peek() != "]":
        if number:
            scanner.expect(",")
            scanner.peek()
        scanner.start_piece()
        text, data = scanner.read_value()
        yield ExportPiece(text, scanner.lines, document, number, is_json=True, data=data)
        number += 1
    scanner.expect("]")


class _Scanner:
    """Reads as much of a stream as the next value takes."""

    def __init__(self, file: SpoolReader) -> None:
        self.file = file
        self.decode = codecs.getincrementaldecoder("utf-8")()
        self.text = ""
        self.at = self.start = self.lines = 0
        """Where to go on, where the piece starts, and how many lines stand above that."""
        self.ended = False

    def peek(self) -> str:
        """Return the next character behind space; empty at the end."""
        while True:
            found = SPACE.match(self.text, self.at)
            self.at = found.end() if found else self.at
            if self.at < len(self.text):
                return self.text[self.at]
            if self.ended:
                return ""
            self._read_chunk()

    def expect(self, character: str) -> None:
        """Go on behind a character; OddExportError if it is another."""
        if self.peek() != character:
            raise OddExportError
        self.at += 1

    def start_piece(self) -> None:
        """Start here, and forget what was before."""
        self.peek()
        self.lines += self.text.count("\n", self.start, self.at)
        if self.at > CHUNK:
            self.text, self.at = self.text[self.at :], 0
        self.start = self.at

    def get_piece(self) -> tuple[str, int]:
        """Return the text since the start, and how many lines are above it."""
        return self.text[self.start : self.at], self.lines

    def read_value(self) -> tuple[str, Json]:
        """Return the text of the next value, and what it says, and go on behind it."""
        self.peek()
        wanted = CHUNK
        while True:
            try:
                data, end = _decode_value(self.text, self.at)
            except RecursionError as error:
                raise OddExportError from error
            except ValueError as error:
                if self.ended or len(self.text) - self.at > MAX_PIECE:
                    raise OddExportError from error
            else:
                if self.ended or len(self.text) - end > NUMBER_END:
                    text, self.at = self.text[self.at : end], end
                    return text, data
            self._read_chunk(wanted)
            wanted *= 2  # so that a large value is looked at a few times only

    def _read_chunk(self, size: int = CHUNK) -> None:
        part = self.file.read(size)
        self.ended = not part
        try:
            self.text += self.decode.decode(part, final=self.ended)
        except UnicodeDecodeError as error:
            raise OddExportError from error


def read_json(text: str) -> Json:
    """Read what is as plain as JSON gets; ODD where the strict reader is to judge it."""
    try:
        return STRICT.decode(text)
    except (OddExportError, ValueError, RecursionError):
        return ODD


def _decode_value(text: str, start: int) -> tuple[Json, int]:
    """Return a value, or ODD, and where it ends; ValueError if it does not."""
    try:
        return STRICT.raw_decode(text, start)
    except OddExportError:
        return ODD, PLAIN.raw_decode(text, start)[1]
