"""Write a newer CRD with parts of the older declaration, where these still expand to the same.

In: old and new declarations, and what the new ones expand to. Out: new declarations that reuse parts of the
old ones. They must be expanded and compared: a part may refer to another one that has changed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from kitgen.crd.declaration import ServiceNaming, crd_full_name, crd_plural, expand_crds
from kitgen.crd.definition import schemas_of
from kitgen.crd.importer.compare import add_exceptions
from kitgen.crd.importer.declaration_fields import drop_envelope
from kitgen.crd.importer.encode import Encoder
from kitgen.crd.importer.type_catalog import build_catalog
from kitgen.crd.schema_edits import find_schema_references, parse_part
from kitgen.findings import Origin
from kitgen.importing.crd_changes import count_changed_lines, is_named_type
from kitgen.kube import schema_paths
from kitgen.kube.manifest import existing_value
from kitgen.kube.schema_interning import Interner, freeze_value
from kitgen.kube.schema_paths import PathError
from kitgen.text.yaml import Json, JsonObject

Schemas: TypeAlias = Mapping[tuple[str, str], JsonObject]
"""Plural or full name of a CRD, and version → the schema that it stands for."""


def reuse_older_declarations(
    old: Sequence[JsonObject],
    new: Sequence[JsonObject],
    real: Sequence[JsonObject],
    minor: int,
    home: ServiceNaming,
) -> list[JsonObject]:
    """Return newer declarations with what the older ones say, as far as it stands for the same.

    `real` are the CRDs that the newer ones stand for.
    """
    made = expand_crds([(Origin(crd_full_name(data)), data) for data in old], minor=minor, home=home)
    if made.findings:
        return [*new]
    bodies = {crd_full_name(data): body for data, body in zip(new, real, strict=True)}
    before = {crd_full_name(data): (data, body) for data, body in zip(old, made.bodies, strict=True)}
    words = _Words(minor, _index_schemas(old, made.bodies), _index_schemas(new, real))
    return [
        words.reuse_declaration(*before[name], data, bodies[name])
        if (name := crd_full_name(data)) in before
        else data
        for data in new
    ]


class _Words:
    """Chooses between the words of two declarations."""

    def __init__(self, minor: int, before: Schemas, schemas: Schemas) -> None:
        self.interner = Interner()
        self.catalog = build_catalog(minor, self.interner)
        self.encoder = Encoder(self.catalog)
        self.comparer = self.encoder.comparer
        self.before = before
        self.schemas = schemas

    def reuse_declaration(
        self, old: JsonObject, was: JsonObject, new: JsonObject, now: JsonObject
    ) -> JsonObject:
        """Return a declaration of what is now there; `was` is what the old one stands for."""
        same = freeze_value(was["spec"]["names"]) == freeze_value(now["spec"]["names"])
        out = {**new, **({"names": old["names"]} if same else {})}
        if "descriptions" in old:
            out["descriptions"] = old["descriptions"]
        schemas = _schemas_by_version(was), _schemas_by_version(now)
        columns = _columns_by_version(was), _columns_by_version(now)
        out["versions"] = {}
        for name, version in new["versions"].items():
            made, before = dict(version), old["versions"].get(name, {})
            if "columns" in before and "columns" in made and columns[0].get(name) == columns[1].get(name):
                made["columns"] = before["columns"]
            if "schema" in before and "schema" in made:
                both = schemas[0][name], schemas[1][name]
                made["schema"] = self._reuse_schema(before["schema"], made["schema"], *both)
            out["versions"][name] = made
        return out

    def _reuse_schema(self, old: Json, new: Json, was: Json, now: Json) -> Json:
        """Return a schema in the words of the old one, or as far as that goes."""
        if not all(isinstance(each, dict) for each in (old, new, was, now)):
            return new
        if self.interner.intern(was) == self.interner.intern(now) and self._has_unchanged_parts(old):
            return old
        if not is_named_type(old) and not is_named_type(new):
            return self._reuse_fields(old, new, was, now)
        again = (
            self._encode_exceptions(old, now)
            if is_named_type(old)
            else self._reuse_fields(old, self._encode_inner_schemas(now), was, now)
        )
        return again if again and count_changed_lines(old, again) < count_changed_lines(old, new) else new

    def _has_unchanged_parts(self, old: JsonObject) -> bool:
        """Return whether all parts that a schema uses are as they were."""
        for name in set(find_schema_references(old, "$use")):
            found = [_resolve_part(schemas, name) for schemas in (self.before, self.schemas)]
            numbers = {self.interner.intern(each) if isinstance(each, dict) else -1 for each in found}
            if len(numbers) > 1 or -1 in numbers:
                return False
        return True

    def _reuse_fields(self, old: JsonObject, new: JsonObject, was: JsonObject, now: JsonObject) -> JsonObject:
        """Return a schema that is written out, with what is below in the words of the old one."""

        def below(steps: tuple[str, ...], schema: JsonObject) -> Json:
            try:
                return self._reuse_schema(
                    existing_value(old, steps),
                    schema,
                    existing_value(was, steps),
                    existing_value(now, steps),
                )
            except KeyError:
                return schema

        kept = {"description": old["description"]} if "description" in old else {}
        return {**kept, **schema_paths.map_child_schemas(new, below)}

    def _encode_inner_schemas(self, now: JsonObject) -> JsonObject:
        """Write a schema out, with types named below."""
        own = {key: value for key, value in now.items() if key != "description"}
        return schema_paths.map_child_schemas(
            own, lambda steps, below: self.encoder.encode_standalone(below, schema_paths.field_of(steps))
        )

    def _encode_exceptions(self, old: JsonObject, now: JsonObject) -> JsonObject | None:
        """Return a schema as what the old one names, with the exceptions that it takes now."""
        key = "$type" if "$type" in old else "$use"
        base = self.catalog.schemas.get(old[key]) if key == "$type" else _resolve_part(self.schemas, old[key])
        return (
            add_exceptions({key: old[key]}, self.comparer.compare_schemas(base, now))
            if isinstance(base, dict)
            else None
        )


def _resolve_part(schemas: Schemas, name: str) -> Json:
    """Return what $use stands for; None if that is nothing."""
    try:
        part = parse_part(name)
        return existing_value(schemas[part.name, part.version], part.steps)
    except (KeyError, PathError):
        return None


def _index_schemas(files: Sequence[JsonObject], bodies: Sequence[JsonObject]) -> Schemas:
    return {
        (called, name): schema
        for data, body in zip(files, bodies, strict=True)
        for name, schema in _schemas_by_version(body).items()
        for called in (crd_plural(data), crd_full_name(data))
    }


def _schemas_by_version(body: JsonObject) -> dict[str, JsonObject]:
    """Return the schemas of a CRD's versions as declarations have them."""
    return {name: drop_envelope(schema) for name, schema in schemas_of(body)}


def _columns_by_version(body: JsonObject) -> dict[str, object]:
    return {
        each["name"]: freeze_value(each.get("additionalPrinterColumns")) for each in body["spec"]["versions"]
    }
