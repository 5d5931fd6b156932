"""Semantic versions and ranges of them."""

from __future__ import annotations

import re
from collections.abc import Callable
from operator import eq, ge, gt, le, lt, ne
from typing import TypeAlias

VERSION = re.compile(r"v?(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?")
LONGEST = 253
"""As long as a name may be."""
TERM = re.compile(r"\s*(>=|<=|!=|>|<|=)?\s*(\S+)")
Key: TypeAlias = tuple[int, int, int, bool, tuple[tuple[bool, int, str], ...]]
COMPARE: dict[str, Callable[[Key, Key], bool]] = {">=": ge, "<=": le, ">": gt, "<": lt, "=": eq, "!=": ne}


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
    """Tell whether a text is a version."""
    return VERSION.fullmatch(text) is not None


def in_range(version: str, wanted: str) -> bool:
    """Tell whether a version is in a range such as `>=1.5.0 <1.6.0`; an empty one takes all."""
    key = version_key(version)
    terms = TERM.findall(wanted) if wanted.strip() not in ("", "*") else []
    # All are read, whatever the first one says.
    bounds = [(sign, version_key(bound)) for sign, bound in terms]
    return all(COMPARE[sign or "="](key, bound) for sign, bound in bounds)
