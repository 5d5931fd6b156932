"""The values of CEL: the content of an object, read by its schema, and results of expressions.

Strings, numbers, lists and maps are those of Python. An object with declared fields is an `Object`, which
reads them on access; a list that its schema declares as a set or a map knows that.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias, TypeVar

from msgspec import Struct

from kitgen.text.yaml import Json, JsonObject

Value: TypeAlias = Json
Found = TypeVar("Found")
Take: TypeAlias = Callable[[int], None]
"""Counts steps, and raises an error where there are not so many left."""

TEXT = {"type": "string"}
GIVEN: JsonObject = {
    "apiVersion": TEXT,
    "kind": TEXT,
    "metadata": {"type": "object", "properties": {"name": TEXT, "generateName": TEXT}},
}
"""What rules see of every whole object, declared or not; of its metadata they see nothing else."""


HELD: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "number": (int, float),
    "integer": (int, float),
    "boolean": (bool,),
    "int-or-string": (str, int, float),
}
"""What values of each type are in Python."""
READ = 4
"""How many entries of a list or map are read in one step."""


class FaultError(Exception):
    """A rule comes to an error, which refuses the object."""


class UnknownError(Exception):
    """Raised when a rule needs what is not known here, so that its result is unknown."""


def require(found: Found | None, error: str) -> Found:
    """Return what was found; a FaultError if that is nothing."""
    if found is None:
        raise FaultError(error)
    return found


class Uint(int):
    """An integer without sign."""


class UnorderedList(list[Value]):
    """A list whose order does not count: a set, or a map by some keys of its items."""

    keys: tuple[str, ...] = ()


class OptionalValue(Struct, frozen=True):
    """A value, or none."""

    found: tuple[Value, ...] = ()


class Duration(Struct, frozen=True, order=True):
    """A span of time."""

    nanos: int


class Timestamp(Struct, frozen=True, order=True):
    """A point in time, from 1970 on."""

    nanos: int


class Type(Struct, frozen=True):
    """A type as a value."""

    name: str


class Object:
    """An object with named fields; a field that is null is as good as not there."""

    __slots__ = ("_read", "_take", "raw", "schemas")

    def __init__(self, raw: JsonObject, schemas: JsonObject, take: Take) -> None:
        """Take what it holds, the schema of each field, and what counts steps."""
        self.raw = raw
        self.schemas = schemas
        self._take = take
        self._read: dict[str, Value] = {}

    def has(self, name: str) -> bool:
        """Return whether a field is there."""
        return name in self.schemas and self.raw.get(name) is not None

    def get(self, name: str) -> Value:
        """Return a field; FaultError if it is not there."""
        if name not in self._read:
            if not self.has(name):
                raise FaultError(f"no such key: {name}")
            self._read[name] = read_value(self.raw[name], self.schemas[name], self._take)
        return self._read[name]


def read_value(value: Json, schema: JsonObject, take: Take, *, whole: bool = False) -> Value:
    """Return what a rule gets to see of a value; a whole object has an apiVersion, a kind and a name."""
    if value is None:
        if schema.get("nullable"):
            return None
        raise FaultError("invalid data, got null for schema with nullable=false")
    kind = schema.get("type")
    wanted = HELD.get("int-or-string" if schema.get("x-kubernetes-int-or-string") else str(kind))
    if wanted is None:
        raise UnknownError("a field without a type")
    if not _has_type(value, wanted):
        raise FaultError(f"invalid data, expected another value for schema with type={kind}")
    if wanted is HELD["int-or-string"]:
        return _read_integer(value) if isinstance(value, float) else value
    match kind:
        case "object":
            embedded = bool(schema.get("x-kubernetes-embedded-resource"))
            return _read_mapping(value, schema, take, whole=whole or embedded)
        case "array":
            return _read_list(value, schema, take)
        case "string":
            return _read_text(value, str(schema.get("format", "")))
        case "number":
            return _read_number(value)
        case "integer":
            return _read_integer(value)
    return value


def _has_type(value: Json, kinds: tuple[type, ...]) -> bool:
    return isinstance(value, kinds) and (bool in kinds or not isinstance(value, bool))


def _read_integer(value: float) -> int:
    if isinstance(value, float) and not math.isfinite(value):
        raise FaultError("invalid data, expected a whole number")
    return to_int64(int(value))


def _read_number(value: float) -> float:
    try:
        return float(value)
    except OverflowError as error:
        raise FaultError("invalid data, expected a number of 64 bits") from error


def _read_mapping(value: JsonObject, schema: JsonObject, take: Take, *, whole: bool) -> Value:
    properties, extra = schema.get("properties"), schema.get("additionalProperties")
    if whole:
        return Object(value, {**(properties or {}), **GIVEN}, take)
    if not properties and isinstance(extra, dict):
        take(len(value) // READ)
        return {key: read_value(item, extra, take) for key, item in value.items()}
    return Object(value, properties or {}, take)


def _read_list(value: list[Json], schema: JsonObject, take: Take) -> list[Value]:
    items = schema.get("items") or {}
    take(len(value) // READ)
    found = [read_value(item, items, take) for item in value]
    kind = schema.get("x-kubernetes-list-type")
    if kind not in ("set", "map"):
        return found
    made = UnorderedList(found)
    made.keys = tuple(map(str, schema.get("x-kubernetes-list-map-keys") or ())) if kind == "map" else ()
    return made


def _read_text(value: str, form: str) -> Value:
    if form not in ("duration", "date", "date-time", "byte"):
        return value
    from kitgen.cel.run import times

    readers: dict[str, Callable[[str], Value]] = {
        "duration": times.parse_duration,
        "date": lambda day: times.parse_timestamp(f"{day}T00:00:00Z"),
        "date-time": times.parse_timestamp,
        "byte": times.decode_base64,
    }
    return readers[form](value)


KINDS: dict[type, str] = {
    bool: "bool",
    int: "int",
    Uint: "uint",
    float: "double",
    str: "string",
    bytes: "bytes",
    type(None): "null",
    list: "list",
    UnorderedList: "list",
    dict: "map",
    Object: "object",
    OptionalValue: "optional",
    Duration: "duration",
    Timestamp: "timestamp",
    Type: "type",
}
"""The name of each type of Python in the tables of functions; functions add theirs."""


def kind_of(value: Value) -> str:
    """Return the type of a value."""
    return KINDS.get(type(value)) or next(
        (name for kind, name in reversed([*KINDS.items()]) if isinstance(value, kind)), "unknown"
    )


NUMBERS = frozenset({"int", "uint", "double"})
MOST, LEAST, MOST_UINT = 2**63 - 1, -(2**63), 2**64 - 1


def to_int64(value: int) -> int:
    """Return an integer that fits 64 bits."""
    if not LEAST <= value <= MOST:
        raise FaultError("integer overflow")
    return value


def to_uint64(value: int) -> Uint:
    """Return an integer without sign that fits 64 bits."""
    if not 0 <= value <= MOST_UINT:
        raise FaultError("unsigned integer overflow")
    return Uint(value)
