"""What to do before an upgrade and after it, as the changes ask for it, the worst first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias

from msgspec import Struct

from kitgen.compare.change import Risk
from kitgen.compare.review.change import Hold, Reviewed
from kitgen.release.notes.changes import only
from kitgen.release.notes.kinds import Crds
from kitgen.release.notes.model import StepItem, UpgradeStep

Line: TypeAlias = tuple[str, Iterable[str]]
"""Something that a step is about, and the commands for it."""
Say: TypeAlias = Callable[[Reviewed, Hold], Iterator[Line]]


class StepContext(Struct, frozen=True, kw_only=True):
    """What steps are told from, besides the changes."""

    targets: tuple[str, ...]
    crds: Crds
    bundled: frozenset[tuple[str, str]] = frozenset()
    """Targets, each with the component that OLM installs there."""
    alone: str = ""
    """The target, where there is only one."""

    def by_olm(self, changes: Iterable[Reviewed]) -> bool:
        """Tell whether one of some changes is in what OLM installs."""
        holds = (hold for each in changes for hold in each.holds)
        return any((hold.scope or self.alone, hold.component) in self.bundled for hold in holds)


class ChangeGroup(Struct, frozen=True, kw_only=True):
    """Changes of one rule, or that the same is to be done about."""

    some: tuple[Reviewed, ...]
    scene: StepContext

    def step(self, text: str, say: Say | None = None) -> Iterator[UpgradeStep]:
        """Yield what to do about them, unless it is about nothing; without `say`, it is about all at once."""
        found: dict[str, tuple[dict[str, None], dict[str, None]]] = {}
        for each in self.some:
            for hold in each.holds:
                for line, commands in say(each, hold) if say else ():
                    scopes, listed = found.setdefault(line, ({}, {}))
                    scopes[hold.scope] = None
                    listed |= dict.fromkeys(commands)
        if say and not found:
            return
        told = (scope for scopes, _ in found.values() for scope in scopes)
        every = (scope for each in self.some for scope in each.scopes)
        yield UpgradeStep(
            risk=min((each.risk for each in self.some), key=lambda each: each.rank),
            rule=self.some[0].change.rule.id,
            text=text,
            items=tuple(
                StepItem(text=line, only=self._only(scopes), commands=tuple(listed))
                for line, (scopes, listed) in found.items()
            ),
            only=self._only(told if say else every),
        )

    def _only(self, scopes: Iterable[str]) -> tuple[str, ...]:
        return only(filter(None, scopes), self.scene.targets)


Steps: TypeAlias = Callable[[ChangeGroup], Iterator[UpgradeStep]]


def steps_of(
    changes: Sequence[Reviewed], table: dict[str, Steps], scene: StepContext
) -> Iterator[UpgradeStep]:
    """Yield what changes ask for, in the order of a table of rules."""
    for rule, make in table.items():
        some = [each for each in changes if each.change.rule.id == rule and each.risk is not Risk.COSMETIC]
        if some:
            yield from make(ChangeGroup(some=tuple(some), scene=scene))


def worst_first(steps: Iterable[UpgradeStep]) -> tuple[UpgradeStep, ...]:
    """Return steps, those that the worst changes ask for first."""
    return tuple(sorted(steps, key=lambda each: each.risk.rank))
