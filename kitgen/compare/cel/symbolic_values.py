"""What is known of a value in a CEL rule when only the schemas are known, not the object.

CEL has three outcomes: a value, false or true among them, or an error, which refuses the object too.
So a value is either known, or unknown but surely there, or perhaps an error, or surely one.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import NamedTuple, TypeAlias

from msgspec import Struct

from kitgen.compare.cel.implication import ORDER
from kitgen.crd.schema_nodes import SchemaNode
from kitgen.text.yaml import Json

SMALL = 2**31


class AnyItem(NamedTuple):
    """A step to any item of a list, or of a map, which a macro calls by its variable."""

    sign: str
    variable: str


Route: TypeAlias = tuple[str | AnyItem, ...]


class UndecidedError(Exception):
    """Whether an old field is there decides how to go on."""

    def __init__(self, steps: Route) -> None:
        self.steps = steps


class RefusedError(Exception):
    """The object lacks a new field that is required, so it is refused whatever the rule says."""


class ValueState(Enum):
    """What is known of a value that is not known itself."""

    SOME = "a value"
    MAYBE = "a value or an error"
    ERROR = "an error"


class KnownValue(Struct, frozen=True):
    """A value that is the same for every object."""

    value: Json


class ObjectPart(Struct, frozen=True):
    """A part of an object that the old schema let pass, as the new schema reads it."""

    old: SchemaNode
    new: SchemaNode
    steps: Route
    """Where it is, from self, oldSelf or a variable on."""


class SymbolicOptional(Struct, frozen=True):
    """What `.?field` gives: a value, or none."""

    value: Value | None


class MacroKey(Struct, frozen=True):
    """A key of a map that a macro goes through."""

    item: ObjectPart
    """What the map holds at this key."""


Value: TypeAlias = ValueState | KnownValue | ObjectPart | SymbolicOptional | MacroKey
TRUE, FALSE = KnownValue(True), KnownValue(False)


def outcome_of(value: Value) -> ValueState:
    """Return what reading a value can come to; null is no value that functions take."""
    if isinstance(value, ValueState):
        return value
    nullable = isinstance(value, ObjectPart) and (
        value.old.facts.get("nullable") or value.new.facts.get("nullable")
    )
    return ValueState.MAYBE if nullable else ValueState.SOME


def combine_outcomes(values: Iterable[Value]) -> ValueState:
    """Return the outcome of what reads all of some values and cannot fail itself."""
    found = {outcome_of(value) for value in values}
    return next((state for state in (ValueState.ERROR, ValueState.MAYBE) if state in found), ValueState.SOME)


def combine_fallible(values: Iterable[Value]) -> ValueState:
    """Return the outcome of what reads all of some values and may fail itself."""
    return ValueState.ERROR if combine_outcomes(values) is ValueState.ERROR else ValueState.MAYBE


def combine_logic(values: Iterable[Value], decides: KnownValue) -> Value:
    """Join by `||`, which true decides, or by `&&`, which false does; errors beside it do not matter."""
    listed = list(values)
    if decides in listed:
        return decides
    if not (open_ones := [value for value in listed if not isinstance(value, KnownValue)]):
        return KnownValue(not decides.value)
    if (found := {outcome_of(value) for value in open_ones}) == {ValueState.ERROR}:
        return ValueState.ERROR
    return ValueState.SOME if found == {ValueState.SOME} else ValueState.MAYBE


def compare_symbolic(sign: str, left: Value, right: Value) -> Value:
    """Compare two values."""
    if isinstance(left, KnownValue) and isinstance(right, KnownValue):
        one, other = left.value, right.value
        if sign in ("==", "!="):
            same = isinstance(one, bool) == isinstance(other, bool) and one == other
            return KnownValue(same == (sign == "=="))
        if sign == "in" and isinstance(other, list | tuple):
            return KnownValue(any(compare_symbolic("==", left, KnownValue(item)) == TRUE for item in other))
        numbers = all(isinstance(each, int | float) and not isinstance(each, bool) for each in (one, other))
        if sign != "in" and (numbers or (isinstance(one, str) and isinstance(other, str))):
            return KnownValue(ORDER[sign](one, other))
    if sign in ("==", "!=") and not any(isinstance(each, ValueState) for each in (left, right)):
        return ValueState.SOME  # null can be compared
    return combine_outcomes((left, right))


def add_or_subtract(sign: str, left: Value, right: Value) -> Value:
    """Add or subtract; only small numbers that are known surely do not overflow."""
    if isinstance(left, KnownValue) and isinstance(right, KnownValue):
        one, other = left.value, right.value
        if type(one) is int and type(other) is int and abs(one) + abs(other) < SMALL:
            return KnownValue(one + other if sign == "+" else one - other)
    return combine_fallible((left, right))


def apply_macro(macro: str, items: list[Json], found: list[Value]) -> Value:
    """Return what a macro makes of items that are known, by what its body is for each of them."""
    if macro in ("all", "exists"):
        return combine_logic(found, FALSE if macro == "all" else TRUE)
    if len(values := [each.value for each in found if isinstance(each, KnownValue)]) < len(found):
        return combine_fallible(found)
    if macro == "map":
        return build_list(found)
    if macro == "exists_one":
        return KnownValue(sum(value is True for value in values) == 1)
    return KnownValue([item for item, value in zip(items, values, strict=True) if value is True])


def build_list(items: list[Value]) -> Value:
    """Return a list of values; one of lists is not known, as these could be larger than what writes them."""
    known = [
        item.value for item in items if isinstance(item, KnownValue) and not isinstance(item.value, list)
    ]
    return KnownValue(known) if len(known) == len(items) else combine_outcomes(items)
