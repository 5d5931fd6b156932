"""The data model of a runbook."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal, TypeAlias

from msgspec import Struct, field

from kitgen.kit.model.migration import MigrationPath, Phase, Policy
from kitgen.report.documents import ResultDocument


class Manager(StrEnum):
    """What looks after a target on a cluster."""

    KUBECTL = "kubectl"
    OLM = "olm"
    ODH = "odh"
    ARGOCD = "argocd"


SurroundingManager: TypeAlias = Literal[Manager.OLM, Manager.ODH, Manager.ARGOCD]
"""What looks after a target beside the people who use kubectl."""


class RunbookStep(Struct, kw_only=True):
    """Something to do or to look at."""

    title: str
    """What it is."""
    why: str | None = None
    """Why, and what to look at."""
    commands: list[str] = []
    """What does it, as a shell reads it, in order."""
    by: Manager | None = None
    """Whose clusters it is for: kubectl for those that OLM does not install, or olm, odh, argocd for those
    that it looks after; null for all."""


class PhaseSteps(Struct, frozen=True, kw_only=True):
    """A phase."""

    phase: Phase
    """Its name."""
    about: str
    """What it is."""
    release: str
    """The release whose operator runs."""
    version: str
    """The version of the component in it."""
    changes: tuple[str, ...]
    """What its objects have that those of the phase before have not."""
    steps: tuple[RunbookStep, ...]
    """What brings a cluster into it, in order."""
    risks: tuple[str, ...]
    """What it puts at risk."""
    back: tuple[RunbookStep, ...]
    """How to go back, in order."""
    checks: tuple[RunbookStep, ...]
    """What must hold before the next phase."""


class TargetManager(Struct, frozen=True, kw_only=True):
    """What to know of something that looks after the target."""

    by: SurroundingManager
    """What it is."""
    title: str
    """What people call it."""
    notes: tuple[str, ...]
    """What to know."""


class RunbookKind(Struct, frozen=True, kw_only=True):
    """A kind that moves."""

    before: str = field(name="from")
    """The old kind: group, version and kind."""
    after: str = field(name="to")
    """The new one."""


class RunbookDrop(Struct, frozen=True, kw_only=True):
    """A kind that goes without a successor."""

    kind: str
    """Group, version and kind."""
    reason: str
    """Why it goes, and what to do instead."""


class RunbookKey(Struct, frozen=True, kw_only=True):
    """A key of labels, annotations or finalizers."""

    key: str
    """The key."""
    policy: Policy
    """What becomes of it."""
    to: str | None
    """The key that takes its place, or stands beside it."""
    reason: str
    """Why."""


class Runbook(ResultDocument, frozen=True, kw_only=True, tag="kitgen/runbook/v1"):
    """The runbook of a migration: kitgen migrate plan."""

    migration: str
    """The migration."""
    target: str
    """The target."""
    title: str
    """What it is about."""
    path: MigrationPath
    """The path that it takes."""
    intro: tuple[str, ...]
    """What to know first."""
    kinds: tuple[RunbookKind, ...]
    """Which kind becomes which."""
    drops: tuple[RunbookDrop, ...]
    """Kinds that go without a successor."""
    keys: tuple[RunbookKey, ...]
    """Keys that carry the old group, and what becomes of each."""
    surroundings: tuple[TargetManager, ...]
    """What to know of OLM, the ODH operator and Argo CD, where they look after the target."""
    phases: tuple[PhaseSteps, ...]
    """The phases, in order."""
    limits: tuple[str, ...]
    """What no tool can do."""
