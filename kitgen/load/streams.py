"""Make one YAML stream of the bytes of a file, as kubectl reads them.

A mark of byte order says UTF-16 or UTF-8, and may stand before each document where files were put together.
JSON objects may follow one another without anything between them.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator

from kitgen.findings import Problem
from kitgen.load.files import decoded
from kitgen.yamlio.rules import YAML_SYNTAX

UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
MARK = "\ufeff"
MARKED = re.compile(rf"^(---[^\n]*\n){MARK}", re.MULTILINE)
NEXT = re.compile(r"\}\s*\{")
SPACE = re.compile(r"\s*")
ODD_START = re.compile(r"\n(---[^\S\n]*[^\s#]|%(?:YAML|TAG)\b)")


def stream(data: bytes) -> str | Problem:
    """Return what a file holds as one text, or why it is none; lines stay where they are."""
    # UTF-32 begins like UTF-16 and goes on with a zero, which is no text.
    wide = data.startswith(UTF_16) and data[2:4] != b"\0\0"
    text = decoded(data, "utf-16" if wide else "utf-8-sig")
    if not isinstance(text, str):
        return text
    if MARK in text:
        text = MARKED.sub(r"\1", text)
    return _parted(text) if text.lstrip().startswith("{") and NEXT.search(text) else text


def _parted(text: str) -> str:
    """Put a mark between JSON objects that follow one another; anything else stays as it is."""
    parts: list[str] = []
    at = 0
    while (start := _behind_space(text, at)) < len(text):
        try:
            _, end = json.JSONDecoder().raw_decode(text, start)
        except (ValueError, RecursionError):
            return text
        space = text[at:start]
        parts.append(space if not parts else f"{space if space.endswith(chr(10)) else chr(10)}--- ")
        parts.append(text[start:end])
        at = end
    return "".join((*parts, text[at:]))


def _behind_space(text: str, at: int) -> int:
    found = SPACE.match(text, at)
    return found.end() if found else at


def refused(text: str) -> Iterator[Problem]:
    """Yield what YAML allows and kubectl does not: directives, and a document on the line of its marker."""
    if text.lstrip().startswith(("{", "[")):
        return  # JSON, which is parted by other means
    text = f"\n{text}"  # a pattern that starts with a line end is found many times as fast as one with ^
    line, at = 0, 0
    for match in ODD_START.finditer(text):
        line, at = line + text.count("\n", at, match.end()), match.end()
        if match[1].startswith("%"):
            message, hint = "found a directive, which kubectl does not take", "remove the line"
        else:
            message, hint = (
                "found text behind ---, which kubectl does not take",
                "begin a new line behind ---",
            )
        yield YAML_SYNTAX(message, (), hint, line)
