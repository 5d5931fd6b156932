"""Match Go's regular expressions, in linear time and with Go's meaning."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

CLASSES = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "ascii": r"\x00-\x7F",
    "blank": r"\t ",
    "cntrl": r"\x00-\x1F\x7F",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": r"!-\/:-@\[-`{-~",
    "space": r"\t\n\x0B\f\r ",
    "upper": "A-Z",
    "word": "0-9A-Za-z_",
    "xdigit": "0-9A-Fa-f",
}
# A quoted run, an escaped character, a class within brackets, a brace that Go takes literally.
ODD = re.compile(r"\\Q(.*?)(?:\\E|$)|(\\.)|\[:(\w+):\]|(\{,[0-9]*\})", re.DOTALL)


@lru_cache(maxsize=1024)
def matcher(pattern: str) -> Callable[[str], bool] | None:
    """Return a test for a pattern, unanchored as in Go, or None if it cannot be compiled.

    The engine is that of jsonschema-rs: it takes what Go takes, such as flags in the middle of a
    pattern, and no pattern makes it slow.
    """
    from jsonschema_rs import RegexOptions, ValidationError, validator_for

    try:
        validator = validator_for({"pattern": _translate(pattern)}, pattern_options=RegexOptions())
    except (ValidationError, ValueError):
        return None
    return validator.is_valid


def _translate(pattern: str) -> str:
    def swap(match: re.Match[str]) -> str:
        quoted, escaped, name, brace = match.groups()
        if escaped is not None:
            return escaped
        if name is not None:
            return CLASSES.get(name, match[0])
        return re.escape(quoted if quoted is not None else brace)

    return ODD.sub(swap, pattern)
