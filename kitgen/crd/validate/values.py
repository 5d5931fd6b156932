"""Validate a single value against the keywords of its schema, as the API server does."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator

from kitgen.crd.outline_fields import to_compact_json
from kitgen.crd.validate.rules import FIELD_MISSING, FIELD_TYPE, FIELD_UNKNOWN, FIELD_VALUE, Effort
from kitgen.findings import Problem, get_rule, suggest_word
from kitgen.text.formats import is_enforced_format, matches_format
from kitgen.text.patterns import compile_late
from kitgen.text.regex_match import compile_pattern, count_compiled, estimate_compile_steps
from kitgen.text.wording import TYPES, describe_value, join_words, quote_text
from kitgen.text.yaml import Json, JsonObject

PATTERN_UNCHECKED = get_rule("pattern-unchecked")
NUMBER_OVERFLOW = get_rule("number-overflow")


KINDS: dict[type, str] = {
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "string",
    list: "array",
    dict: "object",
}
LONG = 2**63
"""What the API server reads as an integer lies below this, and not below its negative."""
EXACT = 2**53 - 1
"""What it reads as a number with a fraction is whole only up to this."""
BOOLEAN = compile_late(r"true|false")
NUMBER = compile_late(r"\s*[-+]?(\d[\d_]*\.?\d*|\.\d+)([eE][-+]?\d+)?\s*", re.ASCII)
NEARLY = 1e-9
NO_FIELDS = "the schema declares no fields here"
ONLY_FIELDS = "remove it or set it: the API server drops a null of a field, not of a list"
OVERFLOWS = "the API server takes it, but the operator's {} overflows"
NOT_READ = "the API server takes a list for a string with a format, but no program that reads a string does"

BOUNDS = frozenset({"minimum", "maximum", "multipleOf"})
FEW = 50
_CHOICES: dict[int, tuple[list[Json], frozenset[Hashable]]] = {}
"""What is in long lists of choices, which many values may be held to."""


def kind_of(value: Json) -> str:
    """Return the JSON type of a value."""
    exact = KINDS.get(type(value))
    return exact or next((name for kind, name in KINDS.items() if isinstance(value, kind)), "null")


def is_integer(value: float) -> bool:
    """Return whether the API server reads a number as an integer: 64 bits, or a negligible fraction."""
    if isinstance(value, int):
        return -LONG <= value < LONG
    if not -EXACT <= value <= EXACT:
        return False
    rest = abs(value - int(value))
    return rest == 0 or (int(value) != 0 and rest / (abs(value) + abs(int(value))) < NEARLY)


def report_unknown_field(key: str, known: list[str]) -> Problem:
    """Return the fault of a field that is not among those that are known."""
    hint = suggest_word(key, known) or f"known here: {join_words(known, last='and')}" if known else NO_FIELDS
    return FIELD_UNKNOWN(f"found the unknown field {quote_text(key)}", hint=hint)


def report_missing_field(key: str) -> Problem:
    """Return the fault of a mapping that lacks a field."""
    return FIELD_MISSING(f"found no field {quote_text(key)}, which is required")


def report_null_field(key: str) -> Problem:
    """Return the fault of a field that must be there and is null, which is as good as not there."""
    return FIELD_MISSING(
        f"found nothing in the field {quote_text(key)}, which is required",
        hint="the API server drops null before it looks for the field",
    )


def check_type(schema: JsonObject, value: Json, *, reveal: bool = True) -> Problem | None:
    """Return what is wrong with the type of a value, or nothing; null is of no type but its own."""
    wanted = schema.get("type")
    found = KINDS.get(type(value)) or kind_of(value)
    if schema.get("x-kubernetes-int-or-string"):
        if found == "string" or (found in ("integer", "number") and is_integer(value)):
            return None
        return FIELD_TYPE(
            f"found {describe_value(value, reveal=reveal)}, expected a string or a whole number",
            hint=ONLY_FIELDS if found == "null" else _suggest_quotes(found),
        )
    if wanted is None or (found == wanted and found != "integer"):
        return None
    if found in ("integer", "number") and (wanted == "number" or (wanted == "integer" and is_integer(value))):
        return None
    expected = TYPES.get(wanted, wanted)
    if found == wanted:
        expected = f"{expected} of 64 bits"
    return FIELD_TYPE(
        f"found {describe_value(value, reveal=reveal)}, expected {expected}",
        hint=_suggest_fix(schema, value, found),
    )


def _suggest_fix(schema: JsonObject, value: Json, found: str) -> str:
    """Return the hint of a value that is not of the type that its schema wants."""
    wanted = schema["type"]
    if found == "null":
        return ONLY_FIELDS
    if wanted == "string":
        return (
            NOT_READ
            if found == "array" and is_enforced_format(str(schema.get("format")))
            else _suggest_quotes(found)
        )
    if wanted == "array" and found in ("object", "string"):
        return "write a list, each item after a dash"
    form = NUMBER if wanted in ("integer", "number") else BOOLEAN
    if found == "string" and wanted in ("integer", "number", "boolean") and form.fullmatch(value):
        return "remove the quotes"
    return ""


def _suggest_quotes(found: str) -> str:
    return "quote it" if found in ("boolean", "integer", "number") else ""


def check_keywords(schema: JsonObject, value: Json, *, reveal: bool, effort: Effort) -> Iterator[Problem]:
    """Yield every keyword of the schema itself that a value of the right type breaks.

    The value is shown only if it may be revealed.
    """
    if (enum := schema.get("enum")) and not _is_in_enum(enum, value):
        yield _report_enum_mismatch(enum, value, reveal)
    if (name := schema.get("format")) and not _matches_format(schema, str(name), value):
        said = f"found {describe_value(value, reveal=reveal)}, expected the format {name}"
        is_text = isinstance(value, str)
        yield FIELD_VALUE(said) if is_text else NUMBER_OVERFLOW(said, hint=OVERFLOWS.format(name))
    if isinstance(value, str):
        yield from _check_size(schema, len(value), "minLength", "maxLength", "characters")
        yield from _check_pattern(schema, value, reveal, effort)
    elif isinstance(value, list):
        yield from _check_size(schema, len(value), "minItems", "maxItems", "items")
        if schema.get("uniqueItems") and len({to_compact_json(item) for item in value}) < len(value):
            yield FIELD_VALUE("found equal items, expected each only once")
    elif isinstance(value, dict):
        yield from _check_size(schema, len(value), "minProperties", "maxProperties", "fields")
    elif not BOUNDS.isdisjoint(schema) and isinstance(value, int | float) and not isinstance(value, bool):
        for expected in _check_range(schema, value):
            yield FIELD_VALUE(f"found {describe_value(value, reveal=reveal)}, expected {expected}")


def check_null(schema: JsonObject) -> Iterator[Problem]:
    """Yield what is wrong with a null that is left: the API server looks at its type and the choices."""
    if not schema.get("nullable") and (fault := check_type(schema, None)):
        yield fault
    if enum := schema.get("enum"):
        yield _report_enum_mismatch(enum, None, True)


def _report_enum_mismatch(enum: list[Json], value: Json, reveal: bool) -> Problem:
    hint = "leave it out: the API server takes null for none of the choices" if value is None else ""
    if isinstance(value, str) and reveal:
        hint = suggest_word(value, [each for each in enum if isinstance(each, str)])
    expected = f"one of {join_words([item for item in enum if item is not None], say=describe_value)}"
    return FIELD_VALUE(f"found {describe_value(value, reveal=reveal)}, expected {expected}", hint=hint)


def _matches_format(schema: JsonObject, name: str, value: Json) -> bool:
    """Return whether a value fits a format; one counts only for the type that it belongs to."""
    kinds = (None, "string") if isinstance(value, str) else ("integer",)
    return schema.get("type") not in kinds or matches_format(name, value)


def _is_in_enum(enum: list[Json], value: Json) -> bool:
    if len(enum) <= FEW:
        return any(value == item and isinstance(value, bool) == isinstance(item, bool) for item in enum)
    if id(enum) not in _CHOICES:
        # The list is kept beside so that its identity is not given to another one.
        _CHOICES[id(enum)] = (enum, frozenset(map(_to_hashable, enum)))
    return _to_hashable(value) in _CHOICES[id(enum)][1]


def _to_hashable(value: Json) -> Hashable:
    """Return what is equal for values that are the same; true and false are no numbers."""
    if isinstance(value, dict):
        return frozenset((key, _to_hashable(item)) for key, item in value.items())
    if isinstance(value, list):
        return tuple(map(_to_hashable, value))
    return (isinstance(value, bool), value)


def _check_size(schema: JsonObject, size: int, low: str, high: str, what: str) -> Iterator[Problem]:
    least, most = schema.get(low), schema.get(high)
    if least is not None and size < least:
        yield FIELD_VALUE(f"found {size} {what}, expected at least {least}")
    if most is not None and size > most:
        yield FIELD_VALUE(f"found {size} {what}, expected at most {most}")


def _check_range(schema: JsonObject, value: float) -> Iterator[str]:
    """Yield what is expected of a number that is out of bounds."""
    low, high, step = (schema.get(key) for key in ("minimum", "maximum", "multipleOf"))
    if isinstance(value, int) and is_integer(value):  # the API server compares integers alone
        low, high = (None if bound is None else int(bound) for bound in (low, high))
    more, less = schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum")
    if low is not None and (value < low or (value == low and more)):
        yield f"{'more than' if more else 'at least'} {low}"
    if high is not None and (value > high or (value == high and less)):
        yield f"{'less than' if less else 'at most'} {high}"
    if step and not _is_multiple(value, step):
        yield f"a multiple of {step}"


def _is_multiple(value: float, step: float) -> bool:
    """Return whether a value is a multiple of a step, as the API server does: exactly for integers."""
    if isinstance(value, int) and (step == int(step) or not is_integer(value)):
        return is_integer(value) and value % int(step) == 0
    return is_integer(float(1 / step * value if step < 1 else value / step))


def _check_pattern(schema: JsonObject, value: str, reveal: bool, effort: Effort) -> Iterator[Problem]:
    if not (pattern := schema.get("pattern")):
        return
    known = count_compiled()
    test = compile_pattern(str(pattern))
    effort.take(len(value) + (estimate_compile_steps(str(pattern)) if count_compiled() > known else 0))
    if test is None:
        yield PATTERN_UNCHECKED(f"the pattern {describe_value(pattern)} cannot be checked here")
    elif not test(value):
        yield FIELD_VALUE(
            f"found {describe_value(value, reveal=reveal)}, expected text that matches {pattern}"
        )
