"""Read what stands in quotes or brackets, without a parser: texts on one line, collections on a few.

At the first character that may be anything else it gives up. The result is the same as the parser's.
"""

from __future__ import annotations

import re
from typing import Any

from kitgen.text.patterns import compile_late
from kitgen.text.yaml.data import STARTS, Json, JsonObject, resolve_scalar

ESCAPE = compile_late(r"\\(.)")
ESCAPES = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "\\": "\\", " ": " "}
"""What programs write most of all."""
WORD = (
    r"""('[^'\t]*+(?:''[^'\t]*+)*+'|"[^"\\\t]*+(?:\\[^\t][^"\\\t]*+)*+"|"""
    r"(?:[A-Za-z0-9_./$(<=~+^;]|-(?=[A-Za-z0-9_./-]))"
    r"(?:[^,\[\]{}:? \t]++|:(?![ ,\[\]{}?\t]|$)| ++(?=[^,\[\]{}:?# \t]))*+)"
)
ITEM = compile_late(
    rf" *+(?:{WORD}(?:: ++(?:([\[{{])|{WORD}))?+(?: *+([,\]}}]))?+|([\[\]{{}},])|([^ ]))(?: ++#.*+)?+"
)
"""An item, or an entry or how one starts, and the sign behind it; a sign by itself; or all else."""
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
    root: list[Json] = []
    above: list[Any] = [root]
    here, at, due, nodes = above[0], start, True, -1
    while True:
        for word, opened, inner, behind, alone, odd in ITEM.findall(text):
            if odd or (here is root and nodes >= 0):
                raise UnusualTextError
            if word or alone in OPENED:
                kind, sign = OPENED.get(opened or alone), behind
                value = kind() if kind else _read_scalar(inner or word)
                if not due or bool(opened or inner) is not (type(here) is dict):
                    raise UnusualTextError
                if type(here) is dict:
                    here[_read_key(word, here)] = value
                else:
                    here.append(value)
                due, nodes = kind is not None, nodes + 1
                if kind and len(above) > DEEPEST:
                    raise UnusualTextError
                if kind:
                    above.append(value)
                    here = value
            else:
                sign = alone
            if sign == "," and not due:
                due = True
            elif sign and type(here) is CLOSED.get(sign):
                del above[-1]
                here, due = above[-1], False
            elif sign:
                raise UnusualTextError
        if here is root:
            return root[0], at, nodes
        text = lines[at].strip(" ") if at < min(len(lines), start + MOST_LINES) else ""
        if not text or not (due or text[0] in CLOSED):
            raise UnusualTextError  # a text may go on there
        at += 1


def _read_key(word: str, here: JsonObject) -> str:
    key = _read_scalar(word)
    if not isinstance(key, str) or key in here or len(key) > LONGEST_KEY:
        raise UnusualTextError
    return key


def _read_scalar(word: str) -> Json:
    if (first := word[0]) in "'\"":
        return unquote_text(word)
    if first not in STARTS:
        return word
    value, ambiguous = resolve_scalar(word)
    if ambiguous:
        raise UnusualTextError
    return value
