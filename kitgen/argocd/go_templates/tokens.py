"""The words of Go's templates: texts, and what stands between the braces."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from enum import StrEnum
from typing import NamedTuple

from kitgen.argocd.go_templates.template import TemplateFault

OPEN, CLOSE = "{{", "}}"
BLANK = " \t\r\n"


class TokenKind(StrEnum):
    """What a word is."""

    TEXT = "text"
    OPEN = "open"
    CLOSE = "close"
    SPACE = "space"
    DECLARE = ":="
    ASSIGN = "="
    PIPE = "|"
    COMMA = ","
    LEFT = "("
    RIGHT = ")"
    STRING = "string"
    NUMBER = "number"
    CHARACTER = "character"
    VARIABLE = "variable"
    FIELD = "field"
    DOT = "dot"
    WORD = "word"


class Token(NamedTuple):
    """A word, and where it stands."""

    kind: TokenKind
    text: str
    offset: int


class BrokenError(Exception):
    """Says why a text is no template; only `parse` sees it."""

    def __init__(self, message: str, offset: int, hint: str = "") -> None:
        """Keep what is wrong."""
        super().__init__(message)
        self.fault = TemplateFault(message, offset, hint)


INSIDE = re.compile(
    r"""(?P<trim>[ \t\r\n]+-\}\})
    |(?P<space>[ \t\r\n]+)
    |(?P<close>\}\})
    |(?P<declare>:=)
    |(?P<assign>=)
    |(?P<pipe>\|)
    |(?P<comma>,)
    |(?P<left>\()
    |(?P<right>\))
    |(?P<string>"(?:[^"\\\n]|\\.)*+"|`[^`]*+`)
    |(?P<character>'(?:[^'\\\n]|\\.)++')
    |(?P<variable>\$\w*+)
    |(?P<number>[+-]?\.?[0-9][\w.]*+(?:(?<=[eEpP])[+-][0-9]++)?)
    |(?P<field>\.[^\W\d]\w*+)
    |(?P<dot>\.)
    |(?P<word>[^\W\d]\w*+)""",
    re.VERBOSE,
)
KINDS = {each.name.lower(): each for each in TokenKind}
ENDED = re.compile(r"[ \t\r\n.,|:()]|\}\}|\Z")
"""What may follow a name."""
NAMES = (TokenKind.VARIABLE, TokenKind.FIELD, TokenKind.WORD)


def tokens(text: str) -> Iterator[Token]:
    """Yield the words of a template; what trim markers take away is no part of its texts."""
    at, trims = 0, False
    while True:
        start = text.find(OPEN, at)
        piece = text[at:] if start < 0 else text[at:start]
        inner = start + len(OPEN)
        left = start >= 0 and text[inner : inner + 1] == "-" and text[inner + 1 : inner + 2] in tuple(BLANK)
        piece = piece.lstrip(BLANK) if trims else piece
        piece = piece.rstrip(BLANK) if left else piece
        if piece:
            yield Token(TokenKind.TEXT, piece, at)
        if start < 0:
            return
        inner += 2 if left else 0
        if text.startswith("/*", inner):
            at, trims = _after_comment(text, start, inner)
            continue
        yield Token(TokenKind.OPEN, OPEN, start)
        at, trims = yield from _inside(text, start, inner)


def _after_comment(text: str, start: int, at: int) -> tuple[int, bool]:
    """Return where a comment ends, and whether the blanks behind it go."""
    end = text.find("*/", at + 2)
    if end < 0:
        raise BrokenError("found a comment that nothing closes", start, "end it with */}}")
    end += 2
    if text.startswith(CLOSE, end):
        return end + len(CLOSE), False
    if text[end : end + 1] in tuple(BLANK) and text.startswith(f"-{CLOSE}", end + 1):
        return end + 2 + len(CLOSE), True
    raise BrokenError("found a comment with something behind it", start, "end it with */}} or */ -}}")


def _inside(text: str, start: int, at: int) -> Generator[Token, None, tuple[int, bool]]:
    """Yield the words up to the closing braces; return where these end, and whether blanks behind them go."""
    while at < len(text):
        match = INSIDE.match(text, at)
        if match is None or match.lastgroup is None:
            raise BrokenError(f"found {text[at]!r}, which no template has there", at, _why(text, at))
        word, at = match[0], match.end()
        if match.lastgroup in ("trim", "close"):
            yield Token(TokenKind.CLOSE, word, match.start())
            return at, match.lastgroup == "trim"
        kind = KINDS[match.lastgroup]
        if kind in NAMES and not ENDED.match(text, at):
            hint = (
                f'write index . "{word[1:]}…" for a key with other signs' if kind is TokenKind.FIELD else ""
            )
            raise BrokenError(f"found {text[at]!r} right behind {word}", at, hint)
        yield Token(kind, word, match.start())
    raise BrokenError("found an opening {{ that nothing closes", start, "add }}")


def _why(text: str, at: int) -> str:
    return "close the text that begins there" if text[at] in "\"'`" else ""
