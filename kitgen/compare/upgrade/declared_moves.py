"""What migrations declare of an upgrade: the moves that it makes, and what is accepted since they say so."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.check.context import CheckHit
from kitgen.compare.crd_match import Crds, find_declared_moves
from kitgen.compare.upgrade.crds import BrokenCrd
from kitgen.compare.upgrade.rules import DECLARED, UPGRADE_GROUP, UPGRADE_MIGRATION
from kitgen.findings import Problem, Rule
from kitgen.kit.model.moves import (
    DeclaredMove,
    DeclaredMoves,
    GroupKind,
    format_move_reasons,
    list_middle_phases,
    restrict_moves,
)
from kitgen.kube.manifest import Manifest
from kitgen.text.wording import join_words


class Declarations:
    """The CRDs of one target that are said to move, and what follows."""

    def __init__(self, old: Crds, new: Crds, said: DeclaredMoves) -> None:
        """Take the CRDs of both sides."""
        self.ways = find_declared_moves(old, new, said)
        self._known, self._now = old, new
        self._heirs = {to.heir: format_move_reasons(to.way) for to in self.ways.values()}
        self._reasons = {name: format_move_reasons(to.way) for name, to in self.ways.items()}
        # What was there beside the old one changes for reasons of its own.
        self._reasons |= {name: why for name, why in self._heirs.items() if name not in old}

    def accept_hit(self, hit: CheckHit) -> CheckHit:
        """Return a hit; if a migration says that the kind of its CRD moves, with that reason."""
        name = hit.manifest.id
        if name.kind != "CustomResourceDefinition":
            return hit
        return hit._replace(accepted=self._find_reason(name.name, hit.problem.rule))

    def reason_for(self, each: BrokenCrd) -> str:
        """Return why it is accepted that a CRD breaks something; empty if no migration says so."""
        return "" if each.undeclared else self._find_reason(each.crd, each.problem.rule)

    def _find_reason(self, crd: str, rule: Rule) -> str:
        if rule not in DECLARED:
            return ""
        return (self._heirs if rule is UPGRADE_GROUP else self._reasons).get(crd, "")

    def check_migrations(
        self, target: str, owners: dict[str, Manifest], release: str = ""
    ) -> Iterator[CheckHit]:
        """Yield every migration that the upgrade passes, once, at the first CRD that moves by it.

        The release is the one that the target goes to, if that is known.
        """
        seen: set[str] = set()
        for to in self.ways.values():
            for move in to.way:
                if move.migration in seen or to.heir not in owners or self._is_first_phase(move, release):
                    continue
                seen.add(move.migration)
                introduced = move.after.version in _find_served_versions(self._known, move.new_kind)
                yield CheckHit(
                    target,
                    owners[to.heir],
                    _report_skipped_phases(move, target, introduced=introduced),
                    format_move_reasons([move]),
                )

    def _is_first_phase(self, move: DeclaredMove, release: str) -> bool:
        """Return whether the upgrade is the first phase itself: the new kind comes beside the old one."""
        beside = release == move.both or move.before.version in _find_served_versions(
            self._now, move.old_kind
        )
        return bool(move.both) and release != move.last and beside


def _find_served_versions(crds: Crds, kind: GroupKind) -> set[str]:
    """Return the versions in which a kind is served."""
    return {
        each["name"]
        for body in crds.values()
        if (body["spec"]["group"], body["spec"]["names"]["kind"]) == kind
        for each in body["spec"]["versions"]
        if each.get("served") is True
    }


def _report_skipped_phases(move: DeclaredMove, target: str, *, introduced: bool) -> Problem:
    phases = join_words(list_middle_phases(move.way, introduced=introduced), last="and")
    message = f"found a step over the migration {move.migration}, expected its phases {phases} in between"
    (own,) = restrict_moves((move,), target)
    hint = f"{own.command} tells what to do in each"
    if target and target not in move.targets:
        hint = f"{move.file} is not for {target}: add it to the targets there, and follow kitgen migrate plan"
    return UPGRADE_MIGRATION(message, ("spec",), hint)
