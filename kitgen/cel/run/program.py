"""Turn a parsed expression into a function that evaluates it over the values of its names."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from itertools import repeat
from typing import TypeAlias, cast

from msgspec import Struct

from kitgen.cel.parse import CelError, Expr, Literal, dotted_name_of, parse_expression
from kitgen.cel.run import conversions, formats, lists, networks, quantities, strings, times
from kitgen.cel.run.access import (
    build_field_access,
    build_list,
    build_map,
    build_optional_access,
    build_presence_test,
    get_entry,
    parse_string_literal,
)
from kitgen.cel.run.functions import BYTES, NAMES, CelScope, Run, count_bytes, find_function
from kitgen.cel.run.macros import MACROS, PARTS, build_macro
from kitgen.cel.run.operators import (
    add,
    apply_arithmetic,
    compare_values,
    evaluate_bool,
    evaluate_until_decided,
    is_equal,
    is_member,
    make_overload_error,
    negate,
    subtract,
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
def build_program(text: str, names: Names = frozenset({"self", "oldSelf"})) -> Program:
    """Return what evaluates an expression; CelError if it cannot be read, UnknownError if not be run."""
    try:
        expression = parse_expression(text, escaped=True)
        return Program(
            build_evaluator(expression, names), expression.count_parts() // PARTS, expression.collect_names()
        )
    except RecursionError as error:
        raise UnknownError("an expression that nests that deep") from error


def build_evaluator(expression: Expr, known: Names) -> Run:
    """Return what evaluates an expression."""
    kind, parts = expression.kind, expression.parts
    match kind:
        case "literal":
            return _build_constant(expression.value)
        case "text":
            return _build_constant(parse_string_literal(str(expression.value)))
        case "uint":
            return _build_constant(Uint(cast("int", expression.value)))
        case "name":
            return _build_name_lookup(str(expression.value), known)
        case "field" if dotted_name_of(expression, known) in TYPES:
            return _build_constant(Type(dotted_name_of(expression, known)))
        case "call" | "method":
            return _build_call(expression, known)
        case "list":
            return build_list(
                [(part.kind == "maybe", build_evaluator(_unwrap_entry(part), known)) for part in parts]
            )
        case "map":
            keys = [
                (part.kind == "maybe", build_evaluator(_unwrap_entry(part), known)) for part in parts[::2]
            ]
            return build_map(keys, [build_evaluator(part, known) for part in parts[1::2]])
        case "message":
            raise UnknownError(f"the message {str(expression.value)[:60]}")
    runs = [build_evaluator(part, known) for part in parts]
    match kind:
        case "||" | "&&":
            return lambda scope: evaluate_until_decided(zip(runs, repeat(scope)), kind, decides=kind == "||")
        case "?":
            condition, then, other = runs
            return lambda scope: then(scope) if evaluate_bool(condition, scope, "?:") else other(scope)
        case "field":
            return build_field_access(runs[0], str(expression.value))
        case "maybe-field":
            return build_optional_access(runs[0], lambda _, name=str(expression.value): name)  # type: ignore[misc]
        case "index":
            return lambda scope: get_entry(runs[0](scope), runs[1](scope))
        case "maybe-index":
            return build_optional_access(*runs)
    return _build_operator(kind, runs)


def _build_constant(value: Value) -> Run:
    return lambda _: value


def _build_name_lookup(name: str, known: Names) -> Run:
    if name in known:
        return lambda scope: scope.names[name]
    if name in TYPES:
        return _build_constant(Type(name))
    raise UnknownError(f"the name {name[:60]}")


def _unwrap_entry(part: Expr) -> Expr:
    return part.parts[0] if part.kind == "maybe" else part


def _build_operator(kind: str, runs: list[Run]) -> Run:
    one, other = runs[0], runs[-1]
    if len(runs) == 1:
        return lambda scope: negate(one(scope)) if kind == "-" else not evaluate_bool(one, scope, kind)
    match kind:
        case "==":
            return lambda scope: is_equal(one(scope), other(scope), scope.take)
        case "!=":
            return lambda scope: not is_equal(one(scope), other(scope), scope.take)
        case "in":
            return _build_membership_test(one, other)
        case "+":
            return lambda scope: add(one(scope), other(scope), scope.take)
        case "-":
            return lambda scope: subtract(one(scope), other(scope))
        case "*" | "/" | "%":
            return lambda scope: apply_arithmetic(kind, one(scope), other(scope))
    test = ORDER[kind]
    return lambda scope: test(compare_values(kind, one(scope), other(scope), scope.take))


def _build_membership_test(one: Run, other: Run) -> Run:
    def run(scope: CelScope) -> Value:
        value, values = one(scope), other(scope)
        if not isinstance(values, list | dict):
            raise make_overload_error("in", value, values)
        return is_member(value, values, scope.take)

    return run


def _build_call(expression: Expr, known: Names) -> Run:
    name, parts = str(expression.value), expression.parts
    if expression.kind == "method":
        space = dotted_name_of(parts[0], known)
        called = (space, name) == ("cel", "bind") or (name in MACROS and f"{space}.{name}" not in NAMES)
        if called and (found := build_macro(expression, known, build_evaluator)):
            return found
        if space and f"{space}.{name}" in NAMES:
            return _build_function_call(
                f"{space}.{name}", [build_evaluator(part, known) for part in parts[1:]]
            )
        name = f".{name}"
    elif name == "has":
        if len(parts) != 1 or parts[0].kind not in ("field", "maybe-field"):
            raise CelError("expected a field in has()")
        return build_presence_test(build_evaluator(parts[0].parts[0], known), str(parts[0].value))
    if name not in NAMES:
        raise UnknownError(f"the function {name.removeprefix('.')[:60]}")
    return _build_function_call(name, [build_evaluator(part, known) for part in parts])


def _build_function_call(name: str, runs: list[Run]) -> Run:
    def run(scope: CelScope) -> Value:
        values = [each(scope) for each in runs]
        found = find_function(name, tuple([kind_of(value) for value in values]))
        if found is None:
            raise make_overload_error(name.removeprefix("."), *values)
        scope.take(1 + sum(map(count_bytes, values)) // BYTES)
        return found.body(scope.take, *values) if found.metered else found.body(*values)

    return run
