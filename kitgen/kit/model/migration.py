"""Migrations: kinds that move to another API group or version, and the steps in between."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from msgspec import UNSET, Struct, UnsetType

from kitgen.findings import Origin
from kitgen.text.yaml import Json


class MigrationPath(StrEnum):
    """How a migration goes: in one release, or with both groups served for a while."""

    ONE_SHOT = "one-shot"
    PROGRESSIVE = "progressive"


class Phase(StrEnum):
    """Where a cluster is in a migration."""

    BEFORE = "before"
    """The old kinds alone."""
    INTRODUCE = "introduce"
    """The new kinds beside the old ones, for an operator that serves both."""
    SWITCH = "switch"
    """The new kinds are what people use; the old ones say that they are deprecated, and are guarded."""
    PREPARE = "prepare"
    """The same for the old operator: what is needed to carry resources over while it stands still."""
    MIGRATE = "migrate"
    """Resources are carried over, while an operator serves both."""
    READ_ONLY = "read-only"
    """The operator serves the new kinds alone; no resource of the old ones can be made any more."""
    AFTER = "after"
    """The new kinds alone."""


PHASES: dict[MigrationPath, tuple[Phase, ...]] = {
    MigrationPath.ONE_SHOT: (Phase.BEFORE, Phase.PREPARE, Phase.READ_ONLY, Phase.AFTER),
    MigrationPath.PROGRESSIVE: (
        *(Phase.BEFORE, Phase.INTRODUCE, Phase.SWITCH),
        *(Phase.MIGRATE, Phase.READ_ONLY, Phase.AFTER),
    ),
}
"""The phases of each way, in order; none of them may be left out."""


class Policy(StrEnum):
    """What becomes of a key that carries the old group."""

    KEEP = "keep"
    BOTH = "both"
    MOVE = "move"


class MovedKey(Struct, frozen=True, kw_only=True):
    """A key of labels, annotations or finalizers."""

    key: str
    policy: Policy
    to: str = ""
    """The key that takes its place, or stands beside it."""
    reason: str
    origin: Origin


class KindName(NamedTuple):
    """A kind in one version."""

    group: str
    version: str
    kind: str

    @property
    def api_version(self) -> str:
        """Return what resources say."""
        return f"{self.group}/{self.version}"

    def __str__(self) -> str:
        return "/".join(self)


def format_field_steps(steps: tuple[str, ...]) -> str:
    """Write the steps of a field as migrations do, such as `spec.items[].name`."""
    return ".".join(steps).replace(".[]", "[]")


class MovedField(Struct, frozen=True, kw_only=True):
    """A field of resources that goes somewhere else, or is lost."""

    field: tuple[str, ...]
    """Its steps; `[]` stands for each item of a list."""
    to: tuple[str, ...] = ()
    lost: str = ""
    """Why it has no counterpart, and what to do instead."""
    default: Json | UnsetType = UNSET
    """What held without it, so that nothing is lost with that value."""
    origin: Origin


class MovedKind(Struct, frozen=True, kw_only=True):
    """A kind, and what it becomes."""

    before: KindName
    after: KindName
    fields: tuple[MovedField, ...] = ()
    """What becomes of fields; without any, resources keep all of them."""
    origin: Origin


class DroppedKind(Struct, frozen=True, kw_only=True):
    """A kind that goes, and nothing takes its place."""

    kind: KindName
    reason: str
    origin: Origin


class StepPlace(StrEnum):
    """Where a step of a migration's own stands in a phase."""

    FIRST = "first"
    STOPPED = "stopped"
    """Once the operator stands still; last in phases that do not stop it."""
    LAST = "last"
    CHECK = "check"
    """Among what must hold before the next phase."""
    UNDO = "undo"
    """On the way back, while what the phase brought still runs."""
    BACK = "back"
    """At the end of the way back."""


class OwnStep(Struct, frozen=True, kw_only=True):
    """A step of the runbook that only people who know the operator can describe."""

    phase: Phase
    place: StepPlace
    title: str
    why: str = ""
    commands: tuple[str, ...] = ()
    origin: Origin


class Migration(Struct, frozen=True, kw_only=True):
    """A move of kinds, declared once."""

    name: str
    about: str
    way: MigrationPath
    targets: tuple[str, ...]
    component: str
    """The one whose operator serves the kinds."""
    minors: tuple[int, ...]
    """Minors of Kubernetes that clusters have meanwhile."""
    kinds: tuple[MovedKind, ...]
    drops: tuple[DroppedKind, ...] = ()
    keys: tuple[MovedKey, ...] = ()
    steps: tuple[OwnStep, ...] = ()
    before: str
    """The release that knows the old kinds alone."""
    both: str = ""
    """One whose operator serves both, if there is any."""
    after: str
    """The release that knows the new kinds alone."""
    origin: Origin

    @property
    def phases(self) -> tuple[Phase, ...]:
        """Return its phases, in order."""
        return PHASES[self.way]

    @property
    def releases(self) -> tuple[str, ...]:
        """Return the releases that it leads through, in order."""
        return tuple(dict.fromkeys(filter(None, (self.before, self.both, self.after))))

    def release(self, phase: Phase) -> str:
        """Return the release whose operator runs in a phase."""
        match phase:
            case Phase.BEFORE | Phase.PREPARE:
                return self.before
            case Phase.READ_ONLY | Phase.AFTER:
                return self.after
            case Phase.INTRODUCE | Phase.SWITCH | Phase.MIGRATE:
                return self.both
