"""Functions of the language itself (size, type, conversions) and those of admission policies.

What only a server can answer, such as an authorization check, is unknown here.
"""

from __future__ import annotations

import math
import re

from kitgen.cel.run.functions import register_function, register_functions
from kitgen.cel.run.times import format_duration, format_timestamp
from kitgen.cel.run.values import (
    Duration,
    FaultError,
    OptionalValue,
    Timestamp,
    Type,
    Uint,
    UnknownError,
    Value,
    kind_of,
    require,
    to_int64,
    to_uint64,
)
from kitgen.text.patterns import compile_late

UNSIGNED, WHOLE = compile_late(r"[0-9]{1,30}"), compile_late(r"[+-]?[0-9]{1,30}")
NUMBER = compile_late(r"[+-]?(?:[0-9]+\.?[0-9]*(?:[eE][+-]?[0-9]+)?|\.[0-9]+(?:[eE][+-]?[0-9]+)?|Inf|NaN)")
BOOLS = {
    **dict.fromkeys(("1", "t", "true", "TRUE", "True"), True),
    **dict.fromkeys(("0", "f", "false", "FALSE", "False"), False),
}
SIZES = ("size", ".size")
NAMES = {
    "null": "null_type",
    "duration": "google.protobuf.Duration",
    "timestamp": "google.protobuf.Timestamp",
    "optional": "optional_type",
    "object": "object",
    "quantity": "kubernetes.Quantity",
    "url": "kubernetes.URL",
    "ip": "net.IP",
    "cidr": "net.CIDR",
    "semver": "kubernetes.Semver",
    "format": "kubernetes.NamedFormat",
}
"""What some types are called as values."""


@register_function("int int -> int", "int uint -> int", "int double -> int")
def _to_int(value: float) -> int:
    if isinstance(value, float) and not math.isfinite(value):
        raise FaultError("integer overflow")
    return to_int64(int(value))


@register_function("uint int -> uint", "uint uint -> uint", "uint double -> uint")
def _to_uint(value: float) -> Uint:
    if isinstance(value, float) and not math.isfinite(value):
        raise FaultError("unsigned integer overflow")
    return to_uint64(int(value))


def _parse_digits(form: re.Pattern[str], text: str, kind: str) -> int:
    return int(require(form.fullmatch(text), f"type conversion error from 'string' to '{kind}'")[0])


@register_function("double string -> double")
def _parse_double(text: str) -> float:
    if len(text) > 400 or not NUMBER.fullmatch(text):
        raise FaultError("type conversion error from 'string' to 'double'")
    return float(text)


@register_function(
    "string string -> string", "string int -> string", "string uint -> string", "string bool -> string",
    "string double -> string", "string bytes -> string", "string timestamp -> string",
    "string duration -> string",
)  # fmt: skip
def to_string(value: Value) -> str:
    """Write a value as text."""
    match value:
        case bool():
            return "true" if value else "false"
        case float():
            return _format_number(value)
        case bytes():
            try:
                return value.decode()
            except UnicodeDecodeError as error:
                raise FaultError("invalid UTF-8 in bytes, cannot convert to string") from error
        case Timestamp():
            return format_timestamp(value)
        case Duration():
            return format_duration(value)
    return str(value)


def _format_number(value: float) -> str:
    """Write a number as Go's %g does."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "+Inf" if value > 0 else "-Inf"
    if value == int(value) and abs(value) < 1e21:
        return str(int(value))
    return re.sub(r"e([+-])(\d)$", r"e\g<1>0\2", repr(value))


@register_function("optional.ofNonZeroValue any -> optional")
def _optional_of_non_zero(value: Value) -> OptionalValue:
    empty = value is None or (
        kind_of(value) in ("string", "bytes", "list", "map", "bool", "int", "uint", "double") and not value
    )
    return OptionalValue(() if empty else (value,))


@register_function(".value optional -> dyn")
def _unwrap_optional(value: OptionalValue) -> Value:
    if not value.found:
        raise FaultError("optional.none() dereference")
    return value.found[0]


@register_function("optional.unwrap list -> list", ".unwrapOpt list -> list")
def _unwrap_list(values: list[Value]) -> list[Value]:
    if not all(isinstance(value, OptionalValue) for value in values):
        raise FaultError("no such overload: unwrap")
    return [value.found[0] for value in values if value.found]


@register_function(
    ".path authorizer string -> path-check",
    ".group authorizer string -> group-check",
    ".serviceAccount authorizer string string -> authorizer",
    ".resource group-check string -> resource-check",
    ".subresource resource-check string -> resource-check",
    ".namespace resource-check string -> resource-check",
    ".name resource-check string -> resource-check",
    ".fieldSelector resource-check string -> resource-check",
    ".labelSelector resource-check string -> resource-check",
    ".check path-check string -> decision",
    ".check resource-check string -> decision",
    ".allowed decision -> bool",
    ".reason decision -> string",
    ".errored decision -> bool",
    ".error decision -> string",
)
def _raise_unknown(*_: Value) -> Value:
    raise UnknownError("what an authorizer says")


register_functions(
    {
        **{f"{name} {kind} -> int": len for name in SIZES for kind in ("string", "bytes", "list", "map")},
        **{f"double {kind} -> double": float for kind in ("double", "int", "uint")},
        "dyn any -> dyn": lambda value: value,
        "type any -> type": lambda value: Type(NAMES.get(kind_of(value), kind_of(value))),
        "bool bool -> bool": lambda value: value,
        "bool string -> bool": lambda text: require(
            BOOLS.get(text), "type conversion error from 'string' to 'bool'"
        ),
        "bytes bytes -> bytes": lambda value: value,
        "bytes string -> bytes": lambda text: text.encode(errors="replace"),
        "int string -> int": lambda text: to_int64(_parse_digits(WHOLE, text, "int")),
        "uint string -> uint": lambda text: to_uint64(_parse_digits(UNSIGNED, text, "uint")),
        "int timestamp -> int": lambda value: value.nanos // 10**9,
        "int duration -> int": lambda value: value.nanos,
        "optional.of any -> optional": lambda value: OptionalValue((value,)),
        "optional.none -> optional": OptionalValue,
        ".hasValue optional -> bool": lambda value: bool(value.found),
        "jsonpatch.escapeKey string -> string": lambda text: text.replace("~", "~0").replace("/", "~1"),
    }
)
