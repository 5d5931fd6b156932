"""Objects within objects: in a template, in a list, or as text in a ConfigMap."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TypeAlias

from kitgen.findings import Problem, Step, problem
from kitgen.migrate.resources.kinds import MigrationMoves, Standing, typed_of
from kitgen.migrate.resources.references import LEFT, is_object
from kitgen.migrate.walks import ConvertedValue, over
from kitgen.text.values import map_at
from kitgen.text.yaml import Dialect, Json, JsonObject, YamlError, dump, dump_all, read_all

Move: TypeAlias = Callable[[JsonObject], ConvertedValue]
"""Moves an object of an old kind."""
CONFIG_MAP = ("v1", "ConfigMap")
TEXTS_DEEP = 3
"""How many texts may hold each other; what lies deeper stays as it is, and is told."""


def moved_within(
    value: Json, moves: MigrationMoves, move: Move, *, inside: bool, deep: int = TEXTS_DEEP
) -> ConvertedValue:
    """Return a value with all old objects below it moved; `inside` of one that moves, references too."""

    def visit(_step: Step, item: Json) -> ConvertedValue:
        if type(item) is list or "apiVersion" not in item:  # most of them, by far
            return over(item, visit)
        match moves.standing(item):
            case Standing.OLD | Standing.STRANDED if is_object(item):
                return move(item)
            case Standing.OLD if inside:
                after = moves.old[typed_of(item)].after
                return ConvertedValue({**item, "apiVersion": after.api_version, "kind": after.kind})
        part = over(item, visit)
        return _texts(part, moves, move, inside, deep) if typed_of(item) == CONFIG_MAP else part

    part = over(value, visit)
    is_map = isinstance(value, dict) and typed_of(value) == CONFIG_MAP
    return _texts(part, moves, move, inside, deep) if is_map else part


def _texts(
    part: ConvertedValue, moves: MigrationMoves, move: Move, inside: bool, deep: int
) -> ConvertedValue:
    """Move what the texts of a ConfigMap hold; a text in which nothing moves stays as it is."""
    data = map_at(part.value, "data")
    made, problems = dict(data), list(part.problems)
    for key, text in data.items() if deep else ():
        if isinstance(text, str) and moves.hinted.search(text):
            found = _text(text, moves, move, inside, deep)
            problems += (each.below("data", key) for each in found.problems)
            made[key] = found.value
    return ConvertedValue(part.value if made == data else {**part.value, "data": made}, tuple(problems))


def _text(text: str, moves: MigrationMoves, move: Move, inside: bool, deep: int) -> ConvertedValue:
    try:
        documents = read_all(text, dialect=Dialect.KUBECTL)
    except YamlError:
        message = "found a text that names an old kind and cannot be read as YAML"
        silent = inside or not moves.said.search(text)
        return ConvertedValue(text, () if silent else (problem("migration-text", message, hint=LEFT),))
    part = moved_within(documents, moves, move, inside=inside, deep=deep - 1)
    # Where a text stands in its file is all that can be told of what is in it.
    problems = [Problem(each.rule, each.message, (), each.hint) for each in part.problems]
    if part.value is documents:
        if not inside and not problems and moves.said.search(text):
            problems.append(problem("migration-text", "found a text that names an old kind", hint=LEFT))
        return ConvertedValue(text, tuple(problems))
    if any(line.lstrip().startswith("#") for line in text.splitlines()):
        problems.append(
            problem("migration-text", "found a text with comments, which are lost as it is written anew")
        )
    return ConvertedValue(_written(text, part.value), tuple(problems))


def _written(text: str, documents: list[Json]) -> str:
    """Write documents as the text had them: JSON as JSON, several of them with markers."""
    if text.lstrip().startswith(("{", "[")) and len(documents) == 1:
        indent = 2 if "\n" in text.strip() else None
        ending = "\n" if text.endswith("\n") else ""
        return json.dumps(documents[0], indent=indent, ensure_ascii=False) + ending
    alone = len(documents) == 1 and not text.startswith("---")
    return dump(documents[0]) if alone else dump_all(documents)
