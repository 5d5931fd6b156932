"""Write a newer CRD with parts of the older declaration, where these still expand to the same.

In: old and new declarations, and what the new ones expand to. Out: new declarations that reuse parts of the
old ones. They must be expanded and compared: a part may refer to another one that has changed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from kitgen.crd.declaration import ServiceNaming, expand, full_name, plural
from kitgen.crd.definition import schemas_of
from kitgen.crd.importer.compare import excepted
from kitgen.crd.importer.declaration_fields import bare_root
from kitgen.crd.importer.encode import Encoder
from kitgen.crd.importer.type_catalog import catalog_of
from kitgen.crd.schema_edits import named, parse_part
from kitgen.findings import Origin
from kitgen.importing.crd_changes import is_named, lines_of
from kitgen.kube import schema_paths
from kitgen.kube.manifest import existing_value
from kitgen.kube.schema_interning import Interner, frozen
from kitgen.kube.schema_paths import PathError
from kitgen.text.yaml import Json, JsonObject

Schemas: TypeAlias = Mapping[tuple[str, str], JsonObject]
"""Plural or full name of a CRD, and version → the schema that it stands for."""


def in_older_words(
    old: Sequence[JsonObject],
    new: Sequence[JsonObject],
    real: Sequence[JsonObject],
    minor: int,
    home: ServiceNaming,
) -> list[JsonObject]:
    """Return newer declarations with what the older ones say, as far as it stands for the same.

    `real` are the CRDs that the newer ones stand for.
    """
    made = expand([(Origin(full_name(data)), data) for data in old], minor=minor, home=home)
    if made.findings:
        return [*new]
    bodies = {full_name(data): body for data, body in zip(new, real, strict=True)}
    before = {full_name(data): (data, body) for data, body in zip(old, made.bodies, strict=True)}
    words = _Words(minor, _by_part(old, made.bodies), _by_part(new, real))
    return [
        words.declaration(*before[name], data, bodies[name]) if (name := full_name(data)) in before else data
        for data in new
    ]


class _Words:
    """Chooses between the words of two declarations."""

    def __init__(self, minor: int, before: Schemas, schemas: Schemas) -> None:
        self.interner = Interner()
        self.catalog = catalog_of(minor, self.interner)
        self.encoder = Encoder(self.catalog)
        self.comparer = self.encoder.comparer
        self.before = before
        self.schemas = schemas

    def declaration(self, old: JsonObject, was: JsonObject, new: JsonObject, now: JsonObject) -> JsonObject:
        """Return a declaration of what is now there; `was` is what the old one stands for."""
        same = frozen(was["spec"]["names"]) == frozen(now["spec"]["names"])
        out = {**new, **({"names": old["names"]} if same else {})}
        if "descriptions" in old:
            out["descriptions"] = old["descriptions"]
        schemas = _schemas(was), _schemas(now)
        columns = _columns(was), _columns(now)
        out["versions"] = {}
        for name, version in new["versions"].items():
            made, before = dict(version), old["versions"].get(name, {})
            if "columns" in before and "columns" in made and columns[0].get(name) == columns[1].get(name):
                made["columns"] = before["columns"]
            if "schema" in before and "schema" in made:
                both = schemas[0][name], schemas[1][name]
                made["schema"] = self._node(before["schema"], made["schema"], *both)
            out["versions"][name] = made
        return out

    def _node(self, old: Json, new: Json, was: Json, now: Json) -> Json:
        """Return a schema in the words of the old one, or as far as that goes."""
        if not all(isinstance(each, dict) for each in (old, new, was, now)):
            return new
        if self.interner.number(was) == self.interner.number(now) and self._stands(old):
            return old
        if not is_named(old) and not is_named(new):
            return self._fields(old, new, was, now)
        again = self._excepted(old, now) if is_named(old) else self._fields(old, self._plain(now), was, now)
        return again if again and lines_of(old, again) < lines_of(old, new) else new

    def _stands(self, old: JsonObject) -> bool:
        """Return whether all parts that a schema uses are as they were."""
        for name in set(named(old, "$use")):
            found = [_part(schemas, name) for schemas in (self.before, self.schemas)]
            numbers = {self.interner.number(each) if isinstance(each, dict) else -1 for each in found}
            if len(numbers) > 1 or -1 in numbers:
                return False
        return True

    def _fields(self, old: JsonObject, new: JsonObject, was: JsonObject, now: JsonObject) -> JsonObject:
        """Return a schema that is written out, with what is below in the words of the old one."""

        def below(steps: tuple[str, ...], schema: JsonObject) -> Json:
            try:
                return self._node(
                    existing_value(old, steps),
                    schema,
                    existing_value(was, steps),
                    existing_value(now, steps),
                )
            except KeyError:
                return schema

        kept = {"description": old["description"]} if "description" in old else {}
        return {**kept, **schema_paths.mapped(new, below)}

    def _plain(self, now: JsonObject) -> JsonObject:
        """Write a schema out, with types named below."""
        own = {key: value for key, value in now.items() if key != "description"}
        return schema_paths.mapped(
            own, lambda steps, below: self.encoder.alone(below, schema_paths.field_of(steps))
        )

    def _excepted(self, old: JsonObject, now: JsonObject) -> JsonObject | None:
        """Return a schema as what the old one names, with the exceptions that it takes now."""
        key = "$type" if "$type" in old else "$use"
        base = self.catalog.schemas.get(old[key]) if key == "$type" else _part(self.schemas, old[key])
        return excepted({key: old[key]}, self.comparer.edits(base, now)) if isinstance(base, dict) else None


def _part(schemas: Schemas, name: str) -> Json:
    """Return what $use stands for; None if that is nothing."""
    try:
        part = parse_part(name)
        return existing_value(schemas[part.name, part.version], part.steps)
    except (KeyError, PathError):
        return None


def _by_part(files: Sequence[JsonObject], bodies: Sequence[JsonObject]) -> Schemas:
    return {
        (called, name): schema
        for data, body in zip(files, bodies, strict=True)
        for name, schema in _schemas(body).items()
        for called in (plural(data), full_name(data))
    }


def _schemas(body: JsonObject) -> dict[str, JsonObject]:
    """Return the schemas of a CRD's versions as declarations have them."""
    return {name: bare_root(schema) for name, schema in schemas_of(body)}


def _columns(body: JsonObject) -> dict[str, object]:
    return {each["name"]: frozen(each.get("additionalPrinterColumns")) for each in body["spec"]["versions"]}
