"""Walk an object by Kubernetes' type definitions, and apply the rules of each type in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from functools import cache
from typing import NamedTuple

from msgspec.structs import replace

from kitgen.check.schemas.catalog import relax_definition
from kitgen.check.server.metadata import READERS, Reader
from kitgen.check.server.rule_tables import Validators
from kitgen.check.server.rules import SERVER_INVALID, SERVER_REQUIRED
from kitgen.crd.types import short_name
from kitgen.findings import Path, Problem
from kitgen.kube.definitions import get_definition
from kitgen.text.wording import describe_value, join_words
from kitgen.text.yaml import Json, JsonObject

ALONE = frozenset({"apiextensions/v1.JSONSchemaProps"})
"""Definitions whose values are not looked at here."""
ZEROS: dict[str, Json] = {"string": "", "integer": 0, "number": 0, "boolean": False}
AMOUNTS = ("resource.Quantity", "intstr.IntOrString")


class FieldShape(Enum):
    """Whether a field has a single value, a list or a map."""

    ONE = 1
    LIST = 2
    MAP = 3


class FieldType(NamedTuple):
    """What values of a field are."""

    many: FieldShape
    name: str
    """The full name of the definition of its values, if that has fields of its own."""
    reads: Reader | None
    """How an API server reads such values, if it has a way of its own."""
    zero: Json
    """What an API server takes a null in a list or map for."""


class FieldTypes(dict[str, FieldType | None]):
    """The types of the fields of a definition, by name; None for a field that it lacks."""

    def __init__(self, schemas: JsonObject, minor: int) -> None:
        super().__init__()
        self.schemas, self.minor = schemas, minor

    def __missing__(self, field: str) -> FieldType | None:
        if field not in self.schemas:
            return None  # there may be any number of them
        self[field] = found = _parse_field_type(self.schemas[field], self.minor)
        return found


@cache
def field_types_of(name: str, minor: int) -> FieldTypes:
    """Return the types of the fields of a definition, of which objects have few."""
    schemas = {} if short_name(name) in ALONE else get_definition(name, minor).get("properties", {})
    return FieldTypes(schemas, minor)


def _parse_field_type(schema: JsonObject, minor: int) -> FieldType:
    many, inner = FieldShape.ONE, schema
    for each, keyword in ((FieldShape.LIST, "items"), (FieldShape.MAP, "additionalProperties")):
        if isinstance(schema.get(keyword), dict):
            many, inner = each, schema[keyword]
    name, kinds = _find_reference(inner), inner.get("type")
    kind = next((each for each in kinds if each != "null"), "") if isinstance(kinds, list) else kinds
    short = short_name(name) if name else ""
    return FieldType(
        many,
        name if name and "properties" in get_definition(name, minor) else "",
        READERS.get(short or str(inner.get("format", ""))),
        0 if short in AMOUNTS else None if name else ZEROS.get(str(kind)),
    )


def _find_reference(schema: JsonObject) -> str:
    """Return the definition that a schema refers to, perhaps beside null."""
    for each in (schema, *schema.get("oneOf", ()), *schema.get("anyOf", ()), *schema.get("allOf", ())):
        if isinstance(each, dict) and "$ref" in each:
            return str(each["$ref"]).rpartition("/")[2]
    return ""


# Nulls


def replace_nulls(body: JsonObject, name: str, minor: int) -> JsonObject:
    """Return what an API server reads of a value: zeros stand for nulls in its lists and maps."""
    known = field_types_of(name, minor)
    return {
        key: _replace_field_nulls(item, field, minor) if (field := known[key]) else item
        for key, item in body.items()
    }


def _replace_field_nulls(value: Json, field: FieldType, minor: int) -> Json:
    if isinstance(value, list):
        return [_replace_item_nulls(item, field, minor) for item in value]
    if field.many is not FieldShape.ONE and isinstance(value, dict):
        return {key: _replace_item_nulls(item, field, minor) for key, item in value.items()}
    return _replace_item_nulls(value, field, minor) if value is not None else None


def _replace_item_nulls(value: Json, field: FieldType, minor: int) -> Json:
    if value is None:
        return field.zero
    return replace_nulls(value, field.name, minor) if field.name and isinstance(value, dict) else value


# Rules


def check_object(
    body: JsonObject,
    name: str,
    minor: int,
    validators: Validators,
    heard: Callable[[Problem], Problem] = lambda problem: problem,
) -> Iterator[Problem]:
    """Yield what validators report of an object of that definition, and of all that is in it.

    None is applied to its status, which an API server drops once it is read. What cannot even be read
    stays as it is; all else is reported as `heard` has it.
    """
    yield from _check_missing_spec(body, name, minor, validators)
    todo: list[tuple[Path, Json, str]] = [((), body, name)]
    while todo:
        path, value, at = todo.pop()
        if not isinstance(value, dict):
            continue  # schemas report it
        is_kept = not path or path[0] != "status"
        if is_kept and (validator := validators.get(short_name(at))):
            for problem in validator(value):
                yield heard(problem.prefix_path(*path) if path else problem)
        inside: list[tuple[Path, Json, str]] = []
        known = field_types_of(at, minor)
        for key, inner in value.items():
            field = known[key]
            if field is None or not (field.reads or field.name):
                continue
            if inner is None and key not in _list_required(at, minor):
                continue
            for where, item in _list_values(inner, field.many):
                place = (*path, key, *where)
                if field.reads:
                    fits, expected = field.reads
                    if not fits(item):
                        yield SERVER_INVALID(f"found {describe_value(item)}, expected {expected}", place)
                elif item is not None:
                    inside.append((place, item, field.name))
                elif is_kept:
                    yield from map(heard, _check_null(field.name, minor, validators, place))
        todo += reversed(inside)


def _check_null(
    name: str, minor: int, validators: Validators, place: Path, found: str = "nothing"
) -> Iterator[Problem]:
    """Yield what a null lacks that a server takes for an empty value of a definition."""
    if fields := _list_required(name, minor):
        yield SERVER_REQUIRED(f"found {found}, expected {join_words(fields, last='and')}", place)
    elif validator := validators.get(short_name(name)):
        yield from (replace(problem, path=place) for problem in validator({}))


def _check_missing_spec(body: JsonObject, name: str, minor: int, validators: Validators) -> Iterator[Problem]:
    """Yield what an object without a spec lacks; a server takes that as an empty one."""
    spec = field_types_of(name, minor)["spec"]
    if spec and spec.name and body.get("spec") is None and "spec" not in _list_required(name, minor):
        place: Path = ("spec",) if "spec" in body else ()
        yield from _check_null(spec.name, minor, validators, place, "no spec")


def _list_required(name: str, minor: int) -> list[str]:
    required: list[str] = relax_definition(name, minor).get("required", [])
    return required


def _list_values(inner: Json, many: FieldShape) -> Iterable[tuple[Path, Json]]:
    if many is FieldShape.ONE:
        return (((), inner),)
    if many is FieldShape.LIST and isinstance(inner, list):
        return [((index,), item) for index, item in enumerate(inner)]
    if many is FieldShape.MAP and isinstance(inner, dict):
        return [((key,), item) for key, item in inner.items()]
    return ()
