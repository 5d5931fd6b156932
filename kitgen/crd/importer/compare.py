"""List the exceptions that turn one schema into another, and those that a generator always makes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import reduce

from kitgen.crd.format import LineCounter
from kitgen.crd.importer.type_catalog import TypeCatalog
from kitgen.crd.schema_edits import Action, SchemaEdit, apply_edit, build_edit, find_inline_key
from kitgen.crd.types import type_name
from kitgen.kube import schema_paths
from kitgen.kube.schema_interning import Interner, freeze_value
from kitgen.kube.schema_paths import Steps
from kitgen.text.values import value_at
from kitgen.text.yaml import Json, JsonObject

Encode = Callable[[JsonObject, str], JsonObject]


class SchemaDiff:
    """Lists the changes that make one schema of another; where setting a whole part is shorter, it is set."""

    def __init__(self, scale: LineCounter) -> None:
        self.scale = scale

    def is_equal(self, one: Json, other: Json) -> bool:
        """Return whether two schemas mean the same."""
        raise NotImplementedError

    def is_equal_keyword(self, keyword: str, one: Json, other: Json) -> bool:
        """Return whether two values of a keyword mean the same."""
        return self.is_equal(one, other)

    def can_compare_fields(self, old: Json, new: Json) -> bool:
        """Return whether fields are compared one by one."""
        return isinstance(old, dict) and isinstance(new, dict)

    def encode_value(self, value: Json, steps: Steps) -> Json:
        """Return a new value as a change has it."""
        return value

    def compare_nodes(self, old: Json, new: Json, steps: Steps = ()) -> list[SchemaEdit]:
        """Return the changes of a schema, or the one that sets it, whichever is shorter."""
        if self.is_equal(old, new):
            return []
        inside = (
            self.compare_keywords(old, new, steps)
            if isinstance(old, dict) and isinstance(new, dict)
            else None
        )
        whole = [build_edit(Action.SET, steps, self.encode_value(new, steps))]
        return whole if inside is None or self.count_lines(inside) > self.count_lines(whole) else inside

    def compare_keywords(self, old: JsonObject, new: JsonObject, steps: Steps) -> list[SchemaEdit] | None:
        """Return the changes inside a schema that is written out; None if only all of it can be set."""
        found: list[SchemaEdit] = []
        for key in dict.fromkeys((*old, *new)):
            at = (*steps, key)
            if key == "properties" and self.can_compare_fields(old.get(key), new.get(key)):
                found += self._compare_fields(old.get(key) or {}, new[key], at)
            elif key in schema_paths.SIGNS and key in old and key in new:
                found += self.compare_nodes(old[key], new[key], at)
            else:
                found += self.compare_key(old, new, key, at)
        return found

    def _compare_fields(self, old: JsonObject, new: JsonObject, steps: Steps) -> Iterator[SchemaEdit]:
        yield from (build_edit(Action.REMOVE, (*steps, name)) for name in old if name not in new)
        for name, schema in new.items():
            at = (*steps, name)
            yield from (
                self.compare_nodes(old[name], schema, at)
                if name in old
                else self.compare_key(old, new, name, at)
            )

    def compare_key(self, old: JsonObject, new: JsonObject, key: str, at: Steps) -> list[SchemaEdit]:
        """Return the change of one key as a whole."""
        if key not in new:
            return [build_edit(Action.REMOVE, at)]
        if key in old and self.is_equal_keyword(key, old[key], new[key]):
            return []
        return [build_edit(Action.SET if key in old else Action.ADD, at, self.encode_value(new[key], at))]

    def count_lines(self, edits: Iterable[SchemaEdit]) -> int:
        """Return about how many lines changes take."""
        return sum(1 + self.scale.count_lines(edit.value) for edit in edits)


class Comparer(SchemaDiff):
    """Compares schemas; new ones are written with `encode`, which gets a schema and its field's name."""

    def __init__(self, interner: Interner, encode: Encode, scale: LineCounter) -> None:
        super().__init__(scale)
        self.interner = interner
        self.encode = encode

    def compare_schemas(self, base: JsonObject, want: JsonObject) -> list[SchemaEdit]:
        """Return what to set, add and remove in base so that it becomes what is wanted."""
        return self.compare_keywords(base, want, ()) or []

    def compare_keywords(self, old: JsonObject, new: JsonObject, steps: Steps) -> list[SchemaEdit] | None:
        """Return the changes inside a schema."""
        return super().compare_keywords(self.drop_description(old), self.drop_description(new), steps)

    def drop_description(self, schema: JsonObject) -> JsonObject:
        """Return a schema without its description, unless those count."""
        described = self.interner.descriptions
        return {key: value for key, value in schema.items() if described or key != "description"}

    def is_equal(self, one: Json, other: Json) -> bool:
        """Return whether two schemas are equal, or two values in the place of one."""
        if isinstance(one, dict) and isinstance(other, dict):
            return self.interner.intern(one) == self.interner.intern(other)
        return freeze_value(one) == freeze_value(other)

    def is_equal_keyword(self, keyword: str, one: Json, other: Json) -> bool:
        """Return whether two values of a keyword are equal; the order of required fields means nothing."""
        return (
            sorted(one) == sorted(other)
            if keyword == "required"
            else freeze_value(one) == freeze_value(other)
        )

    def encode_value(self, value: Json, steps: Steps) -> Json:
        """Return a new value with the schemas in it encoded."""
        if not isinstance(value, dict) or schema_paths.is_schema(steps):
            return self.encode(value, schema_paths.field_of(steps)) if isinstance(value, dict) else value
        named = steps[-1] == "properties"
        return {name: self.encode(each, name) for name, each in value.items()} if named else value


