"""Semantic versions and ranges of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from operator import eq, ge, gt, le, lt, ne
from typing import TypeAlias

from kitgen.text.patterns import compile_late

VERSION = compile_late(r"v?(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?")
LONGEST = 253
"""As long as a name may be."""
CACHED = 4096
"""A kit holds the same few versions against the same few ranges, again and again."""
TERM = compile_late(r"(?:(>=|<=|!=|>|<|=)\s*)?(\S+)")
Key: TypeAlias = tuple[int, int, int, bool, tuple[tuple[bool, int, str], ...]]
COMPARE: dict[str, Callable[[Key, Key], bool]] = {">=": ge, "<=": le, ">": gt, "<": lt, "=": eq, "!=": ne}


@lru_cache(maxsize=CACHED)
def version_key(text: str) -> Key:
    """Return what versions are sorted by; raise ValueError when it is none."""
    match = VERSION.fullmatch(text) if len(text) <= LONGEST else None
    if not match:
        raise ValueError(f"found {text[:LONGEST]!r}, expected a version such as v1.5.0")
    major, minor, patch = (int(part or 0) for part in match.groups()[:3])
    pre = tuple(
        (not part.isdigit(), int(part) if part.isdigit() else 0, part)
        for part in (match[4] or "").split(".")
        if part
    )
    return (major, minor, patch, not pre, pre)


def is_version(text: str) -> bool:
    """Return whether a text is a version."""
    return len(text) <= LONGEST and VERSION.fullmatch(text) is not None


@lru_cache(maxsize=CACHED)
def is_final_version(text: str) -> bool:
    """Return whether a text is a version, and no pre-release such as a release candidate."""
    return is_version(text) and version_key(text)[3]


def is_patch_release(before: str, name: str) -> bool:
    """Return whether a version only raises the last number of another one; a candidate becomes no patch."""
    old, new = version_key(before), version_key(name)
    return old < new and old[:2] == new[:2] and new[2] > 0


def newest_before(versions: Iterable[str], version: str) -> str:
    """Return the newest of some versions before another one; empty if there is none."""
    older = (each for each in versions if version_key(each) < version_key(version))
    return max(older, key=version_key, default="")


def is_in_range(version: str, wanted: str) -> bool:
    """Return whether a version is in a range such as `>=1.5.0 <1.6.0`; an empty one takes all."""
    return _is_within(version_key(version), wanted)


def _is_within(key: Key, wanted: str) -> bool:
    return all(compare(key, bound) for compare, bound in _parse_bounds(wanted))


def is_inverted_range(wanted: str) -> bool:
    """Return whether a range ends before it begins, so that no version is in it."""
    lows, highs = (
        [version_key(bound) for sign, bound in TERM.findall(wanted) if sign.startswith(side)] for side in "><"
    )
    return bool(lows and highs) and max(lows) >= min(highs) and not _is_within(max(lows), wanted)


def widen_range(wanted: str, version: str) -> str:
    """Return the range that takes a version with a suffix just as the version without it.

    It is empty if the range does so already: v1.5.0-fork comes before v1.5.0, so only `>=1.5.0` and `<1.5.0`
    do not. The lowest suffix is `-0`.
    """
    plain = version.partition("+")[0].partition("-")[0]
    if is_in_range(version, wanted) == is_in_range(plain, wanted):
        return ""

    def widened(term: re.Match[str]) -> str:
        meant = term[1] in (">=", "<") and version_key(term[2]) == version_key(plain)
        return f"{term[0]}-0" if meant else term[0]

    found = TERM.sub(widened, wanted)
    return found if found != wanted else ""


@lru_cache(maxsize=CACHED)
def _parse_bounds(wanted: str) -> tuple[tuple[Callable[[Key, Key], bool], Key], ...]:
    """Read a range; all of it is read, whatever the first bound says."""
    terms = TERM.findall(wanted) if wanted.strip() not in ("", "*") else []
    return tuple((COMPARE[sign or "="], version_key(bound)) for sign, bound in terms)


def intersect_ranges(wanted: str, more: str) -> str:
    """Return the range of what is in both of two ranges, without the bounds that others imply."""
    terms = [(sign or "=", bound) for sign, bound in TERM.findall(f"{wanted} {more}") if bound != "*"]
    lower = [each for each in terms if each[0] in (">", ">=")]
    upper = [each for each in terms if each[0] in ("<", "<=")]
    kept = {
        *(each for each in terms if each[0] in ("=", "!=")),
        *sorted(lower, key=lambda each: (version_key(each[1]), each[0] == ">"))[-1:],
        *sorted(upper, key=lambda each: (version_key(each[1]), each[0] == "<="))[:1],
    }
    ordered = dict.fromkeys(each for each in (*lower, *upper, *terms) if each in kept)
    return " ".join(f"{sign}{bound}" for sign, bound in ordered)
