"""A step of a release, and its parts."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from msgspec import Struct


class State(StrEnum):
    """How far something is."""

    DONE = "done"
    TODO = "todo"
    BLOCKED = "blocked"
    NONE = "none"
    """This release has nothing of the kind."""


class Key(StrEnum):
    """The steps, in order."""

    COMPONENTS = "components"
    SPECS = "specs"
    BUNDLE = "bundle"
    TAG = "tag"
    CATALOG = "catalog"
    STABLE = "stable"
    ANNOUNCE = "announce"
    DOWNSTREAM = "downstream"


class Part(Struct, frozen=True, kw_only=True):
    """One thing of a step."""

    what: str
    state: State
    by: str = ""
    """What shows that it is done, or why it is not."""
    commands: tuple[str, ...] = ()
    """What does it, as a shell reads it."""


class Step(Struct, frozen=True, kw_only=True):
    """One step."""

    key: Key
    title: str
    state: State
    why: str = ""
    """What blocks it."""
    parts: tuple[Part, ...]

    @property
    def number(self) -> int:
        """Return its place among the steps."""
        return [*Key].index(self.key) + 1

    @property
    def is_open(self) -> bool:
        """Tell whether something is left of it."""
        return self.state in (State.TODO, State.BLOCKED)


def state_of(parts: Sequence[Part]) -> State:
    """Return how far all parts are together."""
    states = {each.state for each in parts} - {State.NONE}
    for state in (State.BLOCKED, State.TODO, State.DONE):
        if state in states:
            return state
    return State.NONE


def done(what: str, by: str) -> Part:
    """Return something that is done."""
    return Part(what=what, state=State.DONE, by=by)


def todo(what: str, *commands: str, by: str = "") -> Part:
    """Return something that is to be done."""
    return Part(what=what, state=State.TODO, by=by, commands=commands)


def nothing(what: str) -> Part:
    """Return that there is nothing of the kind."""
    return Part(what=what, state=State.NONE)
