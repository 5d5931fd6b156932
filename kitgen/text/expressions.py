"""Compile expressions with jinja2 so that they yield plain values only, in bounded time and space.

jinja2 is imported with the first expression that is more than a name.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from math import isfinite
from typing import Any
from warnings import catch_warnings, simplefilter

from kitgen.text.yaml import Json, find_lost_character

MAX_RESULT = 10_000
MAX_RESULTS = 20_000_000
"""How long the values in one run may be together; a short expression can have long ones, many times."""
MAX_COMPILED = 200_000
"""How much is compiled in one run: a hundred for each expression that is no name alone, and its length."""


class _Compiler:
    """Compiles each expression once, also one that is wrong, and only so many."""

    def __init__(self) -> None:
        self.known: dict[str, Any] = {}
        self.spent = 0
        self.made = 0

    def compile_expression(self, expression: str) -> Any:
        """Return what computes an expression, or raise why there is nothing."""
        if expression not in self.known:
            self.spent += 100 + len(expression)
            if self.spent > MAX_COMPILED:
                raise ValueError(
                    "found too many different expressions in this kit, expected about a thousand"
                )
            self.known[expression] = _compile_or_error(expression)
        if isinstance(made := self.known[expression], Exception):
            raise made.with_traceback(None)
        return made

    def count_size(self, size: int) -> None:
        """Raise an error once all values together are too large."""
        self.made += 10 + size
        if self.made > MAX_RESULTS:
            raise ValueError(f"found results of more than {MAX_RESULTS} characters in this kit")


@cache
def get_compiler() -> _Compiler:
    """Return the one compiler of a run."""
    return _Compiler()


def _compile_or_error(expression: str) -> Any:
    try:
        with catch_warnings():
            simplefilter("ignore", SyntaxWarning)  # Python has its own opinion of {{ 1[0:1] }}
            made = get_environment().compile_expression(expression, undefined_to_none=False)
            _validate_tree(get_environment().parse(f"{{{{ {expression} }}}}"))
            return made
    except (RecursionError, MemoryError):
        return ValueError("the expression is too deep")
    except get_error_types() as error:
        return error


def _validate_tree(tree: Any) -> None:
    """Raise an error for what jinja2 takes for a value though it is none."""
    from jinja2 import nodes

    if any(each.expr2 is None for each in tree.find_all(nodes.CondExpr)):
        raise ValueError("found if without else, expected a value for both cases")
    if any(each.name == "self" for each in tree.find_all(nodes.Name)):
        raise ValueError("'self' is undefined")


@cache
def get_environment() -> Any:
    """Return jinja2 without all that expressions must not do."""
    from kitgen.text.sandbox import ExpressionSandbox

    return ExpressionSandbox()


def count_value(value: Any) -> None:
    """Count what a filter gets; raise an error for what is no plain value."""
    get_compiler().count_size(measure_value(list(value) if isinstance(value, tuple) else value))


def validate_length(length: int) -> None:
    """Raise an error for a result that is too long."""
    if length > MAX_RESULT:
        raise ValueError(f"found a result of {length} characters, expected at most {MAX_RESULT}")


def measure_value(value: Json) -> int:
    """Return how large a value is; raise an error for what is too large, no plain value, or holds one."""
    match value:
        case str():
            validate_length(len(value))
            if name := find_lost_character(value):
                raise ValueError(f"found the character {name} in the result, which kustomize loses")
            return len(value)
        case bool() | None:
            return 1
        case int():
            if not -(2**63) <= value < 2**64:
                raise ValueError("found a whole number of more than 64 bits")
            return 1
        case float() if isfinite(value):
            return 1
        case list():
            return _measure_values(value)
        case dict() if all(isinstance(key, str) for key in value):
            return _measure_values(value) + _measure_values(value.values())
        case _:
            str(value)  # raises an error that says which name it is, if it is an undefined one
            raise ValueError(f"found {type(value).__name__}, expected a plain value")


def _measure_values(values: Iterable[Json]) -> int:
    total = 1
    for each in values:
        total += measure_value(each)
        validate_length(total)
    return total


def get_error_types() -> tuple[type[Exception], ...]:
    """Return what computing may raise; the last ones come from the code that jinja2 makes."""
    from jinja2 import TemplateError

    usual = (TemplateError, ValueError, TypeError, ArithmeticError, LookupError)
    return (*usual, AttributeError, NameError, SyntaxError)
