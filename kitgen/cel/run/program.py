"""Turn a parsed expression into a function that evaluates it over the values of its names."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from itertools import repeat
from typing import TypeAlias, cast

from msgspec import Struct

from kitgen.cel.parse import CelError, Expr, Literal, dotted, parse
from kitgen.cel.run import conversions, formats, lists, networks, quantities, strings, times
from kitgen.cel.run.access import at, listed, mapped, of_field, perhaps, present, written
from kitgen.cel.run.functions import BYTES, NAMES, CelScope, Run, find, stored
from kitgen.cel.run.macros import MACROS, PARTS, macro
from kitgen.cel.run.operators import (
    add,
    among,
    arithmetic,
    compare,
    decided,
    equal,
    negative,
    no_overload,
    subtract,
    truth,
)
from kitgen.cel.run.values import Type, Uint, UnknownError, Value, kind_of

LIBRARIES = (conversions, formats, lists, networks, quantities, strings, times)
TYPES = frozenset(
    {"bool", "bytes", "double", "int", "list", "map", "null_type", "string", "type", "uint"}
    | {"optional_type", "google.protobuf.Duration", "google.protobuf.Timestamp"}
    | {"kubernetes.Quantity", "kubernetes.URL", "net.IP", "net.CIDR"}
    | {"kubernetes.Semver", "kubernetes.NamedFormat"}
)
Names: TypeAlias = frozenset[str]
ORDER: dict[str, Callable[[int], bool]] = {
    "<": lambda found: found == -1,
    "<=": lambda found: found in (-1, 0),
    ">": lambda found: found == 1,
    ">=": lambda found: found in (0, 1),
}


class Program(Struct, frozen=True):
    """An expression that can be evaluated."""

    run: Run
    steps: int
    """What one evaluation takes, besides what its functions and macros take."""
    names: frozenset[Literal]

    def __call__(self, scope: CelScope) -> Value:
        """Evaluate it."""
        scope.take(self.steps)
        return self.run(scope)


@lru_cache(maxsize=2048)
def program(text: str, names: Names = frozenset({"self", "oldSelf"})) -> Program:
    """Return what evaluates an expression; CelError if it cannot be read, UnknownError if not be run."""
    try:
        expression = parse(text, escaped=True)
        return Program(make(expression, names), expression.size() // PARTS, expression.names())
    except RecursionError as error:
        raise UnknownError("an expression that nests that deep") from error


def make(expression: Expr, known: Names) -> Run:
    """Return what evaluates an expression."""
    kind, parts = expression.kind, expression.parts
    match kind:
        case "literal":
            return _always(expression.value)
        case "text":
            return _always(written(str(expression.value)))
        case "uint":
            return _always(Uint(cast("int", expression.value)))
        case "name":
            return _name(str(expression.value), known)
        case "field" if dotted(expression, known) in TYPES:
            return _always(Type(dotted(expression, known)))
        case "call" | "method":
            return _call(expression, known)
        case "list":
            return listed([(part.kind == "maybe", make(_inner(part), known)) for part in parts])
        case "map":
            keys = [(part.kind == "maybe", make(_inner(part), known)) for part in parts[::2]]
            return mapped(keys, [make(part, known) for part in parts[1::2]])
        case "message":
            raise UnknownError(f"the message {str(expression.value)[:60]}")
    runs = [make(part, known) for part in parts]
    match kind:
        case "||" | "&&":
            return lambda scope: decided(zip(runs, repeat(scope)), kind, decides=kind == "||")
        case "?":
            condition, then, other = runs
            return lambda scope: then(scope) if truth(condition, scope, "?:") else other(scope)
        case "field":
            return of_field(runs[0], str(expression.value))
        case "maybe-field":
            return perhaps(runs[0], lambda _, name=str(expression.value): name)  # type: ignore[misc]
        case "index":
            return lambda scope: at(runs[0](scope), runs[1](scope))
        case "maybe-index":
            return perhaps(*runs)
    return _operator(kind, runs)


def _always(value: Value) -> Run:
    return lambda _: value


def _name(name: str, known: Names) -> Run:
    if name in known:
        return lambda scope: scope.names[name]
    if name in TYPES:
        return _always(Type(name))
    raise UnknownError(f"the name {name[:60]}")


def _inner(part: Expr) -> Expr:
    return part.parts[0] if part.kind == "maybe" else part


def _operator(kind: str, runs: list[Run]) -> Run:
    one, other = runs[0], runs[-1]
    if len(runs) == 1:
        return lambda scope: negative(one(scope)) if kind == "-" else not truth(one, scope, kind)
    match kind:
        case "==":
            return lambda scope: equal(one(scope), other(scope), scope.take)
        case "!=":
            return lambda scope: not equal(one(scope), other(scope), scope.take)
        case "in":
            return _in(one, other)
        case "+":
            return lambda scope: add(one(scope), other(scope), scope.take)
        case "-":
            return lambda scope: subtract(one(scope), other(scope))
        case "*" | "/" | "%":
            return lambda scope: arithmetic(kind, one(scope), other(scope))
    test = ORDER[kind]
    return lambda scope: test(compare(kind, one(scope), other(scope), scope.take))


def _in(one: Run, other: Run) -> Run:
    def run(scope: CelScope) -> Value:
        value, values = one(scope), other(scope)
        if not isinstance(values, list | dict):
            raise no_overload("in", value, values)
        return among(value, values, scope.take)

    return run


def _call(expression: Expr, known: Names) -> Run:
    name, parts = str(expression.value), expression.parts
    if expression.kind == "method":
        space = dotted(parts[0], known)
        called = (space, name) == ("cel", "bind") or (name in MACROS and f"{space}.{name}" not in NAMES)
        if called and (found := macro(expression, known, make)):
            return found
        if space and f"{space}.{name}" in NAMES:
            return _function(f"{space}.{name}", [make(part, known) for part in parts[1:]])
        name = f".{name}"
    elif name == "has":
        if len(parts) != 1 or parts[0].kind not in ("field", "maybe-field"):
            raise CelError("expected a field in has()")
        return present(make(parts[0].parts[0], known), str(parts[0].value))
    if name not in NAMES:
        raise UnknownError(f"the function {name.removeprefix('.')[:60]}")
    return _function(name, [make(part, known) for part in parts])


def _function(name: str, runs: list[Run]) -> Run:
    def run(scope: CelScope) -> Value:
        values = [each(scope) for each in runs]
        found = find(name, tuple([kind_of(value) for value in values]))
        if found is None:
            raise no_overload(name.removeprefix("."), *values)
        scope.take(1 + sum(map(stored, values)) // BYTES)
        return found.body(scope.take, *values) if found.metered else found.body(*values)

    return run
