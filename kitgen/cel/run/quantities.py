"""Quantities of Kubernetes, such as 100m and 2Gi, in CEL."""

from __future__ import annotations

import math
from fractions import Fraction

from msgspec import Struct

from kitgen.cel.run.functions import register_function, register_functions
from kitgen.cel.run.values import KINDS, LEAST, MOST, FaultError, require, to_int64
from kitgen.kube.quantities import parse_amount

NANO = 10**9


class Quantity(Struct, frozen=True, order=True):
    """An amount."""

    amount: Fraction


KINDS[Quantity] = "quantity"


def parse_quantity(text: str) -> Fraction | None:
    """Return how much a text says, as exact as Kubernetes keeps it; nothing for what is no quantity."""
    if (found := parse_amount(text)) is None:
        return None
    return min(Fraction(math.ceil(abs(found) * NANO), NANO), Fraction(MOST)) * (-1 if found < 0 else 1)


@register_function(".isInteger quantity -> bool")
def _is_integer(value: Quantity) -> bool:
    return value.amount.denominator == 1 and LEAST <= value.amount <= MOST


@register_function(".asInteger quantity -> int")
def _as_integer(value: Quantity) -> int:
    if not _is_integer(value):
        raise FaultError("cannot convert value to integer")
    return int(value.amount)


@register_function(".asApproximateFloat quantity -> double")
def _as_float(value: Quantity) -> float:
    try:
        return float(value.amount)
    except OverflowError:
        return math.copysign(math.inf, value.amount)


register_functions(
    {
        ".add quantity int -> quantity": lambda one, other: Quantity(one.amount + to_int64(other)),
        ".sub quantity int -> quantity": lambda one, other: Quantity(one.amount - to_int64(other)),
        ".isGreaterThan quantity quantity -> bool": lambda one, other: one > other,
        ".isLessThan quantity quantity -> bool": lambda one, other: one < other,
        ".compareTo quantity quantity -> int": lambda one, other: (one > other) - (one < other),
        "quantity string -> quantity": lambda text: Quantity(
            require(parse_quantity(text), "quantities must match the regular expression of Kubernetes")
        ),
        "isQuantity string -> bool": lambda text: parse_quantity(text) is not None,
        "sign quantity -> int": lambda value: (value.amount > 0) - (value.amount < 0),
        ".add quantity quantity -> quantity": lambda one, other: Quantity(one.amount + other.amount),
        ".sub quantity quantity -> quantity": lambda one, other: Quantity(one.amount - other.amount),
    }
)
