"""A runbook as data.

What the steps of one phase are computed from.

Steps that a migration itself adds to its runbook.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

from msgspec import Struct

from kitgen.kit.model.migration import Migration, MigrationPath, Phase, StepPlace
from kitgen.migrate.runbook.changes import Changing
from kitgen.migrate.runbook.kinds import KindSide, MovingKind
from kitgen.migrate.runbook.managers import MigrationSite, OperatorDeployment


class Manager(StrEnum):
    """What looks after a target on a cluster."""

    KUBECTL = "kubectl"
    OLM = "olm"
    ODH = "odh"
    ARGOCD = "argocd"


class RunbookStep(Struct, frozen=True, kw_only=True):
    """Something that people do or look at, and the commands for it."""

    title: str
    why: str = ""
    commands: tuple[str, ...] = ()
    """As a shell reads them, in order."""
    by: Manager | None = None
    """Whose clusters it is for; all when absent."""


class PhaseSteps(Struct, frozen=True, kw_only=True):
    """A phase: how to get there, and how to leave it."""

    phase: Phase
    about: str
    release: str
    version: str
    """That of the component."""
    changes: tuple[str, ...]
    """What its objects have that those of the phase before have not, in words."""
    steps: tuple[RunbookStep, ...]
    risks: tuple[str, ...]
    back: tuple[RunbookStep, ...]
    checks: tuple[RunbookStep, ...]
    """What must hold before the next phase."""


class Surrounding(Struct, frozen=True, kw_only=True):
    """What to know of something that looks after the target."""

    by: Manager
    title: str
    notes: tuple[str, ...]


class Runbook(Struct, frozen=True, kw_only=True):
    """All that brings a cluster of one target through a migration."""

    migration: Migration
    target: str
    title: str
    intro: tuple[str, ...]
    surroundings: tuple[Surrounding, ...]
    phases: tuple[PhaseSteps, ...]
    limits: tuple[str, ...]
    """What no tool can do."""


LIFTED = {MigrationPath.ONE_SHOT: Phase.PREPARE, MigrationPath.PROGRESSIVE: Phase.MIGRATE}
"""Where resources are taken from one group and put into another."""


class RunbookPhase(Struct, frozen=True, kw_only=True):
    """A phase of a migration on a cluster of a target."""

    migration: Migration
    place: MigrationSite
    kinds: tuple[MovingKind, ...]
    dropped: tuple[KindSide, ...]
    """Kinds that go without a successor."""
    found: Changing

    @property
    def phase(self) -> Phase:
        """Return the phase."""
        return self.found.made.phase

    @property
    def earlier(self) -> Phase | None:
        """Return the phase before it."""
        return self.found.earlier.phase if self.found.earlier else None

    @property
    def across(self) -> tuple[MovingKind, ...]:
        """Return the kinds that get a CRD of another name."""
        return tuple(each for each in self.kinds if not each.within)

    @property
    def within(self) -> tuple[MovingKind, ...]:
        """Return the kinds that keep their CRD, and change the version."""
        return tuple(each for each in self.kinds if each.within)

    @property
    def lifted(self) -> tuple[MovingKind, ...]:
        """Return the kinds whose resources are exported and deleted in the phase."""
        way = self.migration.way
        found = self.across if self.phase is LIFTED[way] else ()
        within = self.settled
        if way is MigrationPath.ONE_SHOT:  # the operator stands still from then on, until the next phase
            within = self.within if self.phase is Phase.PREPARE else ()
        return (*found, *(each for each in within if each.is_carried))

    @property
    def made_anew(self) -> tuple[MovingKind, ...]:
        """Return the kinds whose resources are made anew in the phase."""
        found = self.across if self.phase is LIFTED[self.migration.way] else ()
        return (*found, *(each for each in self.settled if each.is_carried))

    @property
    def settled(self) -> tuple[MovingKind, ...]:
        """Return the kinds whose CRD begins to store the new version in the phase."""
        return tuple(each for each in self.within if each.settles is self.phase)

    @property
    def stored(self) -> tuple[MovingKind, ...]:
        """Return the kinds whose CRD stores the new version by the end of the phase."""
        at = self.migration.phases.index
        return tuple(each for each in self.within if at(each.settles) <= at(self.phase))

    @property
    def running(self) -> tuple[OperatorDeployment, ...]:
        """Return the Deployments that run when the phase begins."""
        made = self.found.earlier or self.found.made
        return self.place.operators[made.release]

    @property
    def coming(self) -> tuple[OperatorDeployment, ...]:
        """Return the Deployments of the phase."""
        return self.place.operators[self.found.made.release]


def own_steps(scene: RunbookPhase, *places: StepPlace) -> Iterator[RunbookStep]:
    """Yield the steps that are for these places of a phase, place by place."""
    for place in places:
        for each in scene.migration.steps:
            if (each.phase, each.place) == (scene.phase, place):
                yield RunbookStep(title=each.title.rstrip("."), why=each.why, commands=each.commands)
