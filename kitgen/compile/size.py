"""How much a kit may render: every target renders its components anew, so that sizes multiply."""

from __future__ import annotations

from typing import TypeVar

from kitgen.compile.unit import Base, Unit
from kitgen.errors import FindingsError
from kitgen.findings import Chapter, Origin, Rule
from kitgen.root import MARK
from kitgen.yamlio import Json

T = TypeVar("T", Unit, Base)
MAX_RENDERED = 1_500_000
"""Values in the objects of all components in all targets, CRDs aside; this kit has 1 % of them."""
PER_OBJECT = 30
"""What an object costs by itself, in values."""

KIT_SIZE = Rule(
    id="kit-size",
    chapter=Chapter.SPEC,
    checks=(
        f"The objects of all components in all targets hold at most {MAX_RENDERED:,} values, CRDs aside. "
        f"An object counts as {PER_OBJECT} more."
    ),
    fix="Name some targets at a time, or make several kits of one.",
)


class Rendered:
    """What was rendered so far."""

    def __init__(self) -> None:
        """Start with nothing."""
        self.values = 0

    def add(self, unit: T) -> T:
        """Count what a unit or base holds and return it; FindingsError if it is too much."""
        self.values += sum(_values(each.body) + PER_OBJECT for each in unit.assembled)
        if self.values > MAX_RENDERED:
            message = f"the kit renders more than {MAX_RENDERED} values, expected at most that"
            hint = "name some targets at a time, or make several kits of it"
            raise FindingsError([KIT_SIZE(message, hint=hint, line=1).at(Origin(MARK))])
        return unit


def _values(body: Json) -> int:
    """Count the values of an object, by the signs that part them; those in texts count too."""
    import orjson

    text = orjson.dumps(body)
    return sum(map(text.count, (b",", b"[", b"{")))
