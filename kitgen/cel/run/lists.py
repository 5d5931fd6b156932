"""Functions of lists: those that Kubernetes adds, sets, and those of newer versions of the language."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from itertools import pairwise

from kitgen.cel.run.functions import ENTRY, count_bytes, register_function, register_functions, reserve_memory
from kitgen.cel.run.operators import add, build_sort_key, compare_values, is_equal, is_member
from kitgen.cel.run.values import Duration, FaultError, OptionalValue, Take, Value


@register_function(".sum list -> dyn", metered=True)
def _sum(take: Take, items: list[Value]) -> Value:
    if not items:
        return 0
    total = reduce(lambda one, other: add(one, other, take), items)
    if not isinstance(total, int | float | Duration):
        raise FaultError("no such overload: sum")
    return total


def _find_extreme(take: Take, items: list[Value], name: str, sign: int) -> Value:
    if not items:
        raise FaultError(f"{name} called on empty list")
    found = items[0]
    for item in items[1:]:
        if compare_values("<", item, found, take) == sign:
            found = item
    return found


def _find_index(take: Take, items: list[Value], wanted: Value, places: Iterable[int]) -> int:
    return next((at for at in places if is_equal(items[at], wanted, take)), -1)


def _contains_all(take: Take, items: list[Value], wanted: list[Value]) -> bool:
    return all(is_member(item, items, take) for item in wanted)


@register_function(".distinct list -> list", metered=True)
def _distinct(take: Take, items: list[Value]) -> list[Value]:
    found: list[Value] = []
    for item in items:
        if not is_member(item, found, take):
            found.append(item)
    return found


@register_function(".flatten list -> list", ".flatten list int -> list", metered=True)
def _flatten(take: Take, items: list[Value], depth: int = 1) -> list[Value]:
    if depth < 0:
        raise FaultError("level must be non-negative")
    for _ in range(depth):
        if not any(isinstance(item, list) for item in items):
            break
        reserve_memory(sum(count_bytes(item) if isinstance(item, list) else ENTRY for item in items), take)
        items = [one for item in items for one in (item if isinstance(item, list) else [item])]
    return items


@register_function(".slice list int int -> list")
def _slice(items: list[Value], start: int, end: int) -> list[Value]:
    if not 0 <= start <= end <= len(items):
        raise FaultError(f"cannot slice({start}, {end}), list is length {len(items)}")
    return items[start:end]


@register_function("lists.range int -> list(int)", metered=True)
def _range(take: Take, count: int) -> list[Value]:
    take(max(count, 0))
    return [*range(count)]


@register_function(".sort list -> list", metered=True)
def _sort(take: Take, items: list[Value]) -> list[Value]:
    take(len(items))
    return sorted(items, key=build_sort_key(take))


register_functions(
    {
        ".isSorted list -> bool": lambda take, items: all(
            compare_values("<=", one, other, take) <= 0 for one, other in pairwise(items)
        ),
        ".min list -> dyn": lambda take, items: _find_extreme(take, items, "min", -1),
        ".max list -> dyn": lambda take, items: _find_extreme(take, items, "max", 1),
        ".indexOf list any -> int": lambda take, items, wanted: _find_index(
            take, items, wanted, range(len(items))
        ),
        ".lastIndexOf list any -> int": lambda take, items, wanted: _find_index(
            take, items, wanted, reversed(range(len(items)))
        ),
        "sets.contains list list -> bool": _contains_all,
        "sets.equivalent list list -> bool": lambda take, one, other: (
            _contains_all(take, one, other) and _contains_all(take, other, one)
        ),
        "sets.intersects list list -> bool": lambda take, one, other: any(
            is_member(item, other, take) for item in one
        ),
    },
    metered=True,
)
register_functions(
    {
        ".reverse list -> list": lambda items: items[::-1],
        ".first list -> optional": lambda items: OptionalValue(tuple(items[:1])),
        ".last list -> optional": lambda items: OptionalValue(tuple(items[-1:])),
    }
)