def add_exceptions(base: JsonObject, edits: Iterable[SchemaEdit]) -> JsonObject:
    """Write a base ($type or $use) with its exceptions; those at its top stand beside it."""
    out = dict(base)
    for edit in edits:
        place = find_inline_key(edit)
        if edit.action is Action.REMOVE:
            out.setdefault(edit.action, []).append(edit.path)
        elif isinstance(place, str):
            out[place] = edit.value
        else:
            key, name = place or (edit.action, edit.path)
            out.setdefault(key, {})[name] = edit.value
    return out


Met = tuple[str, JsonObject]
"""A type, and a schema that stands in its place."""


def learn_exceptions(schemas: Iterable[JsonObject], catalog: TypeCatalog) -> JsonObject:
    """Return exceptions per type that hold in most places where the type is embedded, and in two at least."""
    learner = ExceptionLearner(catalog.interner)
    for schema in schemas:
        for name, node in _find_embedded_types(schema, "", catalog):
            learner.count_types(catalog.schemas[name], node)
    for name in sorted(learner.met):
        learner.learn_type(
            catalog.schemas[name] if name in catalog.schemas else catalog.types.get_schema(name)
        )
    return dict(sorted(learner.learnt.items()))


def _find_embedded_types(schema: JsonObject, field: str, catalog: TypeCatalog) -> Iterator[Met]:
    """Yield the outermost schemas that are, or look like, a type."""
    exact = catalog.find_exact(catalog.interner.intern(schema), field)
    if name := exact or next(iter(catalog.find_nearest(schema, field)), ""):
        yield name, schema
        return
    for steps, below in schema_paths.list_child_schemas(schema):
        yield from _find_embedded_types(below, steps[-1] if len(steps) > 1 else field, catalog)


