"""Read what stands in quotes or brackets, without a parser: texts on one line, collections on a few.

At the first character that may be anything else it gives up. The result is the same as the parser's.
"""

from __future__ import annotations

import re
from typing import Any

from kitgen.text.patterns import compile_late
from kitgen.text.yaml.data import Json, resolve_scalar

ESCAPE = compile_late(r"\\(.)")
ESCAPES = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "\\": "\\", " ": " "}
"""What programs write most of all."""
TOKEN = compile_late(
    r""" *+(?:([\[\]{},])(?: ++#.*+)?+|('[^'\t]*+(?:''[^'\t]*+)*+'|"[^"\\\t]*+(?:\\[^\t][^"\\\t]*+)*+"|"""
    r"(?:[A-Za-z0-9_./$(<=~+^;]|-(?=[A-Za-z0-9_./-]))"
    r"(?:[^,\[\]{}:? \t]++|:(?![ ,\[\]{}?\t]|$)| ++(?=[^,\[\]{}:?# \t]))*+"
    r")(:(?= ))?+|([^ ]))"
)
"""A bracket or a comma, a text in quotes or without, which is a key if a colon is behind it, or all else."""
OPENED: dict[str, type] = {"[": list, "{": dict}
CLOSED: dict[str, type] = {"]": list, "}": dict}
DEEPEST = 50
LONGEST_KEY = 255
MOST_LINES = 1_000


class UnusualTextError(Exception):
    """Raised when a text is not simple, and needs the parser."""


def unquote_text(text: str) -> str:
    """Return what a text says that stands in quotes, on one line."""
    inner = text[1:-1]
    if text[0] == "'":
        return inner.replace("''", "'")
    return ESCAPE.sub(_unescape, inner) if "\\" in inner else inner


def _unescape(match: re.Match[str]) -> str:
    if match[1] not in ESCAPES:
        raise UnusualTextError
    return ESCAPES[match[1]]


def read_collection(lines: list[str], start: int, column: int, text: str) -> tuple[Json, int, int]:
    """Return a collection in brackets, the line behind it, and how many values are in it.

    It is a new one each time.
    """
    above: list[Any] = [[]]
    at, key, due, nodes = start, None, True, -1
    while True:
        for sign, word, colon, odd in TOKEN.findall(text):
            here = above[-1]
            if odd or (nodes >= 0 and len(above) == 1):
                raise UnusualTextError
            if sign == ",":
                if due:
                    raise UnusualTextError
                due = True
            elif sign in CLOSED:
                if key is not None or type(here) is not CLOSED[sign]:
                    raise UnusualTextError
                del above[-1]
                due = False
            elif not due or bool(colon) is not (type(here) is dict and key is None) or len(above) > DEEPEST:
                raise UnusualTextError
            elif colon:
                key = _read_key(word, here)
            else:
                value = OPENED[sign]() if sign else _read_scalar(word)
                nodes += 1
                if key is None:
                    here.append(value)
                else:
                    here[key] = value
                key, due = None, bool(sign)
                if sign:
                    above.append(value)
        if len(above) == 1:
            return above[0][0], at, nodes
        text = lines[at].strip(" ") if at < min(len(lines), start + MOST_LINES) else ""
        if not text or not ((due and key is None) or text[0] in CLOSED):
            raise UnusualTextError  # a text may go on there
        at += 1


def _read_key(word: str, here: Any) -> str:
    key = _read_scalar(word)
    if not isinstance(key, str) or key in here or len(key) > LONGEST_KEY:
        raise UnusualTextError
    return key


def _read_scalar(word: str) -> Json:
    if word[0] in "'\"":
        return unquote_text(word)
    value, ambiguous = resolve_scalar(word)
    if ambiguous:
        raise UnusualTextError
    return value
