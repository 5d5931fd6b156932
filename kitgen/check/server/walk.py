"""Take an object apart along Kubernetes' definitions, and ask those who know something of a part."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import Enum
from functools import cache
from typing import NamedTuple

from msgspec.structs import replace

from kitgen.check.schemas.catalog import lenient
from kitgen.check.server.constraints import Validators
from kitgen.check.server.metadata import READERS, Reader
from kitgen.check.server.nulls import referred
from kitgen.check.server.rules import SERVER_REQUIRED
from kitgen.crd.types import short_name
from kitgen.findings import Path, Problem
from kitgen.kube.definitions import definition
from kitgen.text.wording import choice
from kitgen.text.yaml import Json, JsonObject

ALONE = frozenset({"apiextensions/v1.JSONSchemaProps"})
"""Definitions whose values are not looked at here."""


class Many(Enum):
    """How values stand in a field."""

    ONE = 1
    LIST = 2
    MAP = 3


class FieldPath(NamedTuple):
    """A field that leads to values of another definition, or to those that are read in a way of their own."""

    field: str
    many: Many
    name: str
    """The full name of the definition."""
    reader: Reader | None = None


def problems(
    body: JsonObject,
    name: str,
    minor: int,
    validators: Validators,
    heard: Callable[[Problem], Problem] = lambda problem: problem,
) -> Iterator[Problem]:
    """Yield what validators say of an object of that definition, and of all that is in it.

    Nobody is asked of its status, which an API server drops once it is read. What cannot even be read
    stays as it is; all else is told as `heard` has it.
    """
    yield from _without_spec(body, name, minor, validators)
    todo: list[tuple[Path, Json, str]] = [((), body, name)]
    while todo:
        path, value, at = todo.pop()
        if not isinstance(value, dict):
            continue  # schemas tell of it
        is_kept = not path or path[0] != "status"
        if is_kept and (validator := validators.get(short_name(at))):
            for problem in validator(value):
                yield heard(problem.below(*path) if path else problem)
        inside: list[tuple[Path, Json, str]] = []
        for way in _ways(at, minor):
            inner = value.get(way.field)
            if inner is None and (way.field not in value or way.field not in _required(at, minor)):
                continue
            for where, item in _values(inner, way.many):
                place = (*path, way.field, *where)
                if way.reader is not None:
                    if wrong := way.reader(item):
                        yield wrong.below(*place)
                elif item is not None:
                    inside.append((place, item, way.name))
                elif is_kept:
                    yield from (heard(each) for each in _nothing(way.name, minor, validators, place))
        todo += reversed(inside)


def _nothing(
    name: str, minor: int, validators: Validators, place: Path, found: str = "nothing"
) -> Iterator[Problem]:
    """Yield what a null lacks that a server takes for an empty value of a definition."""
    if fields := _required(name, minor):
        yield SERVER_REQUIRED(f"found {found}, expected {choice(fields, last='and')}", place)
    elif validator := validators.get(short_name(name)):
        yield from (replace(problem, path=place) for problem in validator({}))


def _without_spec(body: JsonObject, name: str, minor: int, validators: Validators) -> Iterator[Problem]:
    """Yield what an object without a spec lacks; a server takes that as an empty one."""
    way = next((each for each in _ways(name, minor) if each.field == "spec"), None)
    if way is None or body.get("spec") is not None or "spec" in _required(name, minor):
        return
    place: Path = ("spec",) if "spec" in body else ()
    yield from _nothing(way.name, minor, validators, place, "no spec")


def _required(name: str, minor: int) -> list[str]:
    required: list[str] = lenient(name, minor).get("required", [])
    return required


def _values(inner: Json, many: Many) -> Iterator[tuple[Path, Json]]:
    if many is Many.ONE:
        yield (), inner
    elif many is Many.LIST and isinstance(inner, list):
        yield from (((index,), item) for index, item in enumerate(inner))
    elif many is Many.MAP and isinstance(inner, dict):
        yield from (((key,), item) for key, item in inner.items())


@cache
def _ways(name: str, minor: int) -> tuple[FieldPath, ...]:
    """Return the fields of a definition that lead to others."""
    if short_name(name) in ALONE:
        return ()
    found = definition(name, minor).get("properties", {})
    return tuple(way for field, schema in found.items() if (way := _way(field, schema, minor)))


def _way(field: str, schema: JsonObject, minor: int) -> FieldPath | None:
    for many, inner in (
        (Many.ONE, schema),
        (Many.LIST, schema.get("items")),
        (Many.MAP, schema.get("additionalProperties")),
    ):
        if not isinstance(inner, dict):
            continue
        name = referred(inner)
        reader = READERS.get(short_name(name) if name else str(inner.get("format", "")))
        if reader or (name and "properties" in definition(name, minor)):
            return FieldPath(field, many, name, reader)
    return None
