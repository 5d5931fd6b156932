"""How bad a change is, and the rules that say so: one vocabulary for every comparison."""

from __future__ import annotations

from enum import StrEnum

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


class ChangeRule(Struct, frozen=True):
    """One kind of change; making one registers its id beside those of findings."""

    id: str
    risk: Risk
    """The risk unless the circumstances of the change say otherwise."""
    reason: str
    felt_by: str

    def __post_init__(self) -> None:
        register(self.id, self)
