"""Check a single value against the keywords of its schema, as the API server does."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import isfinite
from typing import NamedTuple

from kitgen.crds.outline_fields import compact
from kitgen.crds.validate_formats import fits_format
from kitgen.crds.validate_patterns import matcher
from kitgen.findings import near
from kitgen.wording import TYPES, choice, cut, shown
from kitgen.yamlio import Json, JsonObject

KINDS: tuple[tuple[type, str], ...] = (
    (bool, "boolean"),
    (int, "integer"),
    (float, "number"),
    (str, "string"),
    (list, "array"),
    (dict, "object"),
)
LEFT_OUT = "leave it out or set it"


class Fault(NamedTuple):
    """What is wrong with a value; where it is, the caller knows."""

    rule: str
    message: str
    hint: str = ""
    warning: bool = False


def kind_of(value: Json) -> str:
    """Return the JSON type of a value."""
    return next((name for kind, name in KINDS if isinstance(value, kind)), "null")


def unknown(key: str, known: list[str]) -> Fault:
    """Return the fault of a field that is not among those that are known."""
    hint = near(key, known) or f"known here: {choice(known, last='and')}"
    if not known:
        hint = "the schema declares no fields here"
    return Fault("field-unknown", f"found the unknown field {cut(key)}", hint)


def missing(key: str) -> Fault:
    """Return the fault of a mapping that lacks a field."""
    return Fault("field-missing", f"found no field {cut(key)}, which is required")


def type_fault(schema: JsonObject, value: Json, *, reveal: bool = True) -> Fault | None:
    """Return what is wrong with the type of a value, or nothing; null is of no type but its own."""
    found = kind_of(value)
    if schema.get("x-kubernetes-int-or-string"):
        if found in ("integer", "string"):
            return None
        said = f"found {shown(value, reveal=reveal)}, expected a string or a whole number"
        return Fault("field-type", said, LEFT_OUT if found == "null" else _quote(found))
    wanted = schema.get("type")
    whole = found == "number" and wanted == "integer" and float(value).is_integer()
    if wanted is None or found == wanted or whole or (found == "integer" and wanted == "number"):
        return None
    hint = _quote(found) if wanted == "string" else ""
    if found == "null":
        hint = LEFT_OUT
    elif wanted == "array" and found in ("object", "string"):
        hint = "write a list, each item after a dash"
    elif found == "string" and wanted in ("integer", "number", "boolean"):
        hint = "remove the quotes" if _would_be(value, wanted) else ""
    said = f"found {shown(value, reveal=reveal)}, expected {TYPES.get(wanted, wanted)}"
    return Fault("field-type", said, hint)


def _quote(found: str) -> str:
    return "quote it" if found in ("boolean", "integer", "number") else ""


def _would_be(text: str, wanted: str) -> bool:
    if wanted == "boolean":
        return text in ("true", "false")
    try:
        float(text)
    except ValueError:
        return False
    return True


def value_faults(schema: JsonObject, value: Json, *, reveal: bool) -> Iterator[Fault]:
    """Yield every keyword of the schema itself that a value of the right type breaks.

    The value is shown only if it may be revealed.
    """
    enum = schema.get("enum")
    if isinstance(enum, list) and not any(_same(value, item) for item in enum):
        words = [item for item in enum if isinstance(item, str)]
        hint = near(value, words) if isinstance(value, str) and reveal else ""
        expected = choice([shown(item) for item in enum])
        said = f"found {shown(value, reveal=reveal)}, expected one of {expected}"
        yield Fault("field-value", said, hint)
    if (name := schema.get("format")) and not fits_format(str(name), value):
        yield Fault("field-value", f"found {shown(value, reveal=reveal)}, expected the format {name}")
    if isinstance(value, str):
        yield from _count(schema, len(value), "minLength", "maxLength", "characters")
        yield from _pattern(schema, value, reveal)
    elif isinstance(value, list):
        yield from _count(schema, len(value), "minItems", "maxItems", "items")
        if schema.get("uniqueItems") and len({compact(item) for item in value}) < len(value):
            yield Fault("field-value", "found equal items, expected each only once")
    elif isinstance(value, dict):
        yield from _count(schema, len(value), "minProperties", "maxProperties", "fields")
    elif isinstance(value, int | float) and not isinstance(value, bool):
        for expected in _range(schema, value):
            yield Fault("field-value", f"found {shown(value, reveal=reveal)}, expected {expected}")


def _same(value: Json, item: Json) -> bool:
    return value == item and isinstance(value, bool) == isinstance(item, bool)


def _count(schema: JsonObject, size: int, low: str, high: str, what: str) -> Iterator[Fault]:
    least, most = schema.get(low), schema.get(high)
    if least is not None and size < least:
        yield Fault("field-value", f"found {size} {what}, expected at least {least}")
    if most is not None and size > most:
        yield Fault("field-value", f"found {size} {what}, expected at most {most}")


def _range(schema: JsonObject, value: float) -> Iterator[str]:
    """Yield what is expected of a number that is out of bounds."""
    low, high, step = (schema.get(key) for key in ("minimum", "maximum", "multipleOf"))
    if low is not None and (value < low or (value == low and schema.get("exclusiveMinimum"))):
        word = "more than" if schema.get("exclusiveMinimum") else "at least"
        yield f"{word} {low}"
    if high is not None and (value > high or (value == high and schema.get("exclusiveMaximum"))):
        word = "less than" if schema.get("exclusiveMaximum") else "at most"
        yield f"{word} {high}"
    if step and isfinite(value) and Fraction(str(value)) % Fraction(str(step)):
        yield f"a multiple of {step}"


def _pattern(schema: JsonObject, value: str, reveal: bool) -> Iterator[Fault]:
    pattern = schema.get("pattern")
    if not pattern:
        return
    test = matcher(str(pattern))
    if test is None:
        yield Fault("pattern-unchecked", f"the pattern {shown(pattern)} cannot be checked here", warning=True)
    elif not test(value):
        message = f"found {shown(value, reveal=reveal)}, expected text that matches {pattern}"
        yield Fault("field-value", message)
