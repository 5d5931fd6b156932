"""Macros of CEL: comprehensions over lists and maps, bindings, and optional values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from kitgen.cel.parse import CelError, Expr
from kitgen.cel.run.functions import PAIR, CelScope, Run, reserve
from kitgen.cel.run.operators import decided, no_overload, optional, order, truth
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


def macro(expression: Expr, known: frozenset[str], make: Make) -> Run | None:
    """Return what evaluates a macro, or nothing if the method has the name but not the form of one."""
    name, (holder, *arguments) = str(expression.value), expression.parts
    if name == "bind":
        return _bind(arguments, known, make)
    values = make(holder, known)
    if name in ("or", "orValue"):
        return _or(values, make(arguments[0], known), name) if len(arguments) == 1 else None
    if not (named := variables(name, arguments)):
        return None
    bodies = [make(part, known.union(named)) for part in arguments[len(named) :]]
    if name in ("optMap", "optFlatMap"):
        return _inside(values, named[0], bodies[0], name)
    return _through(name, _loop(values, named, arguments[len(named) :]), bodies)


def variables(name: str, arguments: list[Expr]) -> Names:
    """Return the names that a macro gives to what it goes through."""
    count = FORMS.get(name, {}).get(len(arguments), 0)
    names = tuple(str(part.value) for part in arguments[:count] if part.kind == "name")
    return names if len(names) == count else ()


def _entries(values: Value, variables: Names) -> Iterator[tuple[Value, ...]]:
    """Yield what the variables are in each turn."""
    if isinstance(values, dict):
        yield from (pair[: len(variables)] for pair in values.items())
    elif isinstance(values, list):
        yield from ((item,) for item in values) if len(variables) == 1 else enumerate(values)
    else:
        raise no_overload("comprehension", values)


def _loop(values: Run, variables: Names, bodies: Sequence[Expr]) -> Turns:
    """Return what yields what the body sees in each turn, and the value of its first variable."""
    steps = 1 + sum(body.size() for body in bodies) // PARTS

    def turns(scope: CelScope) -> Iterator[tuple[CelScope, Value]]:
        inner = CelScope({**scope.names}, scope.take)
        for entry in _entries(values(scope), variables):
            scope.take(steps)
            inner.names.update(zip(variables, entry, strict=True))
            yield inner, entry[0]

    return turns


def _through(name: str, turns: Turns, bodies: list[Run]) -> Run:
    body = bodies[-1]
    if name in ("all", "exists"):
        return lambda scope: decided(
            ((body, inner) for inner, _ in turns(scope)), CONDITION, decides=name == "exists"
        )
    if name in ONE_OF:
        return lambda scope: sum([truth(body, inner, CONDITION) for inner, _ in turns(scope)]) == 1
    if name == "filter":
        return lambda scope: [item for inner, item in turns(scope) if truth(body, inner, CONDITION)]
    if name == "sortBy":
        return lambda scope: _sorted(turns, body, scope)
    test = bodies[0] if len(bodies) > 1 else None

    def pairs(scope: CelScope) -> Iterator[tuple[Value, Value]]:
        for inner, item in turns(scope):
            if test is None or truth(test, inner, CONDITION):
                yield item, body(inner)

    if name in ("map", "transformList"):
        return lambda scope: [value for _, value in pairs(scope)]
    if name == "transformMap":
        return lambda scope: dict(_metered(pairs(scope), scope))
    return lambda scope: dict(_metered((pair for _, each in pairs(scope) for pair in _items(each)), scope))


def _metered(pairs: Iterable[tuple[Value, Value]], scope: CelScope) -> Iterator[tuple[Value, Value]]:
    """Yield pairs that are kept, such as entries of a map, each after its steps were taken."""
    for pair in pairs:
        reserve(PAIR, scope.take)
        yield pair


def _items(entries: Value) -> Iterable[tuple[Value, Value]]:
    if not isinstance(entries, dict):
        raise no_overload("transformMapEntry", entries)
    return entries.items()


def _sorted(turns: Turns, body: Run, scope: CelScope) -> list[Value]:
    keyed = [*_metered(((body(inner), item) for inner, item in turns(scope)), scope)]
    key = order(scope.take)
    return [item for _, item in sorted(keyed, key=lambda pair: key(pair[0]))]


def _bind(arguments: list[Expr], known: frozenset[str], make: Make) -> Run:
    if len(arguments) != 3 or arguments[0].kind != "name":
        raise CelError("expected a name, its value and an expression in cel.bind()")
    name = str(arguments[0].value)
    value, body = make(arguments[1], known), make(arguments[2], known | {name})

    return lambda scope: body(CelScope({**scope.names, name: value(scope)}, scope.take))


def _or(values: Run, other: Run, name: str) -> Run:
    def run(scope: CelScope) -> Value:
        if not (found := optional(values(scope), name)).found:
            return other(scope)
        return found if name == "or" else found.found[0]

    return run


def _inside(values: Run, variable: str, body: Run, name: str) -> Run:
    def run(scope: CelScope) -> Value:
        if not (found := optional(values(scope), name)).found:
            return found
        made = body(CelScope({**scope.names, variable: found.found[0]}, scope.take))
        return made if name == "optFlatMap" else OptionalValue((made,))

    return run
