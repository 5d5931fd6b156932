"""Check a single value against the keywords of its schema, as the API server does."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from kitgen.crds.outline_fields import compact
from kitgen.crds.validate_formats import fits_format
from kitgen.crds.validate_patterns import matcher
from kitgen.findings import near
from kitgen.wording import TYPES, choice, shown
from kitgen.yamlio import Json, JsonObject

KINDS: tuple[tuple[type, str], ...] = (
    (bool, "boolean"),
    (int, "integer"),
    (float, "number"),
    (str, "string"),
    (list, "array"),
    (dict, "object"),
)


class Fault(NamedTuple):
    """What is wrong with a value; where it is, the caller knows."""

    rule: str
    message: str
    hint: str = ""
    warning: bool = False


def kind_of(value: Json) -> str:
    """Return the JSON type of a value."""
    return next((name for kind, name in KINDS if isinstance(value, kind)), "null")


def type_fault(schema: JsonObject, value: Json) -> Fault | None:
    """Return what is wrong with the type of a value, or nothing."""
    found = kind_of(value)
    if schema.get("x-kubernetes-int-or-string"):
        if found in ("integer", "string"):
            return None
        return Fault(
            "field-type", f"found {TYPES[found]}, expected a whole number or a string", _quote(found)
        )
    wanted = schema.get("type")
    whole = found == "number" and wanted == "integer" and float(value).is_integer()
    if wanted is None or found == wanted or whole or (found == "integer" and wanted == "number"):
        return None
    hint = _quote(found) if wanted == "string" else ""
    if wanted == "array" and found in ("object", "string"):
        hint = "write a list, each item after a dash"
    elif found == "string" and wanted in ("integer", "number", "boolean"):
        hint = "remove the quotes" if _would_be(value, wanted) else ""
    return Fault("field-type", f"found {TYPES[found]}, expected {TYPES.get(wanted, wanted)}", hint)


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
        expected = choice([compact(item) for item in enum])
        yield Fault("field-enum", f"found {shown(value, reveal=reveal)}, expected {expected}", hint)
    if (name := schema.get("format")) and not fits_format(str(name), value):
        yield Fault("field-format", f"found {shown(value, reveal=reveal)}, expected the format {name}")
    if isinstance(value, str):
        yield from _count(schema, len(value), "minLength", "maxLength", "characters")
        yield from _pattern(schema, value, reveal)
    elif isinstance(value, list):
        yield from _count(schema, len(value), "minItems", "maxItems", "items")
        if schema.get("uniqueItems") and len({compact(item) for item in value}) < len(value):
            yield Fault("list-duplicate", "found equal items, expected each only once")
    elif isinstance(value, dict):
        yield from _count(schema, len(value), "minProperties", "maxProperties", "fields")
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield from _range(schema, value)


def _same(value: Json, item: Json) -> bool:
    return value == item and isinstance(value, bool) == isinstance(item, bool)


def _count(schema: JsonObject, size: int, low: str, high: str, what: str) -> Iterator[Fault]:
    least, most = schema.get(low), schema.get(high)
    if least is not None and size < least:
        yield Fault("field-bound", f"found {size} {what}, expected at least {least}")
    if most is not None and size > most:
        yield Fault("field-bound", f"found {size} {what}, expected at most {most}")


def _range(schema: JsonObject, value: float) -> Iterator[Fault]:
    low, high, step = (schema.get(key) for key in ("minimum", "maximum", "multipleOf"))
    if low is not None and (value < low or (value == low and schema.get("exclusiveMinimum"))):
        word = "more than" if schema.get("exclusiveMinimum") else "at least"
        yield Fault("field-bound", f"found {value}, expected {word} {low}")
    if high is not None and (value > high or (value == high and schema.get("exclusiveMaximum"))):
        word = "less than" if schema.get("exclusiveMaximum") else "at most"
        yield Fault("field-bound", f"found {value}, expected {word} {high}")
    if step and Fraction(str(value)) % Fraction(str(step)):
        yield Fault("field-bound", f"found {value}, expected a multiple of {step}")


def _pattern(schema: JsonObject, value: str, reveal: bool) -> Iterator[Fault]:
    pattern = schema.get("pattern")
    if not pattern:
        return
    test = matcher(str(pattern))
    if test is None:
        yield Fault("pattern-unchecked", f"the pattern {shown(pattern)} cannot be checked here", warning=True)
    elif not test(value):
        yield Fault("field-pattern", f"found {shown(value, reveal=reveal)}, expected a match of {pattern}")
