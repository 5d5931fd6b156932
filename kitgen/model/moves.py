"""DeclaredMoves of kinds that migrations declare: what comparisons take for a move without guessing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

from kitgen.model.migration import MovedKind


class Heir(NamedTuple):
    """What a kind becomes, and the file that says so."""

    group: str
    kind: str
    file: str


DeclaredMoves: TypeAlias = Mapping[tuple[str, str], Heir]
"""Group and kind → what it becomes; of one that only changes its version, itself."""
NO_MOVES: DeclaredMoves = MappingProxyType({})


def declared_by(kinds: Iterable[MovedKind]) -> DeclaredMoves:
    """Return the moves of kinds; one that leaves its group counts before a change of its version."""
    found: dict[tuple[str, str], Heir] = {}
    for each in sorted(kinds, key=lambda kind: kind.within_group):
        old, new = each.before, each.after
        found.setdefault((old.group, old.kind), Heir(new.group, new.kind, each.origin.file))
    return found


def declared_in(group: str, kind: str, moves: DeclaredMoves) -> str:
    """Return the file that declares the move of a kind, or to it; empty if none does."""
    if (group, kind) in moves:
        return moves[group, kind].file
    return next((each.file for each in moves.values() if (each.group, each.kind) == (group, kind)), "")
