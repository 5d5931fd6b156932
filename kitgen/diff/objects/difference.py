"""A difference: an object, a place in it, and what the two sides have there."""

from __future__ import annotations

from enum import Enum
from typing import TypeAlias

from msgspec import Struct

from kitgen.findings import Path
from kitgen.objects import ObjectId, value_at
from kitgen.yamlio import Json


class Absent(Enum):
    """Stands for a value that is not there."""

    ABSENT = "absent"


ABSENT = Absent.ABSENT
Found: TypeAlias = Json | Absent
"""A value, or that there is none."""


class Difference(Struct, frozen=True, kw_only=True):
    """One thing that is not the same on both sides."""

    object: ObjectId
    """As the side has it that has the object; as the left one does where both have it."""
    field: str = ""
    """The place in words: items of lists by their names, permissions by their resource; empty for the whole
    object."""
    path: Path = ()
    """The place in the left object, or where it would be; what is inside a text goes on below that text."""
    left: Found
    right: Found
    order: bool = False
    """Both have the same items, in another order."""
    equal: bool = False
    """Both have the same amount, written otherwise."""


def found_at(body: Json, path: Path) -> Found:
    """Return the value at a path, or that there is none."""
    try:
        return value_at(body, path)
    except KeyError:
        return ABSENT
