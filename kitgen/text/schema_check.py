"""Validate data against the JSON Schemas that kitgen ships: keys, types and values.

In: plain data and a schema, named by its path below `schemas/`, such as `component`. Out: problems, or
findings for a spec file. What involves several fields or files is not checked here.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from functools import cache, cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import json
from msgspec.structs import replace

from kitgen.findings import MAX_ERRORS, Finding, Origin, Problem, get_rule
from kitgen.findings.errors import KitgenError
from kitgen.text.schema_errors import ErrorExplainer, ShapeRules
from kitgen.text.yaml import Json, JsonObject, walk_values

if TYPE_CHECKING:
    from jsonschema_rs import Draft202012Validator, ValidationError


@cache
def find_schema_folder() -> Path:
    """Return where the schemas are."""
    package = Path(__file__).resolve().parent.parent
    # A wheel carries the schemas inside the package; a checkout has them at its top for people to find.
    for place in (package / "schemas", package.parent / "schemas"):
        if place.is_dir():
            return place
    raise KitgenError("the schemas of kitgen are not installed", hint="install kitgen again")


@cache
def list_schema_names() -> tuple[str, ...]:
    """Return the names of all schemas, sorted."""
    root = os.fspath(find_schema_folder())
    found = (f"{folder}/{name}" for folder, _, names in os.walk(root) for name in names)
    return tuple(sorted(each[len(root) + 1 : -len(".json")] for each in found if each.endswith(".json")))


@cache
def read_schema(name: str) -> JsonObject:
    """Return a schema; callers share it and must not change it."""
    if (name := name.removesuffix(".json")) not in list_schema_names():
        raise KitgenError(f"there is no schema {name!r}", hint=f"known are {', '.join(list_schema_names())}")
    data: JsonObject = json.decode((find_schema_folder() / f"{name}.json").read_bytes())
    return data


SPEC_UNKNOWN_KEY = get_rule("spec-unknown-key")
SPEC_MISSING_KEY = get_rule("spec-missing-key")
SPEC_TYPE = get_rule("spec-type")
SPEC_VALUE = get_rule("spec-value")

BASE = "schema:///"
LARGE, WIDE = 10_000, 1_000
"""Values in all, and in one map or list, up to which all errors are told, each of which takes space."""
ONLY_FIRST = "of so large a value only the first error is told"
SPECS = ShapeRules(
    noun="key", unknown=SPEC_UNKNOWN_KEY, missing=SPEC_MISSING_KEY, mistyped=SPEC_TYPE, value=SPEC_VALUE
)


class Shape:
    """A schema, which is compiled when it is first needed."""

    def __init__(
        self,
        schema: JsonObject,
        *,
        name: str = "",
        others: Callable[[str], JsonObject] | None = None,
        formats: bool | dict[str, Callable[[str], bool]] = False,
        rules: ShapeRules = SPECS,
    ) -> None:
        """Take a schema; `others` gives those that this one refers to, `rules` are those it can break.

        Formats are held to if they are wanted, those that are given as they say.
        """
        self.schema = schema
        self.uri = schema.get("$id") or f"{BASE}{name}.json"
        self.others = others or _refuse_reference
        self.formats = formats
        self.rules = rules

    @cached_property
    def validator(self) -> Draft202012Validator:
        """Return the compiled schema."""
        import jsonschema_rs

        return jsonschema_rs.Draft202012Validator(
            self.schema,
            base_uri=self.uri,
            retriever=self.others,
            validate_formats=bool(self.formats),
            formats=self.formats if isinstance(self.formats, dict) else None,
        )

    def accepts(self, data: Json) -> bool:
        """Return whether data fits, as fast as can be."""
        return self.validator.is_valid(data)

    def check(self, data: Json, *, reveal: bool = True) -> list[Problem]:
        """Explain every place where data does not fit; without `reveal` no value is shown."""
        if self.accepts(data):
            return []
        explainer = ErrorExplainer(document=self._get_schema, rules=self.rules, root=data, reveal=reveal)
        large = is_large(data)
        errors = self._find_first_error(data) if large else self.validator.iter_errors(data)
        found = (each for error in errors for each in explainer.explain(error))
        problems = list(dict.fromkeys(islice(found, MAX_ERRORS + 1)))
        return (
            [replace(each, hint="; ".join(filter(None, (each.hint, ONLY_FIRST)))) for each in problems]
            if large
            else problems
        )

    def _find_first_error(self, data: Json) -> Iterable[ValidationError]:
        """Return the first error of data that is large: all of them would take too much space."""
        import jsonschema_rs

        try:
            self.validator.validate(self._shorten_lists(data))
        except jsonschema_rs.ValidationError as error:
            # The frames of its traceback hold it in turn, and nobody collects what holds itself.
            return [error.with_traceback(None)]
        return []

    def _shorten_lists(self, data: Json) -> Json:
        """Return data with its long lists as short as they are still wrong.

        One error may carry the errors of all items, such as where a list is one of several choices.
        """
        from bisect import bisect_left

        longest = max((len(each) for _, each in walk_values(data) if isinstance(each, list)), default=0)
        widths = range(WIDE, longest)
        fitting = bisect_left(widths, True, key=lambda width: not self.accepts(_cut_lists(data, width)))
        return _cut_lists(data, WIDE + fitting)

    def _get_schema(self, uri: str) -> JsonObject:
        return self.schema if uri in ("", self.uri) else self.others(uri)


def _cut_lists(data: Json, width: int) -> Json:
    """Return data with no more items in a list."""
    if isinstance(data, dict):
        return {key: _cut_lists(each, width) for key, each in data.items()}
    return [_cut_lists(each, width) for each in data[:width]] if isinstance(data, list) else data


def is_large(data: Json) -> bool:
    """Return whether data holds so many values that not all of them can be explained."""
    size, todo = 0, [data] if isinstance(data, dict | list) else []
    while todo and size <= LARGE:
        value = todo.pop()
        size += len(value) if len(value) <= WIDE else LARGE + 1
        todo += (
            each
            for each in islice(value.values() if isinstance(value, dict) else value, LARGE)
            if isinstance(each, dict | list)
        )
    return size > LARGE


def check_against_schema(schema_name: str, data: Json, origin: Origin) -> list[Finding]:
    """Return a finding for every place where a spec breaks the schema of that name."""
    return [each.to_finding(origin) for each in compile_schema(schema_name).check(data)]


@cache
def compile_schema(schema_name: str) -> Shape:
    """Return one of kitgen's own schemas, compiled."""
    return Shape(read_schema(schema_name), name=schema_name, others=_resolve_shipped_schema, formats=True)


def _resolve_shipped_schema(uri: str) -> JsonObject:
    """Return the shipped schema that a reference from another one means."""
    for name in list_schema_names():
        if uri.endswith(f"/{name}.json"):
            return read_schema(name)
    return _refuse_reference(uri)


def _refuse_reference(uri: str) -> JsonObject:
    raise KitgenError(f"a schema refers to {uri}, which is not shipped")
