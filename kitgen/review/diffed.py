"""All that changes between two states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from kitgen.findings import Finding
from kitgen.objects import Manifest
from kitgen.review.change import Reviewed


class Diffed(Struct, frozen=True, kw_only=True):
    """What changes."""

    names: tuple[str, str]
    """What the two sides are called."""
    changes: tuple[Reviewed, ...]
    scopes: tuple[str, ...]
    """The targets that were compared, if they are several."""
    sides: Mapping[str, tuple[Sequence[Manifest], Sequence[Manifest]]]
    """The objects of both sides, by target."""
    texts: Mapping[str, str]
    """What was read, for the lines of origins."""
    remarks: tuple[str, ...] = ()
    """What was not compared."""
    unread: tuple[Finding, ...] = ()
    """Migrations that do not count, since they are wrong."""
