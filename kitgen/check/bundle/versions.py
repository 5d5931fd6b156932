"""Versions and ranges as the tools of OLM read them: three numbers, and ranges of comparisons."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from operator import eq, ge, gt, le, lt, ne
from typing import NamedTuple, TypeAlias

from kitgen.semver import Key, version_key

NUMBER = r"(?:0|[1-9][0-9]{0,18})"
PART = r"(?:0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)"
VERSION = re.compile(
    rf"{NUMBER}\.{NUMBER}\.{NUMBER}(?:-{PART}(?:\.{PART})*)?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?",
    re.ASCII,
)
TERM = re.compile(rf"(>=|<=|!=|==|>|<|=|!)?({NUMBER}(?:\.(?:{NUMBER}|x))?(?:\.[^\s|]+)?)", re.ASCII)
WILD = re.compile(rf"({NUMBER})(?:\.({NUMBER}))?(?:\.x)+", re.ASCII)
LONGEST = 253
SIGNS: dict[str, Callable[[Key, Key], bool]] = {
    **{">=": ge, "<=": le, ">": gt, "<": lt, "=": eq, "==": eq, "": eq, "!": ne, "!=": ne},
}
Bound: TypeAlias = tuple[str, str]


class VersionRange(NamedTuple):
    """A range: one of its parts must hold, and of that all comparisons."""

    parts: tuple[tuple[Bound, ...], ...]

    def holds(self, version: str) -> bool:
        """Tell whether a version is in the range."""
        if not is_strict(version):
            return False
        key = version_key(version)
        return any(all(SIGNS[sign](key, version_key(bound)) for sign, bound in part) for part in self.parts)


def is_strict(text: str) -> bool:
    """Tell whether a text is a semantic version as the specification has it, without a v."""
    return len(text) <= LONGEST and VERSION.fullmatch(text) is not None


@lru_cache(maxsize=4096)
def parse_version_range(text: str) -> VersionRange | None:
    """Read a range such as `>=1.0.0 <2.0.0 || 3.x`; None if OLM could not."""
    if len(text) > LONGEST:
        return None
    parts = []
    for part in text.split("||"):
        bounds: list[Bound] = []
        for word in re.sub(r"([<>=!])\s+", r"\1", part).split():
            if (found := _bounds(word)) is None:
                return None
            bounds += found
        if not bounds:
            return None
        parts.append(tuple(bounds))
    return VersionRange(tuple(parts))


def _bounds(word: str) -> list[Bound] | None:
    match = TERM.fullmatch(word)
    if match is None:
        return None
    sign, version = match[1] or "", match[2]
    if (wild := WILD.fullmatch(version)) is not None:
        return _wild(sign, int(wild[1]), int(wild[2]) if wild[2] else None)
    return [(sign, version)] if is_strict(version) else None


def _wild(sign: str, major: int, minor: int | None) -> list[Bound] | None:
    low = f"{major}.{minor or 0}.0"
    high = f"{major + 1}.0.0" if minor is None else f"{major}.{minor + 1}.0"
    match sign:
        case "" | "=" | "==":
            return [(">=", low), ("<", high)]
        case ">=" | "<":
            return [(sign, low)]
        case ">":
            return [(">=", high)]
        case "<=":
            return [("<", high)]
        case _:
            return None
