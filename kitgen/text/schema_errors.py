"""Explain in plain words where data violates a JSON Schema.

jsonschema-rs reports the place and the keyword; the message is written here, because its own may show whole
values. A schema can describe what it expects with `x-expected`, or with a short title beside a pattern.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from kitgen.findings import Path, Problem, Rule, near, rule
from kitgen.text.secrets import is_secretive
from kitgen.text.values import entries_at, map_at, value_at
from kitgen.text.wording import TYPES, choice, shown
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
        if self.reveal and is_secretive(path, self.root):
            yield from replace(self, reveal=False).explain(error)
            return
        match error.kind.name, error.kind.value:
            case (("additionalProperties" | "unevaluatedProperties"), list(keys)):
                known = known_keys(self._document(error), self._around(error))
                yield from (self._unknown((*path, str(key)), known) for key in keys)
            case "falseSchema", _ if path and isinstance(path[-1], str):
                yield self._unknown(path, [])
            case "required", key:
                yield self.rules.missing(f"found no {self.rules.noun} {shown(key)}, which is required", path)
            case (("anyOf" | "oneOf"), list(branches)):
                yield from self._branches(error, branches)
            case "type", list(types):
                yield self._mistyped(error, types)
            case "propertyNames", _:
                yield self._misnamed(error)
            case _:
                expected, hint = self._expected(error, self._around(error))
                yield self._value(error, expected, hint)

    def _value(self, error: ValidationError, expected: str, hint: str = "") -> Problem:
        return self.rules.value(
            f"found {shown(error.instance, reveal=self.reveal)}, expected {expected}",
            tuple(error.instance_path),
            hint,
        )

    def _unknown(self, path: Path, known: list[str]) -> Problem:
        key = str(path[-1])
        hint = near(key, known) or (f"known here: {choice(known, last='and')}" if known else "")
        return self.rules.unknown(f"found the unknown {self.rules.noun} {shown(key)}", path, hint)

    def _mistyped(self, error: ValidationError, types: list[str]) -> Problem:
        expected = own_words(self._around(error)) or _typed(types)
        hint = "quote it" if isinstance(error.instance, bool | int | float) and "string" in types else ""
        return replace(self._value(error, expected, hint), rule=self.rules.mistyped)

    def _misnamed(self, error: ValidationError) -> Problem:
        inner: ValidationError = error.kind.value
        path, key = tuple(error.instance_path), str(inner.instance)
        expected, hint = self._expected(inner, self._around(error))
        return self.rules.value(
            f"found the {self.rules.noun} {shown(key)}, expected {expected}", (*path, key), hint
        )

    def _expected(self, error: ValidationError, around: JsonObject) -> tuple[str, str]:
        """Return what a value should have been, and a hint."""
        own = own_words(around)
        match error.kind.name, error.kind.value:
            case "enum", list(options):
                found = error.instance
                hint = near(found, [str(option) for option in options]) if isinstance(found, str) else ""
                return own or f"one of {choice(options, say=shown)}", hint
            case "const", value:
                return own or shown(value), ""
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

    def _branches(self, error: ValidationError, branches: list[list[ValidationError]]) -> Iterator[Problem]:
        path = tuple(error.instance_path)
        around = self._around(error)
        own = own_words(around)
        if not all(branches):
            fitting = [i for i, errors in enumerate(branches) if not errors]
            forms = [_at(around, ("oneOf", i)) for i in fitting]
            keys = [shown(key) for form in forms for key in form.get("required", ())]
            named = own or (f"only one of {choice(keys)}" if keys else "what fits only one of the forms")
            yield self._value(error, named)
        elif all(_is_here(each, path, "required") for errors in branches for each in errors):
            keys = list(dict.fromkeys(shown(each.kind.value) for errors in branches for each in errors))
            yield self.rules.missing(f"found none of {choice(keys)}, expected {own or 'one of them'}", path)
        elif all(any(_is_here(each, path, "type") for each in errors) for errors in branches):
            wrong = (each for errors in branches for each in errors if _is_here(each, path, "type"))
            expected = own or _typed([name for each in wrong for name in each.kind.value])
            yield replace(self._value(error, expected), rule=self.rules.mistyped)
        else:
            for each in min(branches, key=lambda errors: _distance(errors, path)):
                yield from self.explain(each)

    def _document(self, error: ValidationError) -> JsonObject:
        return self.document((error.absolute_keyword_location or "").partition("#")[0])

    def _around(self, error: ValidationError) -> JsonObject:
        """Return the part of the schema whose keyword failed."""
        return _at(self._document(error), tuple(error.schema_path[:-1]))


def own_words(around: JsonObject) -> str:
    """Return what a schema itself says it expects, if it says so shortly."""
    said = around.get("x-expected")
    if not said and ("pattern" in around or "format" in around or "not" in around):
        said = around.get("title") or around.get("description")
    if not isinstance(said, str) or len(said) > SHORT:
        return ""
    said = said.rstrip(".")
    return said if said[1:2].isupper() else said[:1].lower() + said[1:]


def known_keys(document: JsonObject, around: JsonObject) -> list[str]:
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
            todo.append(_at(document, tuple(part["$ref"][2:].split("/"))))
    return list(found)


def _typed(types: list[str]) -> str:
    # null beside another type only says that the value may be left out.
    named = [words for name, words in TYPES.items() if name in types and name != "null"]
    return choice(named or [TYPES["null"]])


def _is_here(error: ValidationError, path: Path, name: str) -> bool:
    return error.kind.name == name and tuple(error.instance_path) == path


def _distance(errors: list[ValidationError], path: Path) -> tuple[bool, bool, int, int]:
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


def _at(document: Json, path: Path) -> JsonObject:
    for step in path:
        listed = isinstance(document, list) and str(step).isdigit()
        document = value_at(document, int(step) if listed else str(step))
    return map_at(document)


REFERENCE_MISSING = rule("reference-missing")
