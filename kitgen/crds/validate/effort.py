"""How much work it may take to hold objects to their CRDs: what a schema asks counts for every value."""

from __future__ import annotations

from kitgen.findings import Chapter, Problem, Rule

STEPS = 1_000_000
"""About three microseconds each; a file with as many values as are read takes one or two for each."""
MANY = 32
"""So many fields or names are looked through in one step."""

EFFORT_LIMIT = Rule(
    id="effort-limit",
    chapter=Chapter.SCHEMA,
    checks=(
        f"Holding all objects to their CRDs takes at most {STEPS:,} steps: one for each value, and for each"
        " alternative, default and rule that it meets. CEL rules take more, by what they go through and the"
        " size of the texts, lists and maps that they make. Compiling CEL expressions, evaluating conditions"
        " of webhooks, and comparing permissions before and after an upgrade have a bound each. What comes"
        " behind is not looked at."
    ),
    fix="Check fewer objects at a time, or make the schema of the CRD or its CEL rules simpler.",
)


class TooMuchError(Exception):
    """There are no steps left."""


class Effort:
    """The steps that are left for the objects that one command looks at."""

    def __init__(self, left: int = STEPS) -> None:
        """Start with so many."""
        self.left = left

    def take(self, steps: int = 1) -> None:
        """Take steps; TooMuchError if there are not so many."""
        self.left -= steps
        if self.left < 0:
            raise TooMuchError


def too_much() -> Problem:
    """Say that an object was not looked at in full."""
    message = "holding the objects to their CRDs takes too many steps, and the rest was not looked at"
    return EFFORT_LIMIT(message, hint="check fewer objects at a time")
