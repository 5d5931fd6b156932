"""Walk an object along its structural schema: unknown fields, nulls, defaults, then values.

As the API server does: null fields that are neither nullable nor defaulted are dropped, defaults filled in,
then values validated, CEL rules last, with the old values for rules with oldSelf. An unknown field is an
error, as with strict field validation, which kubectl requests.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from msgspec import Struct

from kitgen.crd.outline_fields import to_compact_json
from kitgen.crd.structural import KEEPS
from kitgen.crd.validate.alternatives import ALTERNATIVES, check_alternatives
from kitgen.crd.validate.metadata import check_embedded_object, check_metadata
from kitgen.crd.validate.rules import (
    FIELD_MISSING,
    FIELD_UNKNOWN,
    FIELD_VALUE,
    MANY,
    Effort,
    EffortExceededError,
)
from kitgen.crd.validate.values import (
    check_keywords,
    check_null,
    check_type,
    report_missing_field,
    report_null_field,
    report_unknown_field,
)
from kitgen.findings import MAX_ERRORS, Path, Problem, Severity, make_problem
from kitgen.text.secrets import is_secret_step
from kitgen.text.values import entries_at, map_at, text_at, value_at
from kitgen.text.wording import describe_value, quote_text
from kitgen.text.yaml import Json, JsonObject


class ValidatedValue(Struct, frozen=True):
    """A value with its schema, and what it was before, if that is known."""

    schema: JsonObject
    value: Json
    old: Json
    whole: bool
    """Whether it is an object of its own."""


class OldItems:
    """The old items of a list; only keys decide which of them an item was."""

    def __init__(self, schema: JsonObject, old: Json) -> None:
        """Take the list with its defaults, or what stands for none."""
        is_map = schema.get("x-kubernetes-list-type") == "map"
        self.keys = [str(name) for name in schema.get("x-kubernetes-list-map-keys") or ()] if is_map else []
        fields = (schema.get("items") or {}).get("properties") or {}
        self.defaults = {name: (fields.get(name) or {}).get("default") for name in self.keys}
        self.items = (
            {self._build_key(item): item for item in old} if self.keys and isinstance(old, list) else {}
        )

    def find(self, item: Json) -> Json:
        """Return what an item was, or nothing."""
        return self.items.get(self._build_key(item)) if self.items else None

    def _build_key(self, item: Json) -> str:
        if not isinstance(item, dict):
            return ""
        return to_compact_json([item.get(name, self.defaults[name]) for name in self.keys])


GIVEN = ("apiVersion", "kind", "metadata")
RULES = "x-kubernetes-validations"
STRUCTURE = frozenset(
    {
        *("type", "description", "default", "nullable"),
        *("properties", "required", "items", "additionalProperties"),
        *(KEEPS, "x-kubernetes-list-type", "x-kubernetes-list-map-keys", "x-kubernetes-map-type"),
    }
)
"""Keywords of what a value is made of, which limit nothing else."""
TOO_MUCH = "holding the objects to their CRDs takes too many steps, and the rest was not looked at"


class Walk:
    """Collects what is wrong with one object."""

    def __init__(self, effort: Effort, *, evaluate: bool = True) -> None:
        """Take no more steps than are left, and evaluate CEL rules or not."""
        self.effort = effort
        self.evaluate = evaluate
        self.problems: list[Problem] = []

    def walk_object(
        self,
        schema: JsonObject,
        body: JsonObject,
        *,
        namespaced: bool,
        status: bool,
        old: JsonObject | None = None,
    ) -> JsonObject:
        """Check a whole object and return it with its defaults.

        With a status subresource a status is dropped, not checked; rules see that of the object before.
        """
        try:
            return self._walk_root(schema, body, namespaced=namespaced, status=status, old=old)
        except EffortExceededError:
            self.problems.append(make_problem("effort-limit", TOO_MUCH, hint="check fewer objects at a time"))
            return body

    def _walk_root(
        self, schema: JsonObject, body: JsonObject, *, namespaced: bool, status: bool, old: JsonObject | None
    ) -> JsonObject:
        self._add_problems(("metadata",), check_metadata(body.get("metadata"), namespaced=namespaced))
        silent = Walk(self.effort, evaluate=False)
        before = None if old is None else silent.walk_value(schema, old, (), resource=True)
        value, stored = dict(body), value_at(before, "status")
        if status:
            properties = schema.get("properties") or {}
            if "status" in value:
                aside = Walk(self.effort, evaluate=False)
                limits = {key: each for key, each in properties.items() if key == "status"}
                aside.walk_value(
                    {"type": "object", "properties": limits}, {"status": value.pop("status")}, ()
                )
                self.problems += [each for each in aside.problems if each.rule is FIELD_UNKNOWN]
            if stored is None:
                schema = {**schema, "properties": {k: v for k, v in properties.items() if k != "status"}}
            else:
                value["status"] = stored
        full = self.walk_value(schema, value, (), resource=True, old=before)
        if status and stored is not None:  # nothing is said of what the object does not bring
            brought = "status" in body
            self.problems = [each for each in self.problems if brought or each.path[:1] != ("status",)]
        return full if isinstance(full, dict) else value

    def _add_problems(self, path: Path, found: Iterable[Problem]) -> None:
        self.problems += [each.prefix_path(*path) for each in found]

    def walk_value(
        self,
        schema: JsonObject,
        value: Json,
        path: Path,
        *,
        resource: bool = False,
        open_: bool = False,
        reveal: bool = True,
        old: Json = None,
    ) -> Json:
        """Check a value and return it with its defaults; an open one may have unknown fields.

        It is shown only if it may be revealed. What it was before stands beside it, with its defaults.
        """
        if len(self.problems) > MAX_ERRORS:
            return value
        self.effort.take()
        if value is None:
            self._add_problems(path, check_null(schema))
            return None
        if fault := check_type(schema, value, reveal=reveal):
            self.problems.append(fault.prefix_path(*path))
            return value
        found_before = len(self.problems)
        if isinstance(value, dict):
            embedded = bool(schema.get("x-kubernetes-embedded-resource"))
            given = resource or embedded
            value = self._walk_mapping(schema, value, path, given=given, open_=open_, reveal=reveal, old=old)
            if embedded:
                self._add_problems(path, check_embedded_object(value))
        elif isinstance(value, list):
            value = self._walk_list(schema, value, path, open_=open_, reveal=reveal, old=old)
        if STRUCTURE.issuperset(schema):
            return value  # as most schemas say no more than that
        self._add_problems(path, check_keywords(schema, value, reveal=reveal, effort=self.effort))
        if not ALTERNATIVES.isdisjoint(schema):
            others = check_alternatives(schema, value, path, reveal=reveal, effort=self.effort)
            self.problems += islice(others, MAX_ERRORS + 1)
        # What the schema refuses already would break rules that take it for granted.
        refused = (each.rule.severity is Severity.ERROR for each in self.problems[found_before:])
        if schema.get(RULES) and self.evaluate and not any(refused):
            from kitgen.crd.validate.cel import check_rules

            place = ValidatedValue(schema, value, old, resource)
            self.problems += islice(check_rules(place, path, self.effort, reveal=reveal), MAX_ERRORS + 1)
        return value

    def _walk_mapping(
        self,
        schema: JsonObject,
        value: JsonObject,
        path: Path,
        *,
        given: bool,
        open_: bool,
        reveal: bool,
        old: Json,
    ) -> JsonObject:
        properties = schema.get("properties") or {}
        extra = schema.get("additionalProperties")
        open_ = open_ or bool(schema.get(KEEPS))
        required = schema.get("required") or ()
        self.effort.take((len(properties) + len(required)) // MANY)
        full: JsonObject = {}
        past = old if isinstance(old, dict) and schema.get("x-kubernetes-map-type") != "atomic" else {}
        for key, item in value.items():
            child = properties.get(key, extra)
            if given and key == "metadata":
                full[key] = item
                self._check_metadata_names(properties.get(key), item, path)
            elif isinstance(child, dict):
                if (kept := _apply_default(child, item)) is not None or child.get("nullable"):
                    shows = reveal and not is_secret_step(value, key)
                    full[key] = self.walk_value(child, kept, (*path, key), reveal=shows, old=past.get(key))
            else:
                full[key] = item
                if child is True:
                    self._report_unknown_fields(item, (*path, key))
                elif not open_ and not (given and key in GIVEN) and len(self.problems) <= MAX_ERRORS:
                    known = dict.fromkeys([*properties, *(GIVEN if given else ())])
                    self.problems.append(report_unknown_field(key, list(known)).prefix_path(*path, key))
        for key in [key for key, child in properties.items() if "default" in child and key not in full]:
            if (child := properties[key])["default"] is not None:
                full[key] = self.walk_value(child, child["default"], (*path, key), old=past.get(key))
        for key in islice([key for key in required if key not in full], MAX_ERRORS + 1):
            self.problems.append(
                (
                    report_null_field(key).prefix_path(key) if key in value else report_missing_field(key)
                ).prefix_path(*path)
            )
        return full

    def _report_unknown_fields(self, value: Json, path: Path) -> None:
        """Find the fields of what stands below `additionalProperties: true`: they have no schema."""
        waiting = [(value, path)]
        while waiting and len(self.problems) <= MAX_ERRORS:
            item, where = waiting.pop()
            if isinstance(item, dict):
                for key in islice(item, MAX_ERRORS + 1):
                    self.problems.append(report_unknown_field(key, []).prefix_path(*where, key))
            elif isinstance(item, list):
                waiting += [(each, (*where, index)) for index, each in enumerate(item)]

    def _check_metadata_names(self, schema: Json, meta: Json, path: Path) -> None:
        """Check the names in metadata; a schema can say nothing else of it."""
        for key, limits in map_at(schema, "properties").items():
            if key in ("name", "generateName") and text_at(meta, key):
                self.walk_value(limits, meta[key], (*path, "metadata", key))

    def _walk_list(
        self, schema: JsonObject, value: list[Json], path: Path, *, open_: bool, reveal: bool, old: Json
    ) -> list[Json]:
        if isinstance(items := schema.get("items"), dict):
            past = OldItems(schema, old)
            # A list that keeps unknown fields keeps those of its items.
            open_ = open_ or bool(schema.get(KEEPS))
            shows = [reveal and not is_secret_step(value, index) for index in range(len(value))]
            value = [
                self.walk_value(
                    items,
                    _apply_default(items, item),
                    (*path, at),
                    open_=open_,
                    reveal=shows[at],
                    old=past.find(item),
                )
                for at, item in enumerate(value)
            ]
        match schema.get("x-kubernetes-list-type"):
            case "set":
                found = (
                    (at, to_compact_json(item), describe_value(item, reveal=reveal))
                    for at, item in enumerate(value)
                )
                self._check_unique_items(found, path)
            case "map":
                self._check_unique_items(self._list_item_keys(schema, value, path, reveal=reveal), path)
        return value

    def _check_unique_items(self, keyed: Iterator[tuple[int, str, str]], path: Path) -> None:
        first: dict[str, int] = {}
        for index, key, label in keyed:
            if (other := first.setdefault(key, index)) != index and len(self.problems) <= MAX_ERRORS:
                text = f"found {label} again, which item {other} has, expected it once"
                self.problems.append(FIELD_VALUE(text, (*path, index)))

    def _list_item_keys(
        self, schema: JsonObject, value: list[Json], path: Path, *, reveal: bool
    ) -> Iterator[tuple[int, str, str]]:
        names = [str(name) for name in schema.get("x-kubernetes-list-map-keys") or ()]
        needed = (schema.get("items") or {}).get("required") or ()
        for index, item in entries_at(value):
            self.effort.take(len(names))
            for name in names:
                if name not in item and name not in needed:
                    text = f"found no field {quote_text(name)}, which tells the items of this list apart"
                    hint = "the API server takes it, but server-side apply does not"
                    self.problems.append(FIELD_MISSING(text, (*path, index), hint))
            key = [item.get(name) for name in names]
            each = zip(names, key, strict=True)
            label = ", ".join(
                f"{n} {describe_value(v, reveal=reveal and not is_secret_step(item, n))}" for n, v in each
            )
            yield index, to_compact_json(key), label


def _apply_default(schema: JsonObject, value: Json) -> Json:
    """Return the default in the place of a null that may not be there."""
    return schema.get("default") if value is None and not schema.get("nullable") else value
