"""Versions and ranges as the tools of OLM read them: three numbers, and ranges of comparisons.

Versions of OpenShift as a bundle names them, and the minors of Kubernetes that they have.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from operator import eq, ge, gt, le, lt, ne
from typing import NamedTuple, TypeAlias

from msgspec import Struct

from kitgen.kube.definitions import list_minors as known_minors
from kitgen.text.patterns import compile_late
from kitgen.text.semver import Key, version_key
from kitgen.text.wording import quote_text

NUMBER = r"(?:0|[1-9][0-9]{0,18})"
PART = r"(?:0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)"
VERSION = compile_late(
    rf"{NUMBER}\.{NUMBER}\.{NUMBER}(?:-{PART}(?:\.{PART})*)?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?",
    re.ASCII,
)
TERM = compile_late(rf"(>=|<=|!=|==|>|<|=|!)?({NUMBER}(?:\.(?:{NUMBER}|x))?(?:\.[^\s|]+)?)", re.ASCII)
WILD = compile_late(rf"({NUMBER})(?:\.({NUMBER}))?(?:\.x)+", re.ASCII)
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

    def contains(self, version: str) -> bool:
        """Tell whether a version is in the range."""
        if not is_strict_version(version):
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
def is_strict_version(text: str) -> bool:
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
            if (found := _parse_bounds(word)) is None:
                return None
            bounds += found
        if not bounds:
            return None
        parts.append(tuple(bounds))
    return VersionRange(tuple(parts))


def describe_range_error(text: str) -> str:
    """Return what is wrong with a range: OLM cannot read it, or no version is in it; empty if nothing is."""
    if (read := parse_version_range(text)) is not None and not read.is_empty:
        return ""
    inverted = ", which ends before it begins" if read else ""
    return f"found {quote_text(text)}{inverted}, expected a range such as '>=1.0.0 <2.0.0'"


def _parse_bounds(word: str) -> list[Bound] | None:
    if (match := TERM.fullmatch(word)) is None:
        return None
    sign, version = match[1] or "", match[2]
    if (wild := WILD.fullmatch(version)) is not None:
        return _expand_wildcard(sign, int(wild[1]), int(wild[2]) if wild[2] else None)
    return [(sign, version)] if is_strict_version(version) else None


def _expand_wildcard(sign: str, major: int, minor: int | None) -> list[Bound] | None:
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


APART = 13
"""OpenShift 4.N has the minor N + 13 of Kubernetes 1, from 4.3 on."""
FIFTH = 23
"""Minors of OpenShift 4 before 5.0, which takes the next minor of Kubernetes."""
BUILT = 12
"""The oldest minor of OpenShift 4 that the community's catalog is still built for."""
MINOR = r"v?[45]\.\d{1,3}"
ONE = compile_late(r"v?([45])\.(\d{1,3})", re.ASCII)
LISTED = compile_late(rf"{MINOR}(?:\s*,\s*{MINOR})+", re.ASCII)
EXACTLY = compile_late(rf"=\s*{MINOR}", re.ASCII)
FROM_TO = compile_late(rf"{MINOR}(?:\s*-\s*{MINOR})?", re.ASCII)
OLD_LIST = frozenset({"v4.5,v4.6", "v4.6,v4.5"})
"""The one list that every catalog reads alike."""


class OpenShiftVersions(Struct, frozen=True):
    """The minors of OpenShift that a bundle is for, with those of 5 counted on from those of 4."""

    first: int
    last: int | None
    """None if no newest one is said."""
    listed: bool = False
    """Whether it is a list, which catalogs read in their own ways."""

    @property
    def newest(self) -> int:
        """Return the newest one, as far as any is known."""
        return self.last if self.last is not None else max(self.first, known_minors()[-1] - APART)

    def covers(self, other: OpenShiftVersions) -> bool:
        """Tell whether another range is within this one."""
        until = other.last is not None and (self.last is None or other.last <= self.last)
        return self.first <= other.first and (self.last is None or until)

    @property
    def supported_versions(self) -> OpenShiftVersions | None:
        """Return the part that catalogs are still built for; None if there is none."""
        if self.last is not None and self.last < BUILT:
            return None
        return OpenShiftVersions(max(self.first, BUILT), self.last, self.listed)


def parse_openshift_versions(text: str) -> OpenShiftVersions | None:
    """Read `v4.12` (from there on), `=v4.12`, `v4.10-v4.15` or a list; None if it is none of them."""
    text = text.strip()
    minors = [_parse_minor(each) for each in ONE.finditer(text)]
    if LISTED.fullmatch(text):
        return OpenShiftVersions(min(minors), None, listed=True)
    if EXACTLY.fullmatch(text):
        return OpenShiftVersions(minors[0], minors[0])
    if not FROM_TO.fullmatch(text) or minors[-1] < minors[0]:
        return None
    return OpenShiftVersions(minors[0], minors[1] if len(minors) > 1 else None)


def is_inverted_range(text: str) -> bool:
    """Tell whether a text is a range that ends before it begins."""
    return FROM_TO.fullmatch(text.strip()) is not None and parse_openshift_versions(text) is None


def _parse_minor(match: re.Match[str]) -> int:
    return int(match[2]) + (FIFTH if match[1] == "5" else 0)


def format_openshift(openshift: int) -> str:
    """Return a minor as people call it, such as 4.12 or 5.0."""
    return f"4.{openshift}" if openshift < FIFTH else f"5.{openshift - FIFTH}"


def kubernetes_minor_of(openshift: int) -> int:
    """Return the minor of Kubernetes that a minor of OpenShift 4 has."""
    return openshift + (APART if openshift > 2 else APART - 1)
