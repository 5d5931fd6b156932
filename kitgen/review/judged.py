"""What a rule says of a change, before it is known where else it holds."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from kitgen.diff.change import Change, Place
from kitgen.diff.risk import ChangeRule, Risk
from kitgen.findings import Path, Problem, Rule
from kitgen.review.rules import UPGRADES


class Judged(Struct, frozen=True, kw_only=True):
    """A rule's word on a place of an object, and all differences in that place."""

    rule: ChangeRule | Rule
    risk: Risk
    reason: str
    felt_by: str
    message: str = ""
    """Empty if the two values say enough."""
    hint: str = ""
    path: Path = ()

    def change(self, what: str, field: str, message: str) -> Change:
        """Return it as a change of an object."""
        return Change(
            rule=self.rule,
            risk=self.risk,
            message=message,
            reason=self.reason,
            felt_by=self.felt_by,
            hint=self.hint,
            places=(Place(what, path=field),),
        )


class First:
    """Which of many words is the first on a place: one on it, on what it is in, or on something in it."""

    def __init__(self, said: Iterable[tuple[int, Judged]]) -> None:
        """Take words with their numbers, the lowest first."""
        self._at: dict[Path, int] = {}
        self._around: dict[Path, int] = {}
        for number, each in said:
            if each.path:
                self._at.setdefault(each.path, number)
            for size in range(1, len(each.path)):
                self._around.setdefault(each.path[:size], number)

    def on(self, path: Path) -> int | None:
        """Return the number of the first word on a place, if there is one."""
        starts = (path[:size] for size in range(1, len(path) + 1))
        found = [self._at[each] for each in starts if each in self._at]
        return min([*found, *([self._around[path]] if path in self._around else [])], default=None)


def by_rule(rule: ChangeRule, message: str = "", path: Path = (), risk: Risk | None = None) -> Judged:
    """Return a rule's word."""
    return Judged(
        rule=rule,
        risk=risk or rule.risk,
        reason=rule.reason,
        felt_by=rule.felt_by,
        message=message,
        path=path,
    )


def by_upgrade(problem: Problem, risk: Risk | None = None) -> Judged:
    """Return the word of a rule of upgrades, as `kitgen check --baseline` has it."""
    own, reason, felt_by = UPGRADES[problem.rule.id]
    return Judged(
        rule=problem.rule,
        risk=risk or own,
        reason=reason,
        felt_by=felt_by,
        message=problem.message,
        hint=problem.hint,
        path=problem.path,
    )
