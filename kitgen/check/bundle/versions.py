"""Versions and ranges as the tools of OLM read them: three numbers, and ranges of comparisons."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from operator import eq, ge, gt, le, lt, ne
from typing import NamedTuple, TypeAlias

from kitgen.schema.wording import cut
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
EXACT = ("", "=", "==")
Bound: TypeAlias = tuple[str, str]


class VersionRange(NamedTuple):
    """A range: one of its parts must hold, and of that all comparisons."""

    parts: tuple[tuple[Bound, ...], ...]

    @property
    def is_empty(self) -> bool:
        """Tell whether no version is in the range: every part of it ends before it begins."""
        return all(map(_is_empty, self.parts))

    def holds(self, version: str) -> bool:
        """Tell whether a version is in the range."""
        if not is_strict(version):
            return False
        key = version_key(version)
        return any(all(SIGNS[sign](key, version_key(bound)) for sign, bound in part) for part in self.parts)


def _is_empty(part: tuple[Bound, ...]) -> bool:
    """Tell whether the highest lower bound of a part is above its lowest upper bound."""
    lower = [(version_key(bound), sign == ">") for sign, bound in part if sign in (">", ">=", *EXACT)]
    upper = [(version_key(bound), sign != "<") for sign, bound in part if sign in ("<", "<=", *EXACT)]
    if not lower or not upper:
        return False
    (low, above), (high, included) = max(lower), min(upper)
    return low > high or (low == high and (above or not included))


@lru_cache(maxsize=4096)
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


def wrong_range(text: str) -> str:
    """Return what is wrong with a range: OLM cannot read it, or no version is in it; empty if nothing is."""
    read = parse_version_range(text)
    if read is not None and not read.is_empty:
        return ""
    inverted = ", which ends before it begins" if read else ""
    return f"found {cut(text)}{inverted}, expected a range such as '>=1.0.0 <2.0.0'"


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
