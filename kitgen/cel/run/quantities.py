"""Quantities of Kubernetes, such as 100m and 2Gi, in rules."""

from __future__ import annotations

import math
from fractions import Fraction

from msgspec import Struct

from kitgen.cel.run.functions import function
from kitgen.cel.run.values import KINDS, LEAST, MOST, FaultError, integer
from kitgen.kube.quantities import amount

NANO = 10**9


class Quantity(Struct, frozen=True, order=True):
    """An amount."""

    amount: Fraction


KINDS[Quantity] = "quantity"


def parsed(text: str) -> Fraction | None:
    """Return how much a text says, as exact as Kubernetes keeps it; nothing for what is no quantity."""
    found = amount(text)
    if found is None:
        return None
    up = math.ceil(abs(found) * NANO)
    return min(Fraction(up, NANO), Fraction(MOST)) * (-1 if found < 0 else 1)


@function("quantity string -> quantity")
def quantity(text: str) -> Quantity:
    """Return the quantity that a text says."""
    found = parsed(text)
    if found is None:
        raise FaultError("quantities must match the regular expression of Kubernetes")
    return Quantity(found)


@function("isQuantity string -> bool")
def _is_quantity(text: str) -> bool:
    return parsed(text) is not None


@function("sign quantity -> int")
def _sign(value: Quantity) -> int:
    return (value.amount > 0) - (value.amount < 0)


@function(".isInteger quantity -> bool")
def _is_integer(value: Quantity) -> bool:
    return value.amount.denominator == 1 and LEAST <= value.amount <= MOST


@function(".asInteger quantity -> int")
def _as_integer(value: Quantity) -> int:
    if not _is_integer(value):
        raise FaultError("cannot convert value to integer")
    return int(value.amount)


@function(".asApproximateFloat quantity -> double")
def _as_float(value: Quantity) -> float:
    try:
        return float(value.amount)
    except OverflowError:
        return math.copysign(math.inf, value.amount)


@function(".add quantity quantity -> quantity")
def _add(one: Quantity, other: Quantity) -> Quantity:
    return Quantity(one.amount + other.amount)


@function(".sub quantity quantity -> quantity")
def _sub(one: Quantity, other: Quantity) -> Quantity:
    return Quantity(one.amount - other.amount)


function(".add quantity int -> quantity")(lambda one, other: Quantity(one.amount + integer(other)))
function(".sub quantity int -> quantity")(lambda one, other: Quantity(one.amount - integer(other)))
function(".isGreaterThan quantity quantity -> bool")(lambda one, other: one > other)
function(".isLessThan quantity quantity -> bool")(lambda one, other: one < other)
function(".compareTo quantity quantity -> int")(lambda one, other: (one > other) - (one < other))
