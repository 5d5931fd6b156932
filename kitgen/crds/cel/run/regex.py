"""Regular expressions with Go's meaning: whether a text matches, and what in it does."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from functools import lru_cache

from kitgen.crds.cel.run.memory import TEXT, Take, reserve, stored
from kitgen.crds.cel.run.table import function
from kitgen.crds.cel.run.values import FaultError, UnknownError, Value
from kitgen.schema.patterns import CLASSES, compile_steps, compiled, matcher

REPEATS = re.compile(r"(?<!\\)(?:[*+]|\{[0-9]+,[0-9]*\})")
NESTED = re.compile(r"\)(?:[*+]|\{)")
UNLIKE = re.compile(r"\\[pPQECzXK]|\(\?(?!:|P<|[is]+[:)])|\[\[:\^")
SIMPLE, QUICK = 200, 8
"""A pattern of so few characters, that counts nothing, is matched against so many in one step; else one."""
TURNS = 32
STEPS = 1_000_000
"""How long the engine of Python may look for what matches; it may go back, Go's does not."""


@function(".matches string string -> bool", "matches string string -> bool", metered=True)
def _matches(take: Take, text: str, pattern: str) -> bool:
    test = _matcher(pattern, take)
    take(len(text) // (1 if len(pattern) > SIMPLE or "{" in pattern else QUICK))
    if test is None:
        raise UnknownError(f"the pattern {pattern[:60]}")
    try:
        return test(text)
    except UnicodeEncodeError as error:
        raise FaultError("invalid UTF-8") from error


@function(".find string string -> string", metered=True)
def _find(take: Take, text: str, pattern: str) -> str:
    found = _searcher(pattern, text, take).search(text)
    return found[0] if found else ""


@function(
    ".findAll string string -> list(string)", ".findAll string string int -> list(string)", metered=True
)
def _find_all(take: Take, text: str, pattern: str, most: int = -1) -> list[Value]:
    found: list[Value] = []
    for match in _searcher(pattern, text, take).finditer(text):
        if len(found) == most:
            break
        reserve(TEXT + stored(match[0]), take)
        found.append(match[0])
    return found


def _searcher(pattern: str, text: str, take: Take) -> re.Pattern[str]:
    """Return a pattern of Python that does the same as Go's, and cannot take long."""
    turns = (len(text) + 1) ** min(len(REPEATS.findall(pattern)), 3)
    if (NESTED.search(pattern) and len(text) > 20) or turns > STEPS:
        raise UnknownError(f"what matches the pattern {pattern[:60]}")
    take(turns // TURNS)
    _matcher(pattern, take)
    return _python(pattern)


def _matcher(pattern: str, take: Take) -> Callable[[str], bool] | None:
    """Return a test for a pattern; to make it anew takes steps."""
    known = compiled()
    test = matcher(pattern)
    take(compile_steps(pattern) if compiled() > known else 0)
    return test


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
