"""The operators of CEL: equality of any two values, order, arithmetic."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable
from functools import cmp_to_key
from typing import Any

from kitgen.cel.run.functions import COMPARED, CelScope, Run, count_bytes, reserve_memory
from kitgen.cel.run.values import (
    NUMBERS,
    Duration,
    FaultError,
    Object,
    OptionalValue,
    Take,
    Timestamp,
    Uint,
    UnknownError,
    UnorderedList,
    Value,
    kind_of,
    to_int64,
    to_uint64,
)

ORDERED = frozenset({"bool", "string", "bytes", "duration", "timestamp"})
TIMES = frozenset({"duration", "timestamp"})
SIMPLE: dict[str, Callable[[Any, Any], Any]] = {"+": operator.add, "-": operator.sub, "*": operator.mul}
"""Operators that numbers of all types have in common with those of Python."""
SCALARS = frozenset({"bool", "string", "null"}) | NUMBERS


def make_overload_error(name: str, *values: Value) -> FaultError:
    """Return the error of a function or operator that does not take such values."""
    kinds = ", ".join(map(kind_of, values))
    return FaultError(f"no such overload: {name}({kinds})")


def evaluate_bool(run: Run, scope: CelScope, name: str) -> bool:
    """Evaluate what is to be true or false."""
    if not isinstance(found := run(scope), bool):
        raise make_overload_error(name, found)
    return found


def evaluate_until_decided(tests: Iterable[tuple[Run, CelScope]], name: str, *, decides: bool) -> bool:
    """Evaluate tests until one decides; it does so whatever errors the others come to."""
    failed: Exception | None = None
    for run, scope in tests:
        try:
            if not isinstance(found := run(scope), bool):
                raise make_overload_error(name, found)
            if found is decides:
                return decides
        except FaultError as error:
            failed = failed or error
        except UnknownError as error:
            failed = error
    if failed:
        raise failed
    return not decides


def require_optional(value: Value, name: str) -> OptionalValue:
    """Return a value that is to be an optional one."""
    if not isinstance(value, OptionalValue):
        raise make_overload_error(name, value)
    return value


def is_equal(one: Value, other: Value, take: Take) -> bool:
    """Return whether two values are equal; numbers of any type are, values of other types differ."""
    take(1)
    if one is other:
        return not (isinstance(one, float) and math.isnan(one))
    kind, second = kind_of(one), kind_of(other)
    if kind in NUMBERS and second in NUMBERS:
        return bool(one == other)
    if kind != second:
        return False
    if isinstance(one, Object):
        return _has_equal_fields(one, other, take)
    if isinstance(one, list):
        return _has_equal_items(one, other, take)
    if isinstance(one, dict):
        return len(one) == len(other) and all(
            key in other and is_equal(item, other[key], take) for key, item in one.items()
        )
    if isinstance(one, OptionalValue):
        return len(one.found) == len(other.found) and all(
            is_equal(*pair, take) for pair in zip(one.found, other.found, strict=True)
        )
    _meter_comparison(one, other, take)
    return bool(one == other)


def _meter_comparison(one: Value, other: Value, take: Take) -> None:
    """Take the steps of comparing two texts, which end where the shorter one does."""
    if isinstance(one, str | bytes):
        take(min(len(one), len(other)) // COMPARED)


def _has_equal_fields(one: Object, other: Object, take: Take) -> bool:
    if len(one.raw) != len(other.raw):
        return False
    for name, item in one.raw.items():
        if name not in one.schemas:  # nothing is known of it
            if name in other.raw and not is_equal(other.raw[name], item, take):
                return False
        elif item is None or not other.has(name):
            return item is None and name in other.raw and other.raw[name] is None
        elif not is_equal(one.get(name), other.get(name), take):
            return False
    return True


def _has_equal_items(one: list[Value], other: list[Value], take: Take) -> bool:
    if len(one) != len(other):
        return False
    if not isinstance(one, UnorderedList):
        return all(is_equal(*pair, take) for pair in zip(one, other, strict=True))
    if not one.keys:
        return all(is_member(item, other, take) for item in one)
    found = {build_item_key(item, one.keys, take): item for item in other}
    keyed = ((build_item_key(item, one.keys, take), item) for item in one)
    return all(key in found and is_equal(item, found[key], take) for key, item in keyed)


def build_item_key(item: Value, keys: tuple[str, ...], take: Take) -> tuple[str, ...]:
    """Return what an item of a list is known by."""
    fields = item.raw if isinstance(item, Object) else item
    if not isinstance(fields, dict):
        raise make_overload_error("+", item)
    found = [fields.get(key) for key in keys]
    if any(kind_of(each) not in SCALARS for each in found):
        raise make_overload_error("+", item)
    take(1 + len(found))
    reserve_memory(sum(map(count_bytes, found)), take)
    return tuple(map(repr, found))


def is_member(value: Value, values: list[Value] | dict[Value, Value], take: Take) -> bool:
    """Return whether a value is one of a list, or a key of a map."""
    if isinstance(values, dict):
        return isinstance(value, str | int | float | bool) and value in values
    if isinstance(value, str):
        take(1 + len(values) // 32 + len(value) * len(values) // (16 * COMPARED))
        return value in values
    return any(is_equal(value, item, take) for item in values)


def compare_values(sign: str, one: Value, other: Value, take: Take) -> int:
    """Return whether a value comes before another, -1, after it, 1, or neither, 0; 2 if there is no order."""
    kind, second = kind_of(one), kind_of(other)
    if not (kind == second and kind in ORDERED) and not (kind in NUMBERS and second in NUMBERS):
        raise make_overload_error(sign, one, other)
    _meter_comparison(one, other, take)
    if one < other:
        return -1
    if one > other:
        return 1
    return 0 if one == other else 2


def build_sort_key(take: Take) -> Callable[[Value], Any]:
    """Return the key that values are sorted by."""

    def before(one: Value, other: Value) -> int:
        take(1)
        return compare_values("<", one, other, take)

    return cmp_to_key(before)


def add(one: Value, other: Value, take: Take) -> Value:
    """Add numbers, times, texts and lists."""
    kind, second = kind_of(one), kind_of(other)
    if kind == "list" and second == "list":
        return _join_lists(one, other, take)
    if kind == second and kind in ("string", "bytes"):
        reserve_memory(count_bytes(one) + count_bytes(other), take)
        return one + other
    if {kind, second} <= TIMES and "duration" in (kind, second):
        return (Duration if kind == second else Timestamp)(to_int64(one.nanos + other.nanos))
    return apply_arithmetic("+", one, other)


def _join_lists(one: list[Value], other: list[Value], take: Take) -> list[Value]:
    """Join lists; of a set what is there already is left out, of a map it is replaced."""
    reserve_memory(count_bytes(one) + count_bytes(other), take)
    if not isinstance(one, UnorderedList):
        return [*one, *other]
    made = UnorderedList(one)
    made.keys = one.keys
    if not one.keys:
        made += [item for item in other if not is_member(item, one, take)]
        return made
    places = {build_item_key(item, one.keys, take): at for at, item in enumerate(one)}
    for item in other:
        if (place := places.get(build_item_key(item, one.keys, take))) is None:
            made.append(item)
        else:
            made[place] = item
    return made


def subtract(one: Value, other: Value) -> Value:
    """Subtract numbers and times."""
    kind, second = kind_of(one), kind_of(other)
    if kind in TIMES and (second in ("duration", kind)):
        return (Duration if kind == second else Timestamp)(to_int64(one.nanos - other.nanos))
    return apply_arithmetic("-", one, other)


def apply_arithmetic(sign: str, one: Value, other: Value) -> Value:
    """Reckon with two numbers of one type."""
    if (kind := kind_of(one)) != kind_of(other) or kind not in NUMBERS or (sign == "%" and kind == "double"):
        raise make_overload_error(sign, one, other)
    if kind == "double":
        return _apply_float_arithmetic(sign, one, other)
    left, right = int(one), int(other)
    if sign in "/%" and right == 0:
        raise FaultError("division by zero" if sign == "/" else "modulus by zero")
    if sign in SIMPLE:
        found = SIMPLE[sign](left, right)
    else:
        whole = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
        found = whole if sign == "/" else left - whole * right
    return to_uint64(found) if isinstance(one, Uint) else to_int64(found)


def _apply_float_arithmetic(sign: str, one: float, other: float) -> float:
    if sign in SIMPLE or other:
        found: float = SIMPLE.get(sign, operator.truediv)(one, other)
        return found
    if not one or math.isnan(one):
        return math.nan
    return math.copysign(math.inf, one) * math.copysign(1, other)


def negate(value: Value) -> Value:
    """Return the negative of a number."""
    match kind_of(value):
        case "int":
            return to_int64(-value)
        case "double":
            return -value
    raise make_overload_error("-", value)
