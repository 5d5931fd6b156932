"""A runbook as data."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from kitgen.kit.model.migration import Migration, Phase


class Manager(StrEnum):
    """What looks after a target on a cluster."""

    KUBECTL = "kubectl"
    OLM = "olm"
    ODH = "odh"
    ARGOCD = "argocd"


class RunbookStep(Struct, kw_only=True):
    """Something that people do or look at, and the commands for it."""

    title: str
    why: str = ""
    commands: list[str] = []
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
