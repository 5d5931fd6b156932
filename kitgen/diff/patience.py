"""How much guessing one comparison may do: likenesses and proofs are worth some seconds, not hours."""

from __future__ import annotations

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
