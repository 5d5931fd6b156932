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


def convert_children(
    value: Json, visit: Callable[[Step, Json], ConvertedValue | None]
) -> ConvertedValue | None:
    """Visit the mappings and lists that a value holds; None, as from a visit, if all stays as it is.

    The value is copied when the first one changes.
    """
    made = value
    problems: list[Problem] = []
    for step, item in value.items() if isinstance(value, dict) else enumerate(value):
        if (type(item) is not dict and type(item) is not list) or (part := visit(step, item)) is None:
            continue
        problems += (each.prefix_path(step) for each in part.problems)
        if part.value is not item:
            made = value.copy() if made is value else made
            made[step] = part.value
    return ConvertedValue(made, tuple(problems)) if problems or made is not value else None
