"""What `kitgen conflicts` does: tell what two sources would both own on one cluster."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from kitgen.compare.conflicts import Conflict, conflicts
from kitgen.findings.errors import UsageError
from kitgen.workspace.sources import Kits
from kitgen.workspace.states import PINNED, SourceState, StateObjects, only_pinned, state_of, two_sources


class Conflicts(Struct, frozen=True, kw_only=True):
    """What both would own."""

    names: tuple[str, str]
    conflicts: tuple[Conflict, ...]
    texts: Mapping[str, str]
    """What was read, for the lines."""


def find_conflicts(root: Path | None, first: str, second: str) -> Conflicts:
    """Hold what two sources bring to a cluster against each other."""
    kits = Kits(root, PINNED if only_pinned(first, second) else None, everywhere=True)
    one, other = (state_of(kits, each) for each in two_sources(kits, first, second))
    return Conflicts(
        names=(one.name, other.name),
        conflicts=tuple(conflicts(_part(one).objects, _part(other).objects)),
        texts={**one.texts, **other.texts},
    )


def _part(state: SourceState) -> StateObjects:
    """Return what a state holds; several targets never share a cluster."""
    if len(state.parts) != 1:
        hint = ", ".join(f"target:{each}" for each in state.parts)
        raise UsageError(f"{state.name} holds several targets", hint=f"name one: {hint}" if hint else "")
    return next(iter(state.parts.values()))
