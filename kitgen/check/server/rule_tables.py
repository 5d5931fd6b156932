"""Rule tables by type and field: their form, and how they are applied to values.

A constraint validates one field of a mapping; a validator a whole mapping, with its fields together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Concatenate, ParamSpec, TypeAlias

from msgspec import Struct

from kitgen.findings import Problem
from kitgen.text.values import entries_at
from kitgen.text.yaml import JsonObject

Validator: TypeAlias = Callable[[JsonObject], Iterator[Problem]]
"""Reports what is wrong with one value of a type; the paths of its problems start at the value."""
Validators: TypeAlias = Mapping[str, Validator]
"""Short name of a definition, such as core/v1.PodSpec → what validates its values."""
Constraint: TypeAlias = Callable[[JsonObject, str], Iterator[Problem]]
Fields: TypeAlias = Mapping[str, Constraint | tuple[Constraint, ...]]
TypeRules: TypeAlias = tuple[Fields | Validator, ...]
Rules: TypeAlias = Mapping[str, Fields | Validator | TypeRules]
"""Short name of a definition → constraints on its fields, and functions for what they say together."""


class OfMissing(Struct, frozen=True):
    """A constraint that looks at a field which is missing, too; others have nothing to say of one."""

    check: Constraint

    def __call__(self, value: JsonObject, field: str) -> Iterator[Problem]:
        """Report what is wrong with a field."""
        return self.check(value, field)


P = ParamSpec("P")
"""Parameters of a constraint."""


def compile_rules(*tables: Rules) -> Validators:
    """Return one function for every type of some tables."""
    return {
        name: _build_validator(rules if isinstance(rules, tuple) else (rules,))
        for table in tables
        for name, rules in table.items()
    }


def _build_validator(rules: TypeRules) -> Validator:
    compiled: list[Validator] = []

    def validate(value: JsonObject) -> Iterator[Problem]:
        if not compiled:  # most types are in no object
            compiled.extend(each if callable(each) else _compile_fields(each) for each in rules)
        for each in compiled:
            yield from each(value)

    return validate


def _compile_fields(fields: Fields) -> Validator:
    """Return a function of constraints that knows which of them look at a field that is missing."""
    rows = []
    for field, found in fields.items():
        constraints = found if isinstance(found, tuple) else (found,)
        rows.append((field, constraints, [each for each in constraints if isinstance(each, OfMissing)]))

    def validate(value: JsonObject) -> Iterator[Problem]:
        for field, present, missing in rows:
            for each in present if field in value else missing:
                yield from each(value, field)

    return validate


def constraint(
    check: Callable[Concatenate[JsonObject, str, P], Iterator[Problem]],
) -> Callable[P, Constraint]:
    """Turn a function of a mapping, a field and parameters into one of parameters that makes a constraint."""

    def make(*args: P.args, **kwargs: P.kwargs) -> Constraint:
        return lambda value, field: check(value, field, *args, **kwargs)

    return make


def constraint_of_missing(
    check: Callable[Concatenate[JsonObject, str, P], Iterator[Problem]],
) -> Callable[P, Constraint]:
    """Do the same with a function that looks at missing fields, too."""

    def make(*args: P.args, **kwargs: P.kwargs) -> Constraint:
        return OfMissing(constraint(check)(*args, **kwargs))

    return make


def validator(check: Callable[Concatenate[JsonObject, P], Iterator[Problem]]) -> Callable[P, Validator]:
    """Turn a function of a mapping and parameters into one of parameters that returns a validator."""

    def make(*args: P.args, **kwargs: P.kwargs) -> Validator:
        return lambda value: check(value, *args, **kwargs)

    return make


def check_value(rules: TypeRules, value: JsonObject) -> Iterator[Problem]:
    """Report what is wrong with a value by constraints on its fields, and by functions."""
    for rule in rules:
        yield from rule(value) if callable(rule) else check_fields(value, rule)


def check_fields(value: JsonObject, fields: Fields) -> Iterator[Problem]:
    """Report what is wrong with the fields of a mapping."""
    yield from _compile_fields(fields)(value)


def prefix_paths(problems: Iterable[Problem], *path: str | int) -> Iterator[Problem]:
    """Return problems as those of what a path leads into."""
    yield from (problem.prefix_path(*path) for problem in problems)


@constraint
def nested(value: JsonObject, field: str, *rules: Fields | Validator) -> Iterator[Problem]:
    """Apply rules to a mapping in a field."""
    if isinstance(inner := value.get(field), dict):
        yield from prefix_paths(check_value(rules, inner), field)


@constraint
def each_item(value: JsonObject, field: str, *rules: Fields | Validator) -> Iterator[Problem]:
    """Apply rules to every mapping of a list in a field."""
    for index, item in entries_at(value, field):
        yield from prefix_paths(check_value(rules, item), field, index)
