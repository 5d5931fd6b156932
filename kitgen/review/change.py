"""A change of objects, and where it holds."""

from __future__ import annotations

from msgspec import Struct

from kitgen.diff.change import Change
from kitgen.diff.objects import Difference
from kitgen.diff.risk import Risk
from kitgen.findings import Origin
from kitgen.objects import ObjectId
from kitgen.objects.rbac.access import Holder
from kitgen.objects.rbac.rules import One


class Permitted(Struct, frozen=True, kw_only=True):
    """What somebody may do that he could not, or no longer."""

    holder: Holder
    where: str | None
    """The namespace; None for the whole cluster."""
    ones: tuple[One, ...]


class Hold(Struct, frozen=True, kw_only=True):
    """Where a change holds: a target, an object, the differences in it and the spec behind them."""

    scope: str = ""
    """The target; empty where only one thing is compared with another."""
    object: ObjectId
    component: str = ""
    """Of the kit, or what else the object belongs to."""
    origin: Origin | None = None
    """The place in the specs that caused it."""
    differences: tuple[Difference, ...] = ()
    """What is not the same, from now (left) to before (right); none where others hold them."""
    permitted: Permitted | None = None
    """Where it is about what somebody may do."""


class Reviewed(Struct, frozen=True, kw_only=True):
    """One change, with all the places that it holds in."""

    change: Change
    holds: tuple[Hold, ...]

    @property
    def risk(self) -> Risk:
        """Return how bad it is."""
        return self.change.risk

    @property
    def scopes(self) -> tuple[str, ...]:
        """Return the targets that it reaches."""
        return tuple(dict.fromkeys(each.scope for each in self.holds if each.scope))

    @property
    def objects(self) -> tuple[ObjectId, ...]:
        """Return the objects that it is in."""
        return tuple(dict.fromkeys(each.object for each in self.holds))

    @property
    def component(self) -> str:
        """Return the component of the first place."""
        return self.holds[0].component
