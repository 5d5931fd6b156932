"""Hits as people see them: where the specs make what is wrong, and the place in an object."""

from __future__ import annotations

from typing import NamedTuple

from kitgen.findings import Finding, Path, format_pointer
from kitgen.kube.identity import ObjectId


class LocatedHit(NamedTuple):
    """One place of an object where something is wrong."""

    finding: Finding
    """Without what it is about, which several hits may have in common."""
    target: str = ""
    place: str = ""
    """The object and the field; empty if it is about no object."""


def format_place(identity: ObjectId, path: Path) -> str:
    """Write down a place of an object."""
    return f"{identity} {format_pointer(path)}".rstrip()