class ExceptionLearner:
    """What stands in the place of each type, and the exceptions that follow from it."""

    def __init__(self, interner: Interner) -> None:
        self.interner = interner
        self.met: dict[str, Counter[int]] = {}
        """How often each schema stands for a type, by the schema's number."""
        self.learnt: JsonObject = {}
        self._nodes: dict[int, JsonObject] = {}
        self._below: dict[tuple[str, int], list[Met]] = {}
        self._current: dict[str, JsonObject] = {}
        # What a type is changed to is written out: it must mean the same in every declaration.
        self._comparer = Comparer(interner, lambda schema, _: schema, LineCounter())

    def count_types(self, base: JsonObject, node: JsonObject) -> None:
        """Count the types in a schema that stands for one."""
        for name, below in self._find_inner_types(base, node):
            self._count_type(name, below)
        # Who embeds a type may add fields to it and require others; that is nothing a generator does.
        fields, known = node.get("properties", {}), base.get("properties", {})
        if fields.keys() <= known.keys() and sorted(base.get("required") or ()) == sorted(
            node.get("required") or ()
        ):
            self._count_type(type_name(base), node)

    def _count_type(self, name: str, node: JsonObject) -> None:
        number = self.interner.intern(node)
        self._nodes[number] = node
        self.met.setdefault(name, Counter())[number] += 1

    def _find_inner_types(self, base: JsonObject, node: JsonObject) -> list[Met]:
        """Return the types below one, each with what stands in its place."""
        if (key := (type_name(base), self.interner.intern(node))) not in self._below:
            self._below[key] = [
                each
                for below, want in _match_types(base, node)
                for each in ((type_name(below), want), *self._find_inner_types(below, want))
            ]
        return self._below[key]

    def learn_type(self, base: JsonObject) -> JsonObject:
        """Return what a type is with all that was learnt, the types inside it first."""
        if (name := type_name(base)) not in self._current:
            self._current[name] = self._learn_most_common(name, self._rebuild_schema(base))
        return self._current[name]

    def _rebuild_schema(self, schema: JsonObject) -> JsonObject:
        """Return a schema in which every type is what was learnt of it."""
        return schema_paths.map_child_schemas(
            schema,
            lambda _, below: self.learn_type(below) if type_name(below) else self._rebuild_schema(below),
        )

    def _learn_most_common(self, name: str, base: JsonObject) -> JsonObject:
        """Return what most often stands for a type, and keep the exceptions that it takes."""
        own = self.interner.intern(base)
        seen = self.met.get(name, Counter())
        common, count = min(seen.items(), key=lambda item: (-item[1], item[0] != own), default=(own, 0))
        if count > 1 and common != own and 2 * count >= seen.total():
            node = self._nodes[common]
            self.learnt[name] = add_exceptions({}, self._comparer.compare_schemas(base, node))
            return node
        return self._learn_top_level(name, base, seen)

    def _learn_top_level(self, name: str, base: JsonObject, seen: Counter[int]) -> JsonObject:
        """Learn what most places have in common at the top of a type, when they differ further down."""
        votes: Counter[object] = Counter()
        ways: dict[object, list[SchemaEdit]] = {}
        for number, count in seen.items():
            edits = [
                edit
                for edit in self._comparer.compare_schemas(base, self._nodes[number])
                if _is_top_level(edit)
            ]
            way = freeze_value([[edit.action, edit.path, edit.value] for edit in edits])
            votes[way] += count
            ways[way] = edits
        best = min(votes, key=lambda way: (-votes[way], len(ways[way])), default=None)
        if best is None or not ways[best] or votes[best] < 2:
            return base
        self.learnt[name] = add_exceptions({}, ways[best])
        return reduce(apply_edit, ways[best], base)


def _is_top_level(edit: SchemaEdit) -> bool:
    """Return whether an exception is about a keyword or a field of the type itself, not what is below."""
    steps = schema_paths.parse_path(edit.path)
    return len(steps) == 1 or (edit.action is Action.REMOVE and len(steps) == 2 and steps[0] == "properties")


def _match_types(base: JsonObject, node: JsonObject) -> Iterator[tuple[JsonObject, JsonObject]]:
    """Yield the nearest types below a base, each with what stands in its place."""
    for steps, below in schema_paths.list_child_schemas(base):
        if isinstance(want := value_at(node, *steps), dict) and not type_name(below):
            yield from _match_types(below, want)
        elif isinstance(want, dict) and (
            ("properties" in below) == ("properties" in want) or want.get("type") == "object"
        ):
            yield below, want
