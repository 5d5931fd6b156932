"""Moves of kinds that migrations declare, so that comparisons need not guess them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple, TypeAlias

from kitgen.kit.model.migration import PHASES, KindName, MigrationPath, MovedField, Phase

GroupKind: TypeAlias = tuple[str, str]
"""A group and a kind, in whichever version."""


class DeclaredMove(NamedTuple):
    """What a kind becomes, and the migration that says so."""

    before: KindName
    after: KindName
    migration: str
    file: str
    way: MigrationPath
    targets: tuple[str, ...]
    fields: tuple[MovedField, ...] = ()
    """What becomes of fields."""
    both: str = ""
    """The release that serves both kinds, if there is one."""
    last: str = ""
    """The release that knows the new kind alone."""

    @property
    def old_kind(self) -> GroupKind:
        """Return the kind that moves."""
        return self.before.group, self.before.kind

    @property
    def new_kind(self) -> GroupKind:
        """Return what it becomes; of one that only changes its version, itself."""
        return self.after.group, self.after.kind

    @property
    def command(self) -> str:
        """Return the command that describes how to go on."""
        target = self.targets[0] if len(self.targets) == 1 else "TARGET"
        return f"kitgen migrate plan {self.migration} --target {target}"


DeclaredMoves: TypeAlias = tuple[DeclaredMove, ...]
NO_MOVES: DeclaredMoves = ()
THEN = ", then "


class CrdVersions(NamedTuple):
    """The versions that a CRD has, and the one that it stores."""

    known: frozenset[str]
    stored: str


Kinds: TypeAlias = Mapping[GroupKind, CrdVersions]


def find_move_paths(before: Kinds, after: Kinds, moves: DeclaredMoves) -> dict[GroupKind, DeclaredMoves]:
    """Return the moves that take kinds from one state to another, in order; kinds that do not move have none.

    A kind that leaves moves only if what it becomes is there. One that stays moves from a version to another
    that takes its place. So nothing else that becomes of it, before or later, counts as declared.
    """
    found = {kind: _find_move_path(kind, before, after, moves) for kind in before} if moves else {}
    return {kind: way for kind, way in found.items() if way}


def _find_move_path(kind: GroupKind, before: Kinds, after: Kinds, moves: DeclaredMoves) -> DeclaredMoves:
    went: list[DeclaredMove] = []
    at, versions = kind, before[kind]
    while at not in after:
        step = next(
            (each for each in moves if each.old_kind == at != each.new_kind and each not in went), None
        )
        if step is None:
            return ()
        went.append(step)
        at, versions = step.new_kind, CrdVersions(frozenset({step.after.version}), step.after.version)
    if at != kind and at in before:  # its own versions are its own way
        return tuple(went)
    return (*went, *_find_version_moves(at, versions, after[at], moves))


def _find_version_moves(
    kind: GroupKind, was: CrdVersions, now: CrdVersions, moves: DeclaredMoves
) -> DeclaredMoves:
    """Return the moves of a kind from version to version, up to the last one that is there."""
    went: list[DeclaredMove] = []
    todo = [each for each in moves if each.old_kind == kind == each.new_kind]
    while step := next((each for each in todo if _is_applied(each, was, now)), None):
        todo.remove(step)
        went.append(step)
        old, new = step.before.version, step.after.version
        was = CrdVersions((was.known - {old}) | {new}, new if was.stored == old else was.stored)
    while went and went[-1].after.version not in now.known:
        went.pop()
    return tuple(went)


def _is_applied(move: DeclaredMove, was: CrdVersions, now: CrdVersions) -> bool:
    old, new = move.before.version, move.after.version
    stored = was.stored == old and now.stored == new
    return old in was.known and (old not in now.known or stored or (new in now.known - was.known))


def restrict_moves(moves: DeclaredMoves, target: str) -> DeclaredMoves:
    """Return moves as one target goes through them, where their migrations are for it."""
    return tuple(each._replace(targets=(target,)) if target in each.targets else each for each in moves)


def format_move_files(moves: Iterable[DeclaredMove]) -> str:
    """Return the files that declare moves."""
    return " and ".join(dict.fromkeys(each.file for each in moves))


def format_move_reasons(moves: Iterable[DeclaredMove]) -> str:
    """Return why what moves break is accepted."""
    return f"declared in {format_move_files(moves)}"


def format_move_commands(moves: Iterable[DeclaredMove]) -> str:
    """Return where to go on, migration by migration."""
    return THEN.join(dict.fromkeys(each.command for each in moves))


def list_middle_phases(way: MigrationPath, *, introduced: bool) -> tuple[Phase, ...]:
    """Return the phases that lie before the last one, from the start or, once introduced, from there."""
    phases = PHASES[way]
    start = phases.index(Phase.INTRODUCE) if introduced and Phase.INTRODUCE in phases else 0
    return phases[start + 1 : -1]
