"""Validate values against the fields that a config.yaml declares, and the declaration itself.

Every attribute, default and rule of a field must have an effect. Durations are written as in Go, in whole
nanoseconds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from operator import ge, gt, le

from msgspec.structs import replace

from kitgen.findings import MAX_ERRORS, Path, Problem, get_rule, make_problem, suggest_or_list, suggest_word
from kitgen.kube.image_reference import check_image
from kitgen.text.patterns import compile_late
from kitgen.text.regex_match import compile_pattern
from kitgen.text.schema_errors import REFERENCE_MISSING
from kitgen.text.secrets import is_secret_path, is_secret_step
from kitgen.text.wording import describe_value
from kitgen.text.yaml import Json, JsonObject

# No longer numbers than 64 bits hold: what is longer is wrong, whatever it means.
PIECE = compile_late(r"([0-9]{1,19})(?:\.([0-9]{1,19}))?(ns|us|\u00b5s|\u03bcs|ms|s|m|h)")
DURATION = compile_late(rf"0|({PIECE.pattern})+")
UNITS = {"ns": 1, "us": 10**3, "\u00b5s": 10**3, "\u03bcs": 10**3, "ms": 10**6, "s": 10**9}
UNITS |= {"m": 60 * 10**9, "h": 3600 * 10**9}


def parse_duration(text: str | int) -> int:
    """Read a Go duration such as 1m30s; what is none is a ValueError."""
    if isinstance(text, int):
        return text
    if not DURATION.fullmatch(text):
        raise ValueError("no duration")
    return sum(
        int(whole) * UNITS[unit] + int(part or 0) * UNITS[unit] // 10 ** len(part)
        for whole, part, unit in PIECE.findall(text)
    )


CONFIG_VALUE = get_rule("config-value")

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


def check_config_value(
    field: JsonObject, value: Json, path: Path = (), *, reveal: bool = True
) -> Iterator[Problem]:
    """Yield what is wrong with a value and with what is inside it; secrets are not shown.

    Of very many problems only the first are told: each of many items may lack many fields.
    """
    return islice(_check_value(field, value, path, reveal=reveal), MAX_ERRORS + 1)


def _check_value(field: JsonObject, value: Json, path: Path, *, reveal: bool) -> Iterator[Problem]:
    wanted = field["type"]
    if wanted in DURATIONS and isinstance(value, int | float) and not isinstance(value, bool):
        # The unit would be anyone's guess; a bare number of Go's is one of nanoseconds.
        yield make_problem(
            "config-type",
            f"found {describe_value(value, reveal=reveal)} without a unit, expected a duration such as 1m30s",
            path,
            _format_unit_hint(value) if reveal else "",
        )
        return
    if not isinstance(value, TYPES[wanted]) or (isinstance(value, bool) and wanted != "boolean"):
        yield make_problem("config-type", f"found {_describe_type(value)}, expected {wanted}", path)
        return
    if wanted in DURATIONS and not DURATION.fullmatch(str(value)):
        yield CONFIG_VALUE(
            f"found {describe_value(value, reveal=reveal)}, expected a duration such as 1m30s",
            path,
            _format_unit_hint(value) if reveal and str(value).isdecimal() else "",
        )
        return
    yield from (
        CONFIG_VALUE(f"found {describe_value(value, reveal=reveal)}, expected {words}", path)
        for words in _list_unmet_constraints(field, value)
    )
    image = value if field.get("format") == "image" else None
    if isinstance(image, str) and (wrong := check_image(image, CONFIG_VALUE)):
        yield wrong.prefix_path(*path)
    if isinstance(value, list) and "items" in field:
        for index, item in enumerate(value):
            yield from _check_value(field["items"], item, (*path, index), reveal=reveal)
    if isinstance(value, dict) and not field.get("free"):
        yield from _check_properties(field, value, path, reveal=reveal)


def _format_unit_hint(value: Json) -> str:
    return "write 0s" if str(value) == "0" else f"write {value}s, or {value}ns if that is meant"


def _list_unmet_constraints(field: JsonObject, value: Json) -> list[str]:
    """Return what a value of the right type should have been, and is not."""
    expected = []
    if "enum" in field and value not in field["enum"]:
        expected.append(f"one of {_format_choices(field['enum'])}")
    if "pattern" in field and isinstance(value, str) and not _matches_pattern(field["pattern"], value):
        expected.append(f"text that matches {field['pattern']}")
    number: Json = parse_duration(value) if field["type"] in DURATIONS else value
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


def _format_choices(options: list[Json]) -> str:
    more = f" and {len(options) - MANY} more" if len(options) > MANY else ""
    return ", ".join(str(each)[:LONGEST] for each in options[:MANY]) + more


def _matches_pattern(pattern: str, value: str) -> bool:
    test = compile_pattern(pattern)
    return test is None or test(value)  # the declaration has the problem then


def _check_properties(field: JsonObject, value: JsonObject, path: Path, *, reveal: bool) -> Iterator[Problem]:
    known = field.get("properties", {})
    for key, item in value.items():
        if (declared := known.get(key, field.get("additionalProperties"))) is not None:
            yield from _check_value(
                declared, item, (*path, key), reveal=reveal and not is_secret_step(value, key)
            )
        else:
            below = next((name for name, each in known.items() if key in each.get("properties", {})), None)
            yield make_problem(
                "config-name",
                f"found the unknown name {key!r}",
                (*path, key),
                f"it stands below {below!r}" if below else suggest_or_list(key, list(known), none=""),
            )
    yield from (
        make_problem("config-missing", f"found no {key[:LONGEST]!r}, which is required", path)
        for key in field.get("required", ())
        if key not in value
    )


def _describe_type(value: Json) -> str:
    names = {dict: "an object", list: "a list", str: "a string", bool: "a boolean", int: "an integer"}
    return names.get(type(value), "a number" if isinstance(value, float) else "nothing")


CONFIG_DECLARATION = get_rule("config-declaration")

NUMBERS = ("integer", "number")
MEANT_FOR: dict[str, tuple[str, ...]] = {
    "pattern": ("string",),
    "minimum": (*NUMBERS, *DURATIONS),
    "maximum": (*NUMBERS, *DURATIONS),
    "above": (*NUMBERS, *DURATIONS),
    "required": ("object",),
    "properties": ("object",),
    "additionalProperties": ("object",),
    "free": ("object",),
    "items": ("array",),
    "askedBy": ("string", "integer"),
}
"""Attribute → the types of fields that it says something of."""
FORMATS = {"int32": "integer", "image": "string"}
COMPARED = (NUMBERS, DURATIONS)
"""Types whose values can be compared with one another."""


def check_config_declaration(kind: JsonObject) -> Iterator[Problem]:
    """Yield what is wrong with the fields and rules of a config.yaml."""
    wrong = (
        fault for name, field in kind["fields"].items() for fault in _check_field(field, ("fields", name))
    )
    found = list(islice(wrong, MAX_ERRORS + 1))
    yield from found
    if not found:
        for index, rule in enumerate(kind.get("rules", ())):
            yield from _check_rule(kind, rule, ("rules", index))


def field_at(kind: JsonObject, path: str) -> JsonObject | None:
    """Return the field that a path with dots leads to."""
    field: JsonObject = {"properties": kind["fields"]}
    for step in path.split("."):
        if (found := field.get("properties", {}).get(step) or field.get("additionalProperties")) is None:
            return None
        field = found
    return field


def _check_field(field: JsonObject, path: Path) -> Iterator[Problem]:
    found = list(_check_attributes(field))
    # Values are held to a field only if nothing is wrong with it by itself.
    if not found and any(_check_default_and_enum(field, reveal=False)):
        found = list(_check_default_and_enum(field, reveal=not is_secret_path(path)))
    yield from (wrong.prefix_path(*path) for wrong in found)
    inner: list[tuple[Path, JsonObject]]
    inner = [(("properties", name), each) for name, each in field.get("properties", {}).items()]
    inner += [((key,), field[key]) for key in ("additionalProperties", "items") if key in field]
    for steps, each in inner:
        yield from _check_field(each, (*path, *steps))


def _check_attributes(field: JsonObject) -> Iterator[Problem]:
    """Yield the attributes of a field that say nothing of it, or contradict each other."""
    kind = field["type"]
    yield from (
        CONFIG_DECLARATION(
            f"found {key} of a field of type {kind}, where it says nothing", (key,), "remove it"
        )
        for key in field
        if kind not in ((FORMATS[field[key]],) if key == "format" else MEANT_FOR.get(key, (kind,)))
    )
    if field.get("free"):
        yield from (
            CONFIG_DECLARATION(f"found {key} of a field that takes any content", (key,), "remove it, or free")
            for key in ("properties", "additionalProperties", "required")
            if key in field
        )
    elif "additionalProperties" not in field:
        known = list(field.get("properties", {}))
        yield from (
            CONFIG_DECLARATION(
                f"found no field {name!r} to require", ("required", index), suggest_word(name, known)
            )
            for index, name in enumerate(field.get("required", ()))
            if name not in known
        )
    if "pattern" in field and compile_pattern(field["pattern"]) is None:
        yield CONFIG_DECLARATION(
            "found a pattern that cannot be read, expected one that Go reads",
            ("pattern",),
            "such as ^[a-z]+$; there is no looking ahead or back",
        )
    if {"minimum", "maximum"} <= field.keys() and field["minimum"] > field["maximum"]:
        yield CONFIG_DECLARATION(
            f"found {field['maximum']}, expected at least the minimum {field['minimum']}", ("maximum",)
        )


def _check_default_and_enum(field: JsonObject, *, reveal: bool) -> Iterator[Problem]:
    """Yield what is wrong with the default and the choices, which are values of the field too."""
    given: list[tuple[Path, JsonObject, Json]]
    given = [(("default",), field, field["default"])] if "default" in field else []
    bare = {key: value for key, value in field.items() if key != "enum"}
    given += [(("enum", index), bare, value) for index, value in enumerate(field.get("enum", ()))]
    found = (each for at, kind, value in given for each in check_config_value(kind, value, at, reveal=reveal))
    return (replace(each, rule=CONFIG_DECLARATION) for each in found)


def _check_rule(kind: JsonObject, rule: JsonObject, path: Path) -> Iterator[Problem]:
    fields = {key: field_at(kind, rule[key]) for key in ("field", "atMost")}
    for key, field in fields.items():
        if field is None:
            known = sorted(_list_field_paths(kind["fields"], ""))
            yield REFERENCE_MISSING(
                f"found no field {rule[key]!r}",
                (*path, key),
                suggest_word(rule[key], known) or "write its path with dots",
            )
    types = [field["type"] for field in fields.values() if field is not None]
    if len(types) == 2 and not any(set(types) <= set(each) for each in COMPARED):
        yield CONFIG_DECLARATION(
            f"found {types[0]} and {types[1]}, expected two numbers or two durations to compare", path
        )


def _list_field_paths(fields: Json, above: str) -> Iterator[str]:
    for name, field in fields.items():
        yield above + name
        yield from _list_field_paths(field.get("properties", {}), f"{above}{name}.")
