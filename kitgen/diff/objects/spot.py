"""Where a comparison stands, and what it tells of that place."""

from __future__ import annotations

from typing import NamedTuple

from msgspec import Struct

from kitgen.diff.objects.difference import Found
from kitgen.findings import Path, Step
from kitgen.kustomize.mergekeys import Field


class Spot(Struct, frozen=True):
    """A place in two objects. Most are never told of, so what it is called is put together late."""

    above: Spot | None = None
    step: Step | None = None
    """What leads to it in the left object; None for an item that the left one does not have."""
    name: str = ""
    """What it is called, if that is not its key."""
    type: Field | None = None
    """How Kubernetes defines the place, where it does."""
    plain: bool = False
    """Whether nothing but the values counts here: no list is known to have an order that means nothing."""

    def below(self, key: str) -> Spot:
        """Return a field of the place."""
        return Spot(self, key, "", self.type.below(key) if self.type else None, self.plain)

    def item(self, index: int, name: str) -> Spot:
        """Return an item of a list, by its index on the left, below 0 if it is not there, and its name."""
        step = index if index >= 0 else None
        return Spot(self, step, name, self.type.item if self.type else None, self.plain)

    @property
    def way(self) -> list[Spot]:
        """Return the places that lead here from the whole object, this one last."""
        found, spot = [], self
        while spot.above is not None:
            found.append(spot)
            spot = spot.above
        return found[::-1]

    @property
    def path(self) -> Path:
        """Return the place in the left object, or the nearest thing above it that can be there."""
        steps: list[Step] = []
        for spot in self.way:
            if spot.step is None:
                break
            steps.append(spot.step)
        return tuple(steps)

    @property
    def field(self) -> str:
        """Return the place in words."""
        return "".join(_word(spot) for spot in self.way).removeprefix(".")


def _word(spot: Spot) -> str:
    if spot.name or not isinstance(spot.step, str):
        return f"[{spot.name}]"
    return f"[{spot.step}]" if "." in spot.step or "/" in spot.step else f".{spot.step}"


class Told(NamedTuple):
    """A difference at a place."""

    spot: Spot
    left: Found
    right: Found
    order: bool = False
    equal: bool = False
    """Written otherwise, and the same amount."""
