"""What migrations declare of an upgrade: the moves that it makes, and what is accepted since they say so."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.check.context import CheckHit
from kitgen.compare.crd_match import Crds, declared_moves
from kitgen.compare.upgrade.crds import BrokenCrd
from kitgen.compare.upgrade.rules import DECLARED, UPGRADE_GROUP, UPGRADE_MIGRATION
from kitgen.findings import Problem, Rule
from kitgen.kit.model.moves import DeclaredMove, DeclaredMoves, GroupKind, between, narrowed, reason_of
from kitgen.kube.manifest import Manifest
from kitgen.text.wording import choice


class Declarations:
    """The CRDs of one target that are said to move, and what follows."""

    def __init__(self, old: Crds, new: Crds, said: DeclaredMoves) -> None:
        """Take the CRDs of both sides."""
        self.ways = declared_moves(old, new, said)
        self._known, self._now = old, new
        self._heirs = {to.heir: reason_of(to.way) for to in self.ways.values()}
        self._reasons = {name: reason_of(to.way) for name, to in self.ways.items()}
        # What was there beside the old one changes for reasons of its own.
        self._reasons |= {name: why for name, why in self._heirs.items() if name not in old}

    def accepting(self, hit: CheckHit) -> CheckHit:
        """Return a hit; if a migration says that the kind of its CRD moves, with that reason."""
        name = hit.manifest.id
        if name.kind != "CustomResourceDefinition":
            return hit
        return hit._replace(accepted=self._reason(name.name, hit.problem.rule))

    def reason(self, each: BrokenCrd) -> str:
        """Return why it is accepted that a CRD breaks something; empty if no migration says so."""
        return "" if each.undeclared else self._reason(each.crd, each.problem.rule)

    def _reason(self, crd: str, rule: Rule) -> str:
        if rule not in DECLARED:
            return ""
        return (self._heirs if rule is UPGRADE_GROUP else self._reasons).get(crd, "")

    def passed(self, target: str, owners: dict[str, Manifest], release: str = "") -> Iterator[CheckHit]:
        """Yield every migration that the upgrade passes, once, at the first CRD that moves by it.

        The release is the one that the target goes to, if that is known.
        """
        seen: set[str] = set()
        for to in self.ways.values():
            for move in to.way:
                if move.migration in seen or to.heir not in owners or self._introduces(move, release):
                    continue
                seen.add(move.migration)
                introduced = move.after.version in _served(self._known, move.arrives)
                yield CheckHit(
                    target, owners[to.heir], _left_out(move, target, introduced=introduced), reason_of([move])
                )

    def _introduces(self, move: DeclaredMove, release: str) -> bool:
        """Return whether the upgrade is the first phase itself: the new kind comes beside the old one."""
        beside = release == move.both or move.before.version in _served(self._now, move.leaves)
        return bool(move.both) and release != move.last and beside


def _served(crds: Crds, kind: GroupKind) -> set[str]:
    """Return the versions in which a kind is served."""
    return {
        each["name"]
        for body in crds.values()
        if (body["spec"]["group"], body["spec"]["names"]["kind"]) == kind
        for each in body["spec"]["versions"]
        if each.get("served") is True
    }


def _left_out(move: DeclaredMove, target: str, *, introduced: bool) -> Problem:
    phases = choice(between(move.way, introduced=introduced), last="and")
    message = f"found a step over the migration {move.migration}, expected its phases {phases} in between"
    (own,) = narrowed((move,), target)
    hint = f"{own.command} tells what to do in each"
    if target and target not in move.targets:
        hint = f"{move.file} is not for {target}: add it to the targets there, and follow kitgen migrate plan"
    return UPGRADE_MIGRATION(message, ("spec",), hint)
