"""Macros of CEL: comprehensions over lists and maps, bindings, and optional values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from kitgen.cel.parse import CelError, Expr
from kitgen.cel.run.functions import PAIR, CelScope, Run, reserve_memory
from kitgen.cel.run.operators import (
    build_sort_key,
    evaluate_bool,
    evaluate_until_decided,
    make_overload_error,
    require_optional,
)
from kitgen.cel.run.values import OptionalValue, Value

Make = Callable[[Expr, frozenset[str]], Run]
Names = tuple[str, ...]
Turns = Callable[[CelScope], Iterator[tuple[CelScope, Value]]]
ONE_OF = ("exists_one", "existsOne")
FORMS: dict[str, dict[int, int]] = {
    **{name: {2: 1, 3: 2} for name in ("all", "exists", *ONE_OF)},
    **{name: {2: 1} for name in ("filter", "sortBy", "optMap", "optFlatMap")},
    **{name: {3: 2, 4: 2} for name in ("transformList", "transformMap", "transformMapEntry")},
    "map": {2: 1, 3: 1},
}
"""Macro → by how many arguments it may have, how many of them are names, which come first."""
MACROS = frozenset({*FORMS, "or", "orValue"})
CONDITION = "condition"
PARTS = 8
"""How many parts of an expression are evaluated in one step, those aside that take steps themselves."""


def build_macro(expression: Expr, known: frozenset[str], make: Make) -> Run | None:
    """Return what evaluates a macro, or nothing if the method has the name but not the form of one."""
    name, (holder, *arguments) = str(expression.value), expression.parts
    if name == "bind":
        return _build_bind(arguments, known, make)
    values = make(holder, known)
    if name in ("or", "orValue"):
        return _build_or(values, make(arguments[0], known), name) if len(arguments) == 1 else None
    if not (named := list_macro_variables(name, arguments)):
        return None
    bodies = [make(part, known.union(named)) for part in arguments[len(named) :]]
    if name in ("optMap", "optFlatMap"):
        return _build_optional_map(values, named[0], bodies[0], name)
    return _build_comprehension(name, _build_loop(values, named, arguments[len(named) :]), bodies)


def list_macro_variables(name: str, arguments: list[Expr]) -> Names:
    """Return the names that a macro gives to what it goes through."""
    count = FORMS.get(name, {}).get(len(arguments), 0)
    names = tuple(str(part.value) for part in arguments[:count] if part.kind == "name")
    return names if len(names) == count else ()


def _list_entries(values: Value, variables: Names) -> Iterator[tuple[Value, ...]]:
    """Yield what the variables are in each turn."""
    if isinstance(values, dict):
        yield from (pair[: len(variables)] for pair in values.items())
    elif isinstance(values, list):
        yield from ((item,) for item in values) if len(variables) == 1 else enumerate(values)
    else:
        raise make_overload_error("comprehension", values)


def _build_loop(values: Run, variables: Names, bodies: Sequence[Expr]) -> Turns:
    """Return what yields what the body sees in each turn, and the value of its first variable."""
    steps = 1 + sum(body.count_parts() for body in bodies) // PARTS

    def turns(scope: CelScope) -> Iterator[tuple[CelScope, Value]]:
        inner = CelScope({**scope.names}, scope.take)
        for entry in _list_entries(values(scope), variables):
            scope.take(steps)
            inner.names.update(zip(variables, entry, strict=True))
            yield inner, entry[0]

    return turns


def _build_comprehension(name: str, turns: Turns, bodies: list[Run]) -> Run:
    body = bodies[-1]
    if name in ("all", "exists"):
        return lambda scope: evaluate_until_decided(
            ((body, inner) for inner, _ in turns(scope)), CONDITION, decides=name == "exists"
        )
    if name in ONE_OF:
        return lambda scope: sum([evaluate_bool(body, inner, CONDITION) for inner, _ in turns(scope)]) == 1
    if name == "filter":
        return lambda scope: [item for inner, item in turns(scope) if evaluate_bool(body, inner, CONDITION)]
    if name == "sortBy":
        return lambda scope: _sort_items(turns, body, scope)
    test = bodies[0] if len(bodies) > 1 else None

    def pairs(scope: CelScope) -> Iterator[tuple[Value, Value]]:
        for inner, item in turns(scope):
            if test is None or evaluate_bool(test, inner, CONDITION):
                yield item, body(inner)

    if name in ("map", "transformList"):
        return lambda scope: [value for _, value in pairs(scope)]
    if name == "transformMap":
        return lambda scope: dict(_meter_pairs(pairs(scope), scope))
    return lambda scope: dict(
        _meter_pairs((pair for _, each in pairs(scope) for pair in _get_items(each)), scope)
    )


def _meter_pairs(pairs: Iterable[tuple[Value, Value]], scope: CelScope) -> Iterator[tuple[Value, Value]]:
    """Yield pairs that are kept, such as entries of a map, each after its steps were taken."""
    for pair in pairs:
        reserve_memory(PAIR, scope.take)
        yield pair


def _get_items(entries: Value) -> Iterable[tuple[Value, Value]]:
    if not isinstance(entries, dict):
        raise make_overload_error("transformMapEntry", entries)
    return entries.items()


def _sort_items(turns: Turns, body: Run, scope: CelScope) -> list[Value]:
    keyed = [*_meter_pairs(((body(inner), item) for inner, item in turns(scope)), scope)]
    key = build_sort_key(scope.take)
    return [item for _, item in sorted(keyed, key=lambda pair: key(pair[0]))]


def _build_bind(arguments: list[Expr], known: frozenset[str], make: Make) -> Run:
    if len(arguments) != 3 or arguments[0].kind != "name":
        raise CelError("expected a name, its value and an expression in cel.bind()")
    name = str(arguments[0].value)
    value, body = make(arguments[1], known), make(arguments[2], known | {name})

    return lambda scope: body(CelScope({**scope.names, name: value(scope)}, scope.take))


def _build_or(values: Run, other: Run, name: str) -> Run:
    def run(scope: CelScope) -> Value:
        if not (found := require_optional(values(scope), name)).found:
            return other(scope)
        return found if name == "or" else found.found[0]

    return run


def _build_optional_map(values: Run, variable: str, body: Run, name: str) -> Run:
    def run(scope: CelScope) -> Value:
        if not (found := require_optional(values(scope), name)).found:
            return found
        made = body(CelScope({**scope.names, variable: found.found[0]}, scope.take))
        return made if name == "optFlatMap" else OptionalValue((made,))

    return run
