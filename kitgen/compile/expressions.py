"""Compute `"{{ … }}"` leaves: single values, sandboxed; an undefined name is an error."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from typing import Any

from kitgen.findings import Finding, Origin, near
from kitgen.model import Item, Layer, Part
from kitgen.model.component import SECTIONS
from kitgen.yamlio import Json

WHOLE = re.compile(r"\{\{((?:(?!\}\}).)*)\}\}$", re.DOTALL)
PIECE = re.compile(r"\{\{((?:(?!\}\}).)*)\}\}", re.DOTALL)
LITERAL = "$literal"
MAX_RESULT = 10_000


def evaluate(part: Part, names: dict[str, Json], findings: list[Finding]) -> Part:
    """Return the part with every expression computed; what cannot be computed is a finding."""

    def item(given: Item) -> Item:
        layers = tuple(layer(given_layer) for given_layer in given.layers)
        return given if layers == given.layers else replace(given, layers=layers)

    def layer(given: Layer) -> Layer:
        if not _has_expression(given.data):
            return given
        return replace(given, data=_value(given.data, given.origin, names, findings))

    return Part(**{section: tuple(item(i) for i in getattr(part, section)) for section in SECTIONS})


def _has_expression(value: Json) -> bool:
    if isinstance(value, str):
        return "{{" in value or "{%" in value
    if isinstance(value, dict):
        return any(key == LITERAL or _has_expression(item) for key, item in value.items())
    return isinstance(value, list) and any(_has_expression(item) for item in value)


def _value(value: Json, origin: Origin, names: dict[str, Json], findings: list[Finding]) -> Json:
    if isinstance(value, str):
        return _text(value, origin, names, findings) if "{{" in value or "{%" in value else value
    if isinstance(value, dict):
        if LITERAL in value:
            if len(value) > 1:
                message = f"found {LITERAL} beside other keys, expected it alone"
                findings.append(Finding(rule="expression", message=message, origin=origin.at(LITERAL)))
            return value[LITERAL]
        return {key: _value(item, origin.at(key), names, findings) for key, item in value.items()}
    if isinstance(value, list):
        return [_value(item, origin.at(index), names, findings) for index, item in enumerate(value)]
    return value


def _text(text: str, origin: Origin, names: dict[str, Json], findings: list[Finding]) -> Json:
    from jinja2 import TemplateError

    try:
        if "{%" in text or "{#" in text:
            raise ValueError("found a statement, expected expressions such as {{ namespace }} only")
        whole = WHOLE.match(text)
        if whole:
            return _compute(whole[1], names)
        return PIECE.sub(lambda match: str(_compute(match[1], names)), text)
    except (TemplateError, ValueError, TypeError, ArithmeticError, LookupError, AttributeError) as error:
        findings.append(_finding(str(error), origin, names))
        return text
    except RecursionError:
        findings.append(_finding("the expression is too deep", origin, names))
        return text


def _compute(expression: str, names: dict[str, Json]) -> Json:
    value = _compiled(expression)(**names)
    from jinja2 import Undefined

    if isinstance(value, Undefined):
        # Touching an undefined value raises the error that says which name it is.
        str(value)
    if not isinstance(value, str | int | float | bool | None | list | dict):
        raise ValueError(f"found {type(value).__name__}, expected a plain value")
    if isinstance(value, str) and any("\ud800" <= character <= "\udfff" for character in value):
        raise ValueError("found half a character")
    if isinstance(value, str) and len(value) > MAX_RESULT:
        raise ValueError(f"found a result of {len(value)} characters, expected at most {MAX_RESULT}")
    return value


@cache
def _compiled(expression: str) -> Any:
    return _environment().compile_expression(expression.strip(), undefined_to_none=False)


@cache
def _environment() -> Any:
    from jinja2 import StrictUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    class Environment(ImmutableSandboxedEnvironment):
        """Refuses what could grow without end."""

        intercepted_binops = frozenset({"*", "**", "%"})

        def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
            if operator == "**" or not all(isinstance(side, int | float) for side in (left, right)):
                raise ValueError(f"the operator {operator} is not allowed here")
            return super().call_binop(context, operator, left, right)

    environment = Environment(undefined=StrictUndefined)
    environment.globals.clear()
    keep = (
        "default",
        "int",
        "join",
        "length",
        "lower",
        "replace",
        "string",
        "trim",
        "upper",
        "first",
        "last",
    )
    environment.filters = {name: environment.filters[name] for name in keep}
    return environment


def _finding(problem: str, origin: Origin, names: dict[str, Json]) -> Finding:
    word = re.search(r"'(\w+)' is undefined", problem)
    if word:
        hint = near(word[1], list(names)) or f"names are {', '.join(names)}"
    else:
        hint = f"wrap text with braces of its own in {LITERAL}"
    return Finding(rule="expression", message=problem[:200].rstrip("."), origin=origin, hint=hint)
