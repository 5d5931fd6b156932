"""Write real schemas as declarations: types named, parts shared, the rest as it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from itertools import islice

from kitgen.crd.declaration import ENVELOPE
from kitgen.crd.format import LineCounter
from kitgen.crd.importer.compare import Comparer, add_exceptions
from kitgen.crd.importer.type_catalog import NEAR, TypeCatalog
from kitgen.crd.schema_edits import Action, SchemaEdit, SchemaPart
from kitgen.kube import schema_paths
from kitgen.text.yaml import JsonObject

MIN_PART = 6
MIN_FOREIGN_PART = 10
"""A part with fewer lines is written out wherever it stands; one of another kind has to be larger."""
MIN_NEAR_PART = 12
ADDABLE = frozenset({"default", "description", "example", "nullable", "title", "x-kubernetes-validations"})
"""Keywords that a schema may add to the type or part that it otherwise is."""
MAX_NEAR_PARTS = 4


class Encoder:
    """Encodes the versions of a component one after the other; later ones may use parts of earlier ones."""

    def __init__(self, catalog: TypeCatalog, *, exact: bool = False) -> None:
        """Take a catalog; `exact` leaves out near matches and shared parts."""
        self.exact = exact
        self.catalog = catalog
        self.interner = catalog.interner
        self.scale = LineCounter()
        self.comparer = Comparer(self.interner, self.encode_standalone, self.scale)
        self._alone: dict[tuple[int, str], JsonObject] = {}
        self._parts: dict[int, tuple[SchemaPart, int]] = {}
        self._journal: list[int] = []
        self._schemas: dict[SchemaPart, JsonObject] = {}

    def encode_version(self, part: SchemaPart, schema: JsonObject) -> JsonObject:
        """Return the declared form of a version's schema."""
        encoded = self._encode_part(schema, part)
        self._register_part(schema, part, encoded, minimum=0)
        return encoded

    def encode_standalone(self, schema: JsonObject, field: str) -> JsonObject:
        """Encode a schema with types only, so that it means the same wherever it stands."""
        if (key := (self.interner.intern(schema), field)) not in self._alone:
            self._alone[key] = self._find_reference(schema, field) or self._select_shortest(
                schema_paths.map_child_schemas(
                    self.comparer.drop_description(schema),
                    lambda steps, below: self.encode_standalone(below, schema_paths.field_of(steps) or field),
                ),
                list(self._encode_near_types(schema, field)),
            )
        return self._alone[key]

    def _encode_part(self, schema: JsonObject, part: SchemaPart) -> JsonObject:
        field = schema_paths.field_of(part.steps)
        if named := self._find_reference(schema, field, part.name):
            return named
        near = [*self._encode_near_types(schema, field), *self._encode_near_parts(schema, part)]
        mark = len(self._journal)
        kept = self.comparer.drop_description(schema)
        literal = schema_paths.map_child_schemas(
            kept, lambda steps, below: self._encode_part(below, part.below(*steps))
        )
        if (best := self._select_shortest(literal, near)) is not literal:
            self._drop_parts(mark)
        self._register_part(schema, part, best, minimum=MIN_PART)
        return best

    def _find_reference(self, schema: JsonObject, field: str, crd: str = "") -> JsonObject | None:
        """Return the type or part that a schema is, with what it adds to it beside the name."""
        candidates: list[tuple[JsonObject, JsonObject]] = [(schema, {})]
        if added := {
            key: value for key, value in self.comparer.drop_description(schema).items() if key in ADDABLE
        }:
            candidates.append(({key: value for key, value in schema.items() if key not in ADDABLE}, added))
        for candidate, beside in candidates:
            number = self.interner.intern(candidate)
            if name := self.catalog.find_exact(number, field):
                return {"$type": name, **beside}
            part, size = self._parts.get(number, (None, 0))
            if part and crd and (part.name == crd or size >= MIN_FOREIGN_PART):
                return {"$use": str(part), **beside}
        return None

    def _select_shortest(self, literal: JsonObject, others: list[JsonObject]) -> JsonObject:
        best = min(others, key=self.scale.count_lines, default=literal)
        return best if self.scale.count_lines(best) < self.scale.count_lines(literal) else literal

    def _encode_near_types(self, schema: JsonObject, field: str) -> Iterator[JsonObject]:
        if self.exact:
            return
        for name in self.catalog.find_nearest(schema, field):
            known = self.catalog.schemas[name]
            edits = self.comparer.compare_schemas(known, schema)
            if _keeps_most_fields(known["properties"].keys(), schema["properties"].keys(), edits):
                yield add_exceptions({"$type": name}, edits)

    def _encode_near_parts(self, schema: JsonObject, part: SchemaPart) -> Iterator[JsonObject]:
        """Yield the schema as an exception of an earlier part at a like place."""
        fields = schema.get("properties")
        if self.exact or not isinstance(fields, dict) or (len(fields) < 3 and part.steps):
            return
        alike = (
            (other, known)
            for other, known in reversed(self._schemas.items())
            if other != part and _is_similar_part(other, part, known, fields)
        )
        for other, known in islice(alike, MAX_NEAR_PARTS):
            yield add_exceptions({"$use": str(other)}, self.comparer.compare_schemas(known, schema))

    def _register_part(
        self, schema: JsonObject, part: SchemaPart, encoded: JsonObject, *, minimum: int
    ) -> None:
        size = self.scale.count_lines(encoded)
        number = self.interner.intern(schema)
        if self.exact:
            return
        if size >= minimum and number not in self._parts:
            self._parts[number] = (part, size)
            self._journal.append(number)
        if size >= max(minimum, MIN_NEAR_PART) and "properties" in schema:
            self._schemas[part] = schema

    def _drop_parts(self, mark: int) -> None:
        """Drop parts inside a schema that was written as an exception after all."""
        for number in self._journal[mark:]:
            part, _ = self._parts.pop(number)
            self._schemas.pop(part, None)
        del self._journal[mark:]


def _keeps_most_fields(known: Set[str], wanted: Set[str], edits: Iterable[SchemaEdit]) -> bool:
    """Return whether exceptions leave most fields of a type, those that every kind has aside."""
    general = ENVELOPE.keys() if {"apiVersion", "kind"} <= known else frozenset()
    replaced = {
        steps[1]
        for edit in edits
        if edit.action is Action.SET
        and len(steps := schema_paths.parse_path(edit.path)) == 2
        and steps[0] == "properties"
    }
    return len((known & wanted) - general - replaced) >= NEAR * len((known | wanted) - general)


def _is_similar_part(other: SchemaPart, part: SchemaPart, known: JsonObject, fields: JsonObject) -> bool:
    """Return whether two places hold much the same fields; roots of one CRD do."""
    if not part.steps or not other.steps:
        return not part.steps and not other.steps and other.name == part.name
    names = known["properties"].keys()
    return len(names & fields.keys()) / len(names | fields.keys()) >= 0.6
