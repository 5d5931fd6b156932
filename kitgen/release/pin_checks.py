"""What stands in the way of a move: the rules of upgrades, and all that a render would refuse."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from kitgen.compare.upgrade.rules import UPGRADE_MIGRATION
from kitgen.findings import AcceptedException, Chapter, Finding
from kitgen.kit.model import Target
from kitgen.workspace.baselines import Baselines
from kitgen.workspace.checks import check_plans
from kitgen.workspace.kit import Opened
from kitgen.workspace.sources import Kits


class PinProblem(Struct, frozen=True, kw_only=True):
    """Something that is wrong with a target in its new release."""

    before: str
    """What it was held against: a release, or a source that the target names."""
    finding: Finding

    @property
    def of_upgrade(self) -> bool:
        """Tell whether it is the move that is wrong, so that it may be accepted."""
        return self.finding.rule.chapter is Chapter.UPGRADE


def broken(opened: Opened, target: Target, old: str) -> Iterator[PinProblem]:
    """Yield what nobody accepted of a target in the release that it pins.

    It is held against the release that it comes from, and against what it says that it upgrades from. A
    migration accepts what its moves break. But nobody knows whether its phases were gone through, so that one
    lies on the way has to be accepted by somebody.
    """
    kits = Kits(opened.root, opened=opened)
    plan = opened.plan(target)
    said = target.upgrades_from
    for before, asked in {said: None, old: f"release:{old}"}.items():
        if before and before != target.release:
            baselines = Baselines(kits, asked)
            made = check_plans(opened, [plan], before=partial(baselines.of_plan, opened))
            own = target.accepts(before, target.release)
            for finding in baselines.placed(opened.judged(made)):
                if finding.rule is UPGRADE_MIGRATION and finding.rule.id not in own:
                    origin = target.origin.at("release")
                    yield PinProblem(before=before, finding=replace(finding, accepted="", origin=origin))
                elif not finding.accepted:
                    yield PinProblem(before=before, finding=finding)


def to_accept(
    found: Iterable[PinProblem], target: Target, rules: Iterable[str], reason: str
) -> list[AcceptedException]:
    """Return an exception for each rule, and for each thing that a target was held against and breaks it."""
    wanted = {*rules}
    pairs = {(each.finding.rule.id, each.before): None for each in found if each.finding.rule.id in wanted}
    return [
        AcceptedException(rule=rule, before=before, after=target.release, reason=reason, origin=target.origin)
        for rule, before in sorted(pairs)
    ]


def way_back(opened: Opened, name: str, new: str) -> list[str]:
    """Return the rules that a target breaks on the way back from a new release to the one that it pins."""
    target = replace(opened.kit.targets[name], exceptions=())  # they go with the move
    found = broken(opened, target, new)
    return sorted({each.finding.rule.id for each in found if each.of_upgrade and each.finding.blocks})
