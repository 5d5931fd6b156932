"""How much one comparison may guess and find: likenesses and proofs are worth some seconds, not hours."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

from kitgen.errors import KitgenError

T = TypeVar("T")

ENOUGH = 200_000
"""About ten microseconds each."""


class Patience:
    """What is left for guesses; without it, changes are told without them."""

    def __init__(self, left: int = ENOUGH) -> None:
        """Start with so much."""
        self.left = left

    def allows(self, cost: int) -> bool:
        """Take what a guess costs; tell whether there was enough left."""
        if cost > self.left:
            return False
        self.left -= cost
        return True

    def spend(self, cost: int) -> None:
        """Take what a guess has cost; the last one may cost more than is left."""
        self.left = max(self.left - cost, 0)


def limited(found: Iterable[T], most: int, noun: str) -> Iterator[T]:
    """Yield what was found; nobody reads more than so many, and they take time and space to write."""
    for number, each in enumerate(found):
        if number >= most:
            raise KitgenError(f"found more than {most:,} {noun}", hint="compare some objects at a time")
        yield each
