"""Functions of lists: those that Kubernetes adds, sets, and those of newer versions of the language."""

from __future__ import annotations

from functools import cmp_to_key
from itertools import pairwise

from kitgen.crds.cel.run.operators import add, among, compare, equal
from kitgen.crds.cel.run.table import function
from kitgen.crds.cel.run.values import Duration, FaultError, Optional, Value

LONGEST = 100_000


def _free(_: int) -> None:
    """Count nothing: the size of the lists is counted where the function is called."""


@function(".isSorted list -> bool")
def _is_sorted(items: list[Value]) -> bool:
    return all(compare("<=", one, other) <= 0 for one, other in pairwise(items))


@function(".sum list -> dyn")
def _sum(items: list[Value]) -> Value:
    if not items:
        return 0
    total = items[0]
    for item in items[1:]:
        total = add(total, item)
    if not isinstance(total, int | float | Duration):
        raise FaultError("no such overload: sum")
    return total


def _extreme(items: list[Value], name: str, sign: int) -> Value:
    if not items:
        raise FaultError(f"{name} called on empty list")
    found = items[0]
    for item in items[1:]:
        if compare("<", item, found) == sign:
            found = item
    return found


function(".min list -> dyn")(lambda items: _extreme(items, "min", -1))
function(".max list -> dyn")(lambda items: _extreme(items, "max", 1))


@function(".indexOf list any -> int")
def _index(items: list[Value], wanted: Value) -> int:
    return next((at for at, item in enumerate(items) if equal(item, wanted, _free)), -1)


@function(".lastIndexOf list any -> int")
def _last(items: list[Value], wanted: Value) -> int:
    places = range(len(items) - 1, -1, -1)
    return next((at for at in places if equal(items[at], wanted, _free)), -1)


@function("sets.contains list list -> bool")
def _contains(items: list[Value], wanted: list[Value]) -> bool:
    _product(items, wanted)
    return all(among(item, items, _free) for item in wanted)


@function("sets.equivalent list list -> bool")
def _equivalent(one: list[Value], other: list[Value]) -> bool:
    return _contains(one, other) and _contains(other, one)


@function("sets.intersects list list -> bool")
def _intersects(one: list[Value], other: list[Value]) -> bool:
    _product(one, other)
    return any(among(item, other, _free) for item in one)


def _product(one: list[Value], other: list[Value]) -> None:
    if len(one) * len(other) > LONGEST * 100:
        raise FaultError("operation cancelled: actual cost limit exceeded")


@function(".distinct list -> list")
def _distinct(items: list[Value]) -> list[Value]:
    _product(items, items)
    found: list[Value] = []
    for item in items:
        if not among(item, found, _free):
            found.append(item)
    return found


@function(".flatten list -> list", ".flatten list int -> list")
def _flatten(items: list[Value], depth: int = 1) -> list[Value]:
    if depth < 0:
        raise FaultError("level must be non-negative")
    for _ in range(depth):
        if not any(isinstance(item, list) for item in items):
            break
        items = [one for item in items for one in (item if isinstance(item, list) else [item])]
    return items


@function(".slice list int int -> list")
def _slice(items: list[Value], start: int, end: int) -> list[Value]:
    if not 0 <= start <= end <= len(items):
        raise FaultError(f"cannot slice({start}, {end}), list is length {len(items)}")
    return items[start:end]


@function(".reverse list -> list")
def _reverse(items: list[Value]) -> list[Value]:
    return items[::-1]


@function("lists.range int -> list(int)")
def _range(count: int) -> list[Value]:
    if count > LONGEST:
        raise FaultError("operation cancelled: actual cost limit exceeded")
    return [*range(count)]


@function(".sort list -> list")
def _sort(items: list[Value]) -> list[Value]:
    return sorted(items, key=cmp_to_key(lambda one, other: compare("<", one, other)))


@function(".first list -> optional")
def _first(items: list[Value]) -> Value:
    return Optional(tuple(items[:1]))


@function(".last list -> optional")
def _final(items: list[Value]) -> Value:
    return Optional(tuple(items[-1:]))
