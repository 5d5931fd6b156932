"""Regular expressions with Go's meaning: whether a text matches, and what in it does."""

from __future__ import annotations

import re
import warnings
from functools import lru_cache

from kitgen.crds.cel.run.table import function
from kitgen.crds.cel.run.values import FaultError, UnknownError, Value
from kitgen.schema.patterns import CLASSES, matcher

REPEATS = re.compile(r"(?<!\\)(?:[*+]|\{[0-9]+,[0-9]*\})")
NESTED = re.compile(r"\)(?:[*+]|\{)")
UNLIKE = re.compile(r"\\[pPQECzXK]|\(\?(?!:|P<|[is]+[:)])|\[\[:\^")
STEPS = 1_000_000
"""How long the engine of Python may look for what matches; it may go back, Go's does not."""


@function(".matches string string -> bool", "matches string string -> bool")
def _matches(text: str, pattern: str) -> bool:
    test = matcher(pattern)
    if test is None:
        raise UnknownError(f"the pattern {pattern[:60]}")
    try:
        return test(text)
    except UnicodeEncodeError as error:
        raise FaultError("invalid UTF-8") from error


@function(".find string string -> string")
def _find(text: str, pattern: str) -> str:
    found = _searcher(pattern, text).search(text)
    return found[0] if found else ""


@function(".findAll string string -> list(string)", ".findAll string string int -> list(string)")
def _find_all(text: str, pattern: str, most: int = -1) -> list[Value]:
    found = [match[0] for match in _searcher(pattern, text).finditer(text)]
    return found if most < 0 else found[:most]


def _searcher(pattern: str, text: str) -> re.Pattern[str]:
    """Return a pattern of Python that does the same as Go's, and cannot take long."""
    turns = min(len(REPEATS.findall(pattern)), 3)
    if (NESTED.search(pattern) and len(text) > 20) or (len(text) + 1) ** turns > STEPS:
        raise UnknownError(f"what matches the pattern {pattern[:60]}")
    return _python(pattern)


@lru_cache(maxsize=256)
def _python(pattern: str) -> re.Pattern[str]:
    if UNLIKE.search(pattern) or matcher(pattern) is None:
        raise UnknownError(f"what matches the pattern {pattern[:60]}")
    plain = re.sub(r"\[:(\w+):\]", lambda name: CLASSES.get(name[1], ""), pattern)
    plain = re.sub(r"(?<!\\)\$$", r"\\Z", plain)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # what sets may mean in Python one day
            return re.compile(plain, re.ASCII)
    except re.error as error:
        raise FaultError("error parsing regexp") from error
