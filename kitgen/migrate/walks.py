"""A walk that replaces some of what a value holds."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from kitgen.findings import Problem, Step
from kitgen.text.yaml import Json

COLLECTIONS = (dict, list)
"""What holds values: a tuple, since a union is made anew each time that it is asked for."""


class ConvertedValue(NamedTuple):
    """A value, which is the one that was given where nothing changed, and what there is to say of it."""

    value: Json
    problems: tuple[Problem, ...] = ()


def convert_children(value: Json, visit: Callable[[Step, Json], ConvertedValue]) -> ConvertedValue:
    """Visit the mappings and lists that a value holds; it is copied when the first one changes."""
    made, problems = value, list[Problem]()
    for step, item in value.items() if isinstance(value, dict) else enumerate(value):
        if type(item) is not dict and type(item) is not list:
            continue
        part = visit(step, item)
        if part.problems:
            problems += (each.prefix_path(step) for each in part.problems)
        if part.value is not item:
            made = value.copy() if made is value else made
            made[step] = part.value
    return ConvertedValue(made, tuple(problems))
