"""How bad a change is, and the rules that say so: one vocabulary for every comparison."""

from __future__ import annotations

from enum import StrEnum
from functools import partial

from msgspec import Struct

from kitgen.findings import register


class Risk(StrEnum):
    """What a change can do to those who use the old state, from worst to best."""

    BREAKING = "breaking"
    """Something that works today is refused, lost or not found."""
    SECURITY = "security"
    """Somebody may do more than before, or is kept from less."""
    BEHAVIOUR = "behaviour"
    """Nothing is refused, but something behaves differently."""
    COSMETIC = "cosmetic"
    """What works today works on."""

    @property
    def rank(self) -> int:
        """Return the place in the order from worst to best."""
        return list(Risk).index(self)


class ChangeRule(Struct, frozen=True, eq=False):
    """One kind of change, a constant beside what finds it; making one registers its id."""

    risk: Risk
    """The risk unless the circumstances of the change say otherwise."""
    id: str
    reason: str
    felt_by: str

    def __post_init__(self) -> None:
        register(self.id, self)


UNPROVED = "not proved harmless"
"""What is said of a change that may be harmless, where that could not be proved."""

breaking = partial(ChangeRule, Risk.BREAKING)
behaviour = partial(ChangeRule, Risk.BEHAVIOUR)
cosmetic = partial(ChangeRule, Risk.COSMETIC)
