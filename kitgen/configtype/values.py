"""Hold values against the type of a field."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from operator import ge, gt, le

from kitgen.configtype.durations import DURATION, nanoseconds
from kitgen.findings import MAX_ERRORS, Chapter, Path, Problem, Rule, near_or_known
from kitgen.objects import wrong_image
from kitgen.schema.patterns import matcher
from kitgen.schema.secrets import hides
from kitgen.schema.wording import shown
from kitgen.yamlio import Json, JsonObject

CONFIG_NAME = Rule(
    id="config-name",
    chapter=Chapter.CONFIG,
    checks="Every name is one that config.yaml declares.",
    fix="Take the name that the hint offers.",
)

CONFIG_MISSING = Rule(
    id="config-missing",
    chapter=Chapter.CONFIG,
    checks="A mapping has every value that config.yaml requires.",
    fix="Add it.",
)

CONFIG_TYPE = Rule(
    id="config-type",
    chapter=Chapter.CONFIG,
    checks="Every value has the type that config.yaml declares. A duration has a unit, even 0.",
    fix="Write what the message expects.",
)

CONFIG_VALUE = Rule(
    id="config-value",
    chapter=Chapter.CONFIG,
    checks="Every value is within the bounds, the form and the choices that config.yaml declares.",
    fix="Write what the message expects.",
)

LIMITS = {"int32": 2**31}
MANY, LONGEST = 30, 200
"""So many choices are named, and so much of each."""
BOUNDS: dict[str, tuple[str, Callable[[float, float], bool]]] = {
    "above": ("more than", gt),
    "minimum": ("at least", ge),
    "maximum": ("at most", le),
}
TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "duration": (str,),
    "nanoseconds": (str,),
}
DURATIONS = ("duration", "nanoseconds")


def wrong_values(
    field: JsonObject, value: Json, path: Path = (), *, reveal: bool = True
) -> Iterator[Problem]:
    """Yield what is wrong with a value and with what is inside it; secrets are not shown.

    Of very many problems only the first are told: each of many items may lack many fields.
    """
    return islice(_wrong(field, value, path, reveal=reveal), MAX_ERRORS + 1)


def _wrong(field: JsonObject, value: Json, path: Path, *, reveal: bool) -> Iterator[Problem]:
    wanted = field["type"]
    found = shown(value, reveal=reveal)
    if wanted in DURATIONS and isinstance(value, int | float) and not isinstance(value, bool):
        # The unit would be anyone's guess; a bare number of Go's is one of nanoseconds.
        message = f"found {found} without a unit, expected a duration such as 1m30s"
        yield CONFIG_TYPE(message, path, _with_unit(value) if reveal else "")
        return
    if not isinstance(value, TYPES[wanted]) or (isinstance(value, bool) and wanted != "boolean"):
        yield CONFIG_TYPE(f"found {_kind(value)}, expected {wanted}", path)
        return
    if wanted in DURATIONS and not DURATION.fullmatch(str(value)):
        message = f"found {found}, expected a duration such as 1m30s"
        yield CONFIG_VALUE(message, path, _with_unit(value) if reveal and str(value).isdecimal() else "")
        return
    yield from (CONFIG_VALUE(f"found {found}, expected {words}", path) for words in _bounds(field, value))
    image = value if field.get("format") == "image" else None
    if isinstance(image, str) and (problem := wrong_image(image, CONFIG_VALUE)):
        yield problem.below(*path)
    if isinstance(value, list) and "items" in field:
        for index, item in enumerate(value):
            yield from _wrong(field["items"], item, (*path, index), reveal=reveal)
    if isinstance(value, dict) and not field.get("free"):
        yield from _fields(field, value, path, reveal=reveal)


def _with_unit(value: Json) -> str:
    return "write 0s" if str(value) == "0" else f"write {value}s, or {value}ns if that is meant"


def _bounds(field: JsonObject, value: Json) -> list[str]:
    """Return what a value of the right type should have been, and is not."""
    expected = []
    if "enum" in field and value not in field["enum"]:
        expected.append(f"one of {_words(field['enum'])}")
    if "pattern" in field and isinstance(value, str) and not _matches(field["pattern"], value):
        expected.append(f"text that matches {field['pattern']}")
    number: Json = nanoseconds(value) if field["type"] in DURATIONS else value
    if isinstance(number, int | float):
        expected += [
            f"{words} {field[key]}"
            for key, (words, holds) in BOUNDS.items()
            if key in field and not holds(number, field[key])
        ]
    limit = LIMITS.get(field.get("format", ""), 2**63) if isinstance(number, int) else 0
    if limit and not -limit <= number < limit:
        expected.append(f"a whole number of {limit.bit_length()} bits")
    return expected


def _words(options: list[Json]) -> str:
    more = f" and {len(options) - MANY} more" if len(options) > MANY else ""
    return ", ".join(str(each)[:LONGEST] for each in options[:MANY]) + more


def _matches(pattern: str, value: str) -> bool:
    test = matcher(pattern)
    return test is None or test(value)  # the declaration has the problem then


def _fields(field: JsonObject, value: JsonObject, path: Path, *, reveal: bool) -> Iterator[Problem]:
    known = field.get("properties", {})
    for key, item in value.items():
        declared = known.get(key, field.get("additionalProperties"))
        if declared is not None:
            yield from _wrong(declared, item, (*path, key), reveal=reveal and not hides(value, key))
        else:
            below = next((name for name, each in known.items() if key in each.get("properties", {})), None)
            hint = f"it stands below {below!r}" if below else near_or_known(key, list(known), none="")
            yield CONFIG_NAME(f"found the unknown name {key!r}", (*path, key), hint)
    for key in field.get("required", ()):
        if key not in value:
            yield CONFIG_MISSING(f"found no {key[:LONGEST]!r}, which is required", path)


def _kind(value: Json) -> str:
    names = {dict: "an object", list: "a list", str: "a string", bool: "a boolean", int: "an integer"}
    return names.get(type(value), "a number" if isinstance(value, float) else "nothing")
