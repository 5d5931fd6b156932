"""The types of what operators of CEL make, as the API server tells them."""

from __future__ import annotations

from collections.abc import Iterable

from kitgen.crds.cel.check.types import BOOL, DYN, FREE, STRING, Typed
from kitgen.crds.cel.run.values import NUMBERS

ORDERED = frozenset({"bool", "string", "bytes", "duration", "timestamp"})
SUMS = frozenset({"string", "bytes", "list", "duration", "timestamp"}) | NUMBERS
DIFFERENCES = frozenset({"duration", "timestamp"}) | NUMBERS
ALLOWED = {"+": SUMS, "-": DIFFERENCES, "%": NUMBERS - {"double"}}
PLAIN = NUMBERS | {"string", "bytes"}
"""Types that only go with their own."""
OPEN = frozenset({"dyn", "null"})
"""Types that fit others, as far as is known here."""


class WrongTypeError(Exception):
    """An expression that no API server takes."""


def no_overload(sign: str, *found: Typed) -> WrongTypeError:
    """Return the error of a function or operator that does not take such values."""
    return WrongTypeError(f"no such overload: {sign}({', '.join(each.kind for each in found)})")


def need(sign: str, found: Typed, *kinds: str) -> None:
    """Refuse a value that surely is of none of some types."""
    if found.kind not in kinds and found.kind != "dyn":
        raise no_overload(sign, found)


def free(found: Iterable[Typed]) -> Typed:
    """Return dyn: for a server too, if all that is dyn here is so for it."""
    return FREE if all(each.sure for each in found if each.kind == "dyn") else DYN


def alike(found: list[Typed]) -> Typed | None:
    """Return the type that entries of a list or map have, all the same one; none if there are none."""
    kinds = {each.kind for each in found} - OPEN
    if len(kinds) > 1:
        raise WrongTypeError(f"entries of the types {' and '.join(sorted(kinds))}, expected one type")
    if not found:
        return None
    return found[0] if all(each.kind == found[0].kind for each in found) else DYN


def joined(sign: str, one: Typed, other: Typed) -> Typed:
    """Return the type of what is one value or another."""
    kinds = {one.kind, other.kind}
    if "dyn" in kinds:
        return FREE if one.sure or other.sure else DYN
    if "null" in kinds:
        return DYN
    if len(kinds) > 1:
        raise no_overload(sign, one, other)
    if not one.item or not other.item:
        return one if one.item else other
    return one if one.item.kind == other.item.kind else Typed(one.kind, DYN)


def operated(sign: str, found: list[Typed]) -> Typed:
    """Return the type of what an operator makes."""
    if sign in ("||", "&&", "!"):
        for each in found:
            need(sign, each, "bool")
        return BOOL
    if len(found) == 1:
        need(sign, found[0], "int", "double")
        return found[0]
    one, other = found
    kinds = {one.kind, other.kind}
    match sign:
        case "==" | "!=":
            fits = len(kinds - OPEN) < 2 and _same_items(one, other)
        case "in":
            need(sign, other, "list", "map")
            inner = (other.item or DYN) if other.kind == "list" else STRING if other.schema else DYN
            fits = len({one.kind, inner.kind} - OPEN) < 2
        case "<" | "<=" | ">" | ">=":
            sure = kinds - {"dyn"}
            fits = sure <= NUMBERS or (len(sure) == 1 and sure <= ORDERED)
        case _:
            return _reckoned(sign, one, other)
    if not fits:
        raise no_overload(sign, one, other)
    return BOOL


def _same_items(one: Typed, other: Typed) -> bool:
    kinds = {each.item.kind for each in (one, other) if each.kind == "list" and each.item}
    return len(kinds - OPEN) < 2


def _reckoned(sign: str, one: Typed, other: Typed) -> Typed:
    kinds = {one.kind, other.kind} - {"dyn"}
    allowed = ALLOWED.get(sign, NUMBERS)
    if sign in "+-" and kinds == {"duration", "timestamp"}:
        return Typed("timestamp")
    if len(kinds) > 1 or not kinds <= allowed:
        raise no_overload(sign, one, other)
    if "dyn" in (one.kind, other.kind):
        return Typed(min(kinds)) if kinds and kinds <= PLAIN else free((one, other))
    if kinds == {"timestamp"}:
        if sign == "+":
            raise no_overload(sign, one, other)
        return Typed("duration")
    return Typed(one.kind, one.item if one.item and one.item == other.item else None)
