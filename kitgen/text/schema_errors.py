"""Explain in plain words where data violates a JSON Schema.

jsonschema-rs reports the place and the keyword; the message is written here, because its own may show whole
values. A schema can describe what it expects with `x-expected`, or with a short title beside a pattern.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from kitgen.findings import Path, Problem, Rule, get_rule, suggest_word
from kitgen.text.secrets import is_secret_path
from kitgen.text.values import entries_at, map_at, value_at
from kitgen.text.wording import TYPES, describe_value, join_words
from kitgen.text.yaml import Json, JsonObject

if TYPE_CHECKING:
    from jsonschema_rs import ValidationError

SHORT = 100
"""A title up to this length is short enough to stand in a message."""
LIMITS = {
    "exclusiveMaximum": "less than {}",
    "exclusiveMinimum": "more than {}",
    "maxItems": "at most {} items",
    "maxLength": "at most {} characters",
    "maxProperties": "at most {} keys",
    "maximum": "at most {}",
    "minItems": "at least {} items",
    "minLength": "at least {} characters",
    "minProperties": "at least {} keys",
    "minimum": "at least {}",
    "multipleOf": "a multiple of {}",
    "pattern": "text that matches {}",
    "format": "a {}",
}
ENCODED = ("base64", "encode it; a Secret takes plain text in stringData")
"""What the format `byte` means, and what may help."""


class ShapeRules(Struct, frozen=True, kw_only=True):
    """The rules that data of one sort can break, and the word for a key of it."""

    noun: str
    unknown: Rule
    missing: Rule
    mistyped: Rule
    value: Rule


class ErrorExplainer(Struct, frozen=True, kw_only=True):
    """What it takes to put an error into words."""

    document: Callable[[str], JsonObject]
    """Gives a schema by its address, to look up what stands around a failed keyword."""
    rules: ShapeRules
    root: Json = None
    """What is explained."""
    reveal: bool = True
    """Show short values; never set for what may be secret."""

    def explain(self, error: ValidationError) -> Iterator[Problem]:
        """Yield what one error means; alternatives lead to those of the likeliest one."""
        path: Path = tuple(error.instance_path)
        if self.reveal and is_secret_path(path, self.root):
            yield from replace(self, reveal=False).explain(error)
            return
        match error.kind.name, error.kind.value:
            case (("additionalProperties" | "unevaluatedProperties"), list(keys)):
                known = list_known_keys(self._get_schema(error), self._get_subschema(error))
                yield from (self._report_unknown_key((*path, str(key)), known) for key in keys)
            case "falseSchema", _ if path and isinstance(path[-1], str):
                yield self._report_unknown_key(path, [])
            case "required", key:
                yield self.rules.missing(
                    f"found no {self.rules.noun} {describe_value(key)}, which is required", path
                )
            case (("anyOf" | "oneOf"), list(branches)):
                yield from self._explain_branches(error, branches)
            case "type", list(types):
                yield self._report_type(error, types)
            case "propertyNames", _:
                yield self._report_key_name(error)
            case _:
                expected, hint = self._describe_expected(error, self._get_subschema(error))
                yield self._report_value(error, expected, hint)

    def _report_value(self, error: ValidationError, expected: str, hint: str = "") -> Problem:
        return self.rules.value(
            f"found {describe_value(error.instance, reveal=self.reveal)}, expected {expected}",
            tuple(error.instance_path),
            hint,
        )

    def _report_unknown_key(self, path: Path, known: list[str]) -> Problem:
        key = str(path[-1])
        hint = suggest_word(key, known) or (f"known here: {join_words(known, last='and')}" if known else "")
        return self.rules.unknown(f"found the unknown {self.rules.noun} {describe_value(key)}", path, hint)

    def _report_type(self, error: ValidationError, types: list[str]) -> Problem:
        expected = find_expected_text(self._get_subschema(error)) or _describe_types(types)
        hint = "quote it" if isinstance(error.instance, bool | int | float) and "string" in types else ""
        return replace(self._report_value(error, expected, hint), rule=self.rules.mistyped)

    def _report_key_name(self, error: ValidationError) -> Problem:
        inner: ValidationError = error.kind.value
        path, key = tuple(error.instance_path), str(inner.instance)
        expected, hint = self._describe_expected(inner, self._get_subschema(error))
        return self.rules.value(
            f"found the {self.rules.noun} {describe_value(key)}, expected {expected}", (*path, key), hint
        )

    def _describe_expected(self, error: ValidationError, around: JsonObject) -> tuple[str, str]:
        """Return what a value should have been, and a hint."""
        own = find_expected_text(around)
        match error.kind.name, error.kind.value:
            case "enum", list(options):
                found = error.instance
                hint = (
                    suggest_word(found, [str(option) for option in options]) if isinstance(found, str) else ""
                )
                return own or f"one of {join_words(options, say=describe_value)}", hint
            case "const", value:
                return own or describe_value(value), ""
            case (("minLength" | "minItems" | "minProperties"), 1):
                return own or "at least one", ""
            case (("maxLength" | "maxItems" | "maxProperties"), 1):
                return own or "at most one", ""
            case "format", "byte":
                return ENCODED
            case name, limit if name in LIMITS:
                return own or LIMITS[name].format(limit), ""
            case "uniqueItems", _:
                return own or "every item only once", ""
            case _:
                return own or "something else", ""

    def _explain_branches(
        self, error: ValidationError, branches: list[list[ValidationError]]
    ) -> Iterator[Problem]:
        path = tuple(error.instance_path)
        around = self._get_subschema(error)
        own = find_expected_text(around)
        if not all(branches):
            fitting = [i for i, errors in enumerate(branches) if not errors]
            forms = [_mapping_at(around, ("oneOf", i)) for i in fitting]
            keys = [describe_value(key) for form in forms for key in form.get("required", ())]
            named = own or (f"only one of {join_words(keys)}" if keys else "what fits only one of the forms")
            yield self._report_value(error, named)
        elif all(_matches_error(each, path, "required") for errors in branches for each in errors):
            keys = list(
                dict.fromkeys(describe_value(each.kind.value) for errors in branches for each in errors)
            )
            yield self.rules.missing(
                f"found none of {join_words(keys)}, expected {own or 'one of them'}", path
            )
        elif all(any(_matches_error(each, path, "type") for each in errors) for errors in branches):
            wrong = (each for errors in branches for each in errors if _matches_error(each, path, "type"))
            expected = own or _describe_types([name for each in wrong for name in each.kind.value])
            yield replace(self._report_value(error, expected), rule=self.rules.mistyped)
        else:
            for each in min(branches, key=lambda errors: _measure_distance(errors, path)):
                yield from self.explain(each)

    def _get_schema(self, error: ValidationError) -> JsonObject:
        return self.document((error.absolute_keyword_location or "").partition("#")[0])

    def _get_subschema(self, error: ValidationError) -> JsonObject:
        """Return the part of the schema whose keyword failed."""
        return _mapping_at(self._get_schema(error), tuple(error.schema_path[:-1]))


def find_expected_text(around: JsonObject) -> str:
    """Return what a schema itself says it expects, if it says so shortly."""
    said = around.get("x-expected")
    if not said and ("pattern" in around or "format" in around or "not" in around):
        said = around.get("title") or around.get("description")
    if not isinstance(said, str) or len(said) > SHORT:
        return ""
    said = said.rstrip(".")
    return said if said[1:2].isupper() else said[:1].lower() + said[1:]


def list_known_keys(document: JsonObject, around: JsonObject) -> list[str]:
    """Return the keys that a mapping may have, from every part of its schema that names some."""
    found: dict[str, None] = {}
    todo, seen = [around], set[int]()
    while todo:
        part = todo.pop(0)
        if id(part) in seen:
            continue
        seen.add(id(part))
        found |= dict.fromkeys(key for key, value in map_at(part, "properties").items() if value is not False)
        for name in ("allOf", "anyOf", "oneOf"):
            todo += [each for _, each in entries_at(part, name)]
        todo += [part[name] for name in ("then", "else") if isinstance(part.get(name), dict)]
        if str(part.get("$ref", "")).startswith("#/"):
            todo.append(_mapping_at(document, tuple(part["$ref"][2:].split("/"))))
    return list(found)


def _describe_types(types: list[str]) -> str:
    # null beside another type only says that the value may be left out.
    named = [words for name, words in TYPES.items() if name in types and name != "null"]
    return join_words(named or [TYPES["null"]])


def _matches_error(error: ValidationError, path: Path, name: str) -> bool:
    return error.kind.name == name and tuple(error.instance_path) == path


def _measure_distance(errors: list[ValidationError], path: Path) -> tuple[bool, bool, int, int]:
    """Return how far a value is from an alternative: by type, discriminating keys, other keys."""
    here = [each for each in errors if tuple(each.instance_path) == path]
    return (
        any(each.kind.name == "type" for each in here),
        any(
            each.kind.name in ("const", "enum") and tuple(each.instance_path)[:-1] == path for each in errors
        ),
        sum(len(each.kind.value) if isinstance(each.kind.value, list) else 1 for each in here),
        len(errors),
    )


def _mapping_at(document: Json, path: Path) -> JsonObject:
    for step in path:
        listed = isinstance(document, list) and str(step).isdigit()
        document = value_at(document, int(step) if listed else str(step))
    return map_at(document)


REFERENCE_MISSING = get_rule("reference-missing")
