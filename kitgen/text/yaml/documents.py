"""Take a text apart into its documents without reading them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

ASCII = bytes([*b"\t\n", *range(0x20, 0x7F)])
ODD = "[^\t\n -~\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
"""What ends a line as \\n does, a mark of byte order, and what YAML does not allow; few texts need it."""
SAYS = re.compile(r"^ *[^ #\n]", re.MULTILINE)
"""The start of a line that is neither empty nor a comment."""
MARKER = re.compile(r"\n---(?![^ \t\n])")


class DocumentText(NamedTuple):
    """A part of a text, and how many lines are before it."""

    text: str
    before: int


def parts_of(text: str) -> Iterator[DocumentText] | None:
    """Return each document with its marker, or None if only a parser can tell them apart.

    Three dashes where a line begins end a document, whatever they stand in: what goes on over lines is
    indented, or must not hold them there.
    """
    # Most texts are of ASCII alone, and that is many times as fast.
    odd = text.encode().translate(None, ASCII) if text.isascii() else re.search(ODD, text)
    return None if odd or _has_line(text, "%") or _has_line(text, "...") else _parts(text)


def _has_line(text: str, start: str) -> bool:
    return text.startswith(start) or f"\n{start}" in text


def _parts(text: str) -> Iterator[DocumentText]:
    start, before = 0, 0
    for end in (*(match.start() + 1 for match in MARKER.finditer(text)), len(text)):
        # What stands above the first marker is a document only if it says something.
        if start or SAYS.search(text, 0, end):
            yield DocumentText(text[start:end], before)
        before += text.count("\n", start, end)
        start = end
