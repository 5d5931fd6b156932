"""Take an object apart along Kubernetes' definitions, and ask those who know something of a part."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from functools import cache
from typing import NamedTuple, TypeAlias

from kitgen.check.schemas.catalog import closure_of
from kitgen.crds.types.names import short_name
from kitgen.findings import Path, Problem
from kitgen.kubernetes import definition
from kitgen.yamlio import Json, JsonObject

Validator: TypeAlias = Callable[[JsonObject], Iterator[Problem]]
"""Tells what is wrong with one value of a type; the paths of its problems start at the value."""
Validators: TypeAlias = Mapping[str, Validator]
"""Short name of a definition, such as core/v1.PodSpec → who knows what its values must be."""


class Many(Enum):
    """How values stand in a field."""

    ONE = 1
    LIST = 2
    MAP = 3


class Way(NamedTuple):
    """A field that leads to values of another definition."""

    field: str
    many: Many
    name: str
    """The full name of the definition."""


class Stop(NamedTuple):
    """What to do with a value of a definition."""

    validator: Validator | None
    ways: tuple[Way, ...]
    """The fields that lead to something that somebody is to be asked about, last first."""


class Walk:
    """The ways to everything that somebody knows something of."""

    def __init__(self, validators: Validators) -> None:
        """Take those who are asked."""
        self.validators = validators
        self._stops: dict[tuple[str, int], Stop] = {}

    def problems(self, body: JsonObject, name: str, minor: int) -> Iterator[Problem]:
        """Yield what is said of an object of that definition, and of all that is in it."""
        todo: list[tuple[Path, Json, str]] = [((), body, name)]
        while todo:
            path, value, at = todo.pop()
            if not isinstance(value, dict):
                continue  # schemas tell of it
            stop = self._stops.get((at, minor)) or self._stop(at, minor)
            if stop.validator:
                for problem in stop.validator(value):
                    yield problem.below(*path) if path else problem
            for field, many, inside in stop.ways:
                inner = value.get(field)
                if not inner and inner != {}:
                    continue
                where = (*path, field)
                if many is Many.ONE:
                    todo.append((where, inner, inside))
                elif many is Many.LIST and isinstance(inner, list):
                    todo += [((*where, index), inner[index], inside) for index in reversed(range(len(inner)))]
                elif many is Many.MAP and isinstance(inner, dict):
                    todo += [((*where, key), item, inside) for key, item in reversed(inner.items())]

    def _stop(self, name: str, minor: int) -> Stop:
        ways = tuple(way for way in reversed(_ways(name, minor)) if self._leads_on(way.name, minor))
        stop = self._stops[name, minor] = Stop(self.validators.get(short_name(name)), ways)
        return stop

    def _leads_on(self, name: str, minor: int) -> bool:
        return any(short_name(each) in self.validators for each in closure_of(name, minor))


@cache
def _ways(name: str, minor: int) -> tuple[Way, ...]:
    """Return the fields of a definition that lead to others."""
    found = definition(name, minor).get("properties", {})
    return tuple(way for field, schema in found.items() if (way := _way(field, schema)))


def _way(field: str, schema: JsonObject) -> Way | None:
    for many, inner in (
        (Many.ONE, schema),
        (Many.LIST, schema.get("items")),
        (Many.MAP, schema.get("additionalProperties")),
    ):
        if isinstance(inner, dict) and (name := _named(inner)):
            return Way(field, many, name)
    return None


def _named(schema: JsonObject) -> str:
    """Return the definition that a schema refers to, perhaps beside null."""
    for each in (schema, *schema.get("oneOf", ()), *schema.get("anyOf", ()), *schema.get("allOf", ())):
        if isinstance(each, dict) and "$ref" in each:
            return str(each["$ref"]).rpartition("/")[2]
    return ""
