"""A step of a release, and its parts."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from msgspec import Struct, field


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
    """What it is."""
    state: StepState
    """How far it is."""
    by: str | None = None
    """What shows that it is done, or why it is not."""
    commands: tuple[str, ...] = ()
    """What does it, as a shell reads it."""


class ReleaseStep(Struct, frozen=True, kw_only=True):
    """A step."""

    number: int = field(name="step")
    """Its number."""
    key: StepKey
    """Its name."""
    title: str
    """What it is about."""
    state: StepState
    """How far it is; none is that there is nothing to do."""
    why: str | None = None
    """What blocks it."""
    parts: tuple[StepPart, ...]
    """What it takes."""

    @property
    def is_open(self) -> bool:
        """Return whether something is left of it."""
        return self.state in (StepState.TODO, StepState.BLOCKED)


def merge_states(parts: Sequence[StepPart]) -> StepState:
    """Return how far all parts are together."""
    order = (StepState.BLOCKED, StepState.TODO, StepState.DONE, StepState.NONE)
    return min((each.state for each in parts), key=order.index, default=StepState.NONE)


def make_done_part(what: str, by: str) -> StepPart:
    """Return something that is done."""
    return StepPart(what=what, state=StepState.DONE, by=by)


def make_part(what: str, by: str, *commands: str, why: str | None = None) -> StepPart:
    """Return something that is done if a file shows it, and else is to be done."""
    return make_done_part(what, by) if by else make_todo_part(what, *commands, by=why)


def make_todo_part(what: str, *commands: str, by: str | None = None) -> StepPart:
    """Return something that is to be done."""
    return StepPart(what=what, state=StepState.TODO, by=by, commands=commands)


def make_empty_part(what: str) -> StepPart:
    """Return that there is nothing of the kind."""
    return StepPart(what=what, state=StepState.NONE)
