"""Walks over values of any shape: one that visits everything, and one that replaces some of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias

from kitgen.findings import Path, Problem, Step
from kitgen.text.yaml import Json

Node: TypeAlias = tuple[Path, Json]
"""A value, and where it stands."""


def walk(value: Json) -> Iterator[Node]:
    """Yield a value and all that it holds, in order."""
    todo: list[Node] = [((), value)]
    while todo:
        path, value = todo.pop()
        yield path, value
        if isinstance(value, dict):
            todo += [((*path, key), item) for key, item in reversed(value.items())]
        elif isinstance(value, list):
            todo += [((*path, at), value[at]) for at in range(len(value) - 1, -1, -1)]


class ConvertedValue(NamedTuple):
    """A value, which is the one that was given where nothing changed, and what there is to say of it."""

    value: Json
    problems: tuple[Problem, ...] = ()


def over(value: Json, visit: Callable[[Step, Json], ConvertedValue]) -> ConvertedValue:
    """Visit the mappings and lists that a value holds; it is copied when the first one changes."""
    made, problems = value, list[Problem]()
    for step, item in value.items() if isinstance(value, dict) else enumerate(value):
        if type(item) is not dict and type(item) is not list:
            continue
        part = visit(step, item)
        if part.problems:
            problems += (each.below(step) for each in part.problems)
        if part.value is not item:
            made = value.copy() if made is value else made
            made[step] = part.value
    return ConvertedValue(made, tuple(problems))
