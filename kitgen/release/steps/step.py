"""A step of a release, and its parts."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from msgspec import Struct


class StepState(StrEnum):
    """How far something is."""

    DONE = "done"
    TODO = "todo"
    BLOCKED = "blocked"
    NONE = "none"
    """This release has nothing of the kind."""


class StepKey(StrEnum):
    """The steps, in order."""

    COMPONENTS = "components"
    SPECS = "specs"
    BUNDLE = "bundle"
    TAG = "tag"
    CATALOG = "catalog"
    STABLE = "stable"
    ANNOUNCE = "announce"
    DOWNSTREAM = "downstream"


class StepPart(Struct, frozen=True, kw_only=True):
    """One thing of a step."""

    what: str
    state: StepState
    by: str = ""
    """What shows that it is done, or why it is not."""
    commands: tuple[str, ...] = ()
    """What does it, as a shell reads it."""


class ReleaseStep(Struct, frozen=True, kw_only=True):
    """One step."""

    key: StepKey
    title: str
    state: StepState
    why: str = ""
    """What blocks it."""
    parts: tuple[StepPart, ...]

    @property
    def number(self) -> int:
        """Return its place among the steps."""
        return [*StepKey].index(self.key) + 1

    @property
    def is_open(self) -> bool:
        """Tell whether something is left of it."""
        return self.state in (StepState.TODO, StepState.BLOCKED)


def state_of(parts: Sequence[StepPart]) -> StepState:
    """Return how far all parts are together."""
    states = {each.state for each in parts} - {StepState.NONE}
    for state in (StepState.BLOCKED, StepState.TODO, StepState.DONE):
        if state in states:
            return state
    return StepState.NONE


def done(what: str, by: str) -> StepPart:
    """Return something that is done."""
    return StepPart(what=what, state=StepState.DONE, by=by)


def todo(what: str, *commands: str, by: str = "") -> StepPart:
    """Return something that is to be done."""
    return StepPart(what=what, state=StepState.TODO, by=by, commands=commands)


def nothing(what: str) -> StepPart:
    """Return that there is nothing of the kind."""
    return StepPart(what=what, state=StepState.NONE)
