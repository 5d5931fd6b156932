"""Say a newer CRD in the words of the older declaration, where these still stand for the same.

In: declarations, old and new, and what the new ones stand for. Out: the new ones, with parts of the old ones.
What comes out must be expanded and compared: a part of the old may use another one that is not the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from kitgen.crds.declare.conversion import Home
from kitgen.crds.declare.declaration import expand, full_name, plural
from kitgen.crds.declare.format import Scale
from kitgen.crds.declare.parts import parse_part
from kitgen.crds.importer.catalog import catalog_of
from kitgen.crds.importer.compare import Comparer, excepted
from kitgen.crds.importer.encode import Encoder
from kitgen.crds.importer.undeclare import bare_root
from kitgen.crds.schema import paths
from kitgen.crds.schema.intern import Interner, frozen
from kitgen.crds.schema.paths import PathError
from kitgen.findings import Origin
from kitgen.importer.crd_changes import lines_of
from kitgen.importer.meanings import is_named
from kitgen.yamlio import Json, JsonObject


def in_older_words(
    old: Sequence[JsonObject], new: Sequence[JsonObject], *, minor: int, home: Home
) -> list[JsonObject]:
    """Return newer declarations with what the older ones say, as far as it stands for the same."""
    sides = [
        expand([(Origin(str(index)), data) for index, data in enumerate(some)], minor=minor, home=home)
        for some in (old, new)
    ]
    if any(side.findings for side in sides):
        return [*new]
    bodies = {str(body["metadata"]["name"]): body for body in sides[1].bodies}
    before = {full_name(data): (data, body) for data, body in zip(old, sides[0].bodies, strict=True)}
    words = _Words(minor, new, bodies)
    return [
        words.declaration(*before[name], data, bodies[name]) if (name := full_name(data)) in before else data
        for data in new
    ]


class _Words:
    """Chooses between the words of two declarations."""

    def __init__(self, minor: int, new: Sequence[JsonObject], bodies: Mapping[str, JsonObject]) -> None:
        self.interner = Interner()
        self.catalog = catalog_of(minor, self.interner)
        self.comparer = Comparer(self.interner, Encoder(self.catalog).alone, Scale())
        self.schemas: dict[tuple[str, str], JsonObject] = {}
        for data in new:
            for name, schema in _schemas(bodies[full_name(data)]).items():
                self.schemas |= {(called, name): schema for called in (plural(data), full_name(data))}

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
        if self.interner.number(was) == self.interner.number(now):
            return old
        if is_named(old):
            again = self._excepted(old, now)
            return again if again and lines_of(old, again) < lines_of(old, new) else new
        if is_named(new):
            return new

        def below(steps: tuple[str, ...], schema: JsonObject) -> Json:
            try:
                return self._node(paths.get(old, steps), schema, paths.get(was, steps), paths.get(now, steps))
            except KeyError:
                return schema

        kept = {"description": old["description"]} if "description" in old else {}
        return {**kept, **paths.mapped(new, below)}

    def _excepted(self, old: JsonObject, now: JsonObject) -> JsonObject | None:
        """Return a schema as the type or part that the old one names, with the exceptions that it takes now."""
        if "$type" in old:
            base: Json = self.catalog.schemas.get(old["$type"])
        else:
            try:
                part = parse_part(old["$use"])
                base = paths.get(self.schemas[part.name, part.version], part.steps)
            except (KeyError, PathError):
                return None
        key = "$type" if "$type" in old else "$use"
        return excepted({key: old[key]}, self.comparer.edits(base, now)) if isinstance(base, dict) else None


def _versions(body: JsonObject) -> Iterator[tuple[str, JsonObject]]:
    return ((str(each["name"]), each) for each in body["spec"]["versions"])


def _schemas(body: JsonObject) -> dict[str, JsonObject]:
    """Return the schemas of a CRD's versions as declarations have them."""
    return {
        name: bare_root(each["schema"]["openAPIV3Schema"])
        for name, each in _versions(body)
        if each.get("schema")
    }


def _columns(body: JsonObject) -> dict[str, object]:
    return {name: frozen(each.get("additionalPrinterColumns")) for name, each in _versions(body)}
