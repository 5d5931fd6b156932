"""What `kitgen conflicts` does: tell what two sources would both own on one cluster."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from kitgen.compare.conflicts import Conflict, list_conflicts
from kitgen.findings.errors import UsageError
from kitgen.workspace.sources import Kits
from kitgen.workspace.states import (
    PINNED,
    SourceState,
    StateObjects,
    needs_only_pinned,
    resolve_source_pair,
    state_of,
)


class Conflicts(Struct, frozen=True, kw_only=True):
    """What both would own."""

    names: tuple[str, str]
    conflicts: tuple[Conflict, ...]
    texts: Mapping[str, str]
    """What was read, for the lines."""


def find_conflicts(root: Path | None, first: str, second: str) -> Conflicts:
    """Hold what two sources bring to a cluster against each other."""
    kits = Kits(root, PINNED if needs_only_pinned(first, second) else None, everywhere=True)
    one, other = (state_of(kits, each) for each in resolve_source_pair(kits, first, second))
    return Conflicts(
        names=(one.name, other.name),
        conflicts=tuple(list_conflicts(_get_single_part(one).objects, _get_single_part(other).objects)),
        texts={**one.texts, **other.texts},
    )


def _get_single_part(state: SourceState) -> StateObjects:
    """Return what a state holds; several targets never share a cluster."""
    if len(state.parts) != 1:
        hint = ", ".join(f"target:{each}" for each in state.parts)
        raise UsageError(f"{state.name} holds several targets", hint=f"name one: {hint}" if hint else "")
    return next(iter(state.parts.values()))
