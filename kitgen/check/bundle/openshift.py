"""Versions of OpenShift as a bundle names them, and the minors of Kubernetes that they have."""

from __future__ import annotations

import re

from msgspec import Struct

from kitgen.kubernetes import minors as known_minors

APART = 13
"""OpenShift 4.N has the minor N + 13 of Kubernetes 1, from 4.3 on."""
FIFTH = 23
"""Minors of OpenShift 4 before 5.0, which takes the next minor of Kubernetes."""
BUILT = 12
"""The oldest minor of OpenShift 4 that the community's catalog is still built for."""
ONE = re.compile(r"v?([45])\.(\d{1,3})", re.ASCII)
LISTED = re.compile(r"v?[45]\.\d{1,3}(?:\s*,\s*v?[45]\.\d{1,3})+", re.ASCII)
OLD_LIST = frozenset({"v4.5,v4.6", "v4.6,v4.5"})
"""The one list that every catalog reads alike."""


class Versions(Struct, frozen=True):
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

    def covers(self, other: Versions) -> bool:
        """Tell whether another range is within this one."""
        until = other.last is not None and (self.last is None or other.last <= self.last)
        return self.first <= other.first and (self.last is None or until)

    @property
    def built(self) -> Versions | None:
        """Return the part that catalogs are still built for; None if there is none."""
        if self.last is not None and self.last < BUILT:
            return None
        return Versions(max(self.first, BUILT), self.last, self.listed)


def parse_versions(text: str) -> Versions | None:
    """Read `v4.12` (from there on), `=v4.12`, `v4.10-v4.15` or a list; None if it is none of them."""
    text = text.strip()
    if LISTED.fullmatch(text):
        found = [_minor(each) for each in ONE.finditer(text)]
        return Versions(min(found), None, listed=True)
    first, dash, last = text.removeprefix("=").partition("-")
    from_, to = ONE.fullmatch(first.strip()), ONE.fullmatch(last.strip())
    if from_ is None or (dash and (to is None or text.startswith("="))):
        return None
    start = _minor(from_)
    if text.startswith("="):
        return Versions(start, start)
    end = _minor(to) if to else None
    return None if end is not None and end < start else Versions(start, end)


def is_inverted(text: str) -> bool:
    """Tell whether a text is a range that ends before it begins."""
    first, _, last = text.partition("-")
    from_, to = ONE.fullmatch(first.strip()), ONE.fullmatch(last.strip())
    return from_ is not None and to is not None and _minor(to) < _minor(from_)


def _minor(match: re.Match[str]) -> int:
    return int(match[2]) + (FIFTH if match[1] == "5" else 0)


def named(openshift: int) -> str:
    """Return a minor as people call it, such as 4.12 or 5.0."""
    return f"4.{openshift}" if openshift < FIFTH else f"5.{openshift - FIFTH}"


def minor_of(openshift: int) -> int:
    """Return the minor of Kubernetes that a minor of OpenShift 4 has."""
    return openshift + (APART if openshift > 2 else APART - 1)
