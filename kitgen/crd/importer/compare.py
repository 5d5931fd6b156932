"""List the exceptions that make one schema of another.

Learn from real CRDs how their generator writes Kubernetes' types, where it differs everywhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from kitgen.crd.format import Scale
from kitgen.crd.importer.type_catalog import TypeCatalog
from kitgen.crd.schema_edits import Action, SchemaEdit, apply
from kitgen.crd.types import type_name
from kitgen.kube import schema_paths
from kitgen.kube.schema_interning import Interner, frozen
from kitgen.kube.schema_paths import Steps
from kitgen.text.yaml import Json, JsonObject

Encode = Callable[[JsonObject, str], JsonObject]


class Comparer:
    """Compares schemas; new ones are written with `encode`, which gets a schema and its field's name."""

    def __init__(self, interner: Interner, encode: Encode, scale: Scale) -> None:
        self.interner = interner
        self.encode = encode
        self.scale = scale

    def edits(self, base: JsonObject, want: JsonObject, steps: Steps = ()) -> list[SchemaEdit]:
        """Return what to set, add and remove in base so that it becomes what is wanted."""
        found: list[SchemaEdit] = []
        for keyword in (*base, *(key for key in want if key not in base)):
            if keyword == "description" and not self.interner.descriptions:
                continue
            at = (*steps, keyword)
            if keyword not in want:
                found.append(_edit(Action.REMOVE, at))
            elif keyword not in base:
                found.append(_edit(Action.ADD, at, self._value(keyword, want[keyword], steps)))
            elif keyword == "properties":
                found += self._fields(base[keyword], want[keyword], at)
            elif (
                keyword in schema_paths.SIGNS
                and isinstance(base[keyword], dict)
                and isinstance(want[keyword], dict)
            ):
                found += self._below(base[keyword], want[keyword], at)
            elif not same(keyword, base[keyword], want[keyword]):
                found.append(_edit(Action.SET, at, self._value(keyword, want[keyword], steps)))
        return found

    def _fields(self, base: JsonObject, want: JsonObject, steps: Steps) -> list[SchemaEdit]:
        found = [_edit(Action.REMOVE, (*steps, name)) for name in base if name not in want]
        for name, schema in want.items():
            if name in base:
                found += self._below(base[name], schema, (*steps, name))
            else:
                found.append(_edit(Action.ADD, (*steps, name), self.encode(schema, name)))
        return found

    def _below(self, base: JsonObject, want: JsonObject, steps: Steps) -> list[SchemaEdit]:
        """Return the exceptions inside one schema, or one that sets it, whichever is shorter."""
        if self.interner.number(base) == self.interner.number(want):
            return []
        inside = self.edits(base, want, steps)
        whole = _edit(Action.SET, steps, self.encode(want, schema_paths.field_of(steps)))
        return inside if self.weight(inside) <= self.weight([whole]) else [whole]

    def weight(self, edits: Iterable[SchemaEdit]) -> int:
        """Return about how many lines exceptions take."""
        return sum(1 + self.scale.lines(edit.value) for edit in edits)

    def _value(self, keyword: str, value: Json, steps: Steps) -> Json:
        """Return the value of a keyword with the schemas in it encoded."""
        encoded = schema_paths.mapped(
            {keyword: value},
            lambda below, schema: self.encode(schema, schema_paths.field_of((*steps, *below))),
        )
        return encoded[keyword]


def same(keyword: str, one: Json, other: Json) -> bool:
    """Tell whether two values of a keyword mean the same; the order of required fields means nothing."""
    if keyword == "required":
        return sorted(one) == sorted(other)
    return frozen(one) == frozen(other)


def _edit(action: Action, steps: Steps, value: Json = None) -> SchemaEdit:
    return SchemaEdit(action=action, path=schema_paths.write(steps), value=value)


def excepted(base: JsonObject, edits: Iterable[SchemaEdit]) -> JsonObject:
    """Write a base ($type or $use) with its exceptions; those at its top stand beside it."""
    out = dict(base)
    for edit in edits:
        steps = schema_paths.parse(edit.path)
        if edit.action is Action.REMOVE:
            out.setdefault(edit.action, []).append(edit.path)
        elif len(steps) == 1 and steps[0] not in ("properties", *schema_paths.SIGNS):
            out[steps[0]] = edit.value
        elif len(steps) == 2 and steps[0] == "properties" and edit.action is Action.ADD:
            out.setdefault("properties", {})[steps[1]] = edit.value
        else:
            out.setdefault(edit.action, {})[edit.path] = edit.value
    return out


Met = tuple[str, JsonObject]
"""A type, and a schema that stands in its place."""


def learn_exceptions(schemas: Iterable[JsonObject], catalog: TypeCatalog) -> JsonObject:
    """Return exceptions per type that hold in most places where the type is embedded, and in two at least."""
    learner = Learner(catalog.interner)
    for schema in schemas:
        for name, node in _embedded(schema, "", catalog):
            learner.meet(catalog.schemas[name], node)
    for name in sorted(learner.met):
        learner.current(catalog.schemas[name] if name in catalog.schemas else catalog.types.schema(name))
    return dict(sorted(learner.learnt.items()))


def _embedded(schema: JsonObject, field: str, catalog: TypeCatalog) -> Iterator[Met]:
    """Yield the outermost schemas that are, or look like, a type."""
    name = catalog.exact(catalog.interner.number(schema), field)
    if not name:
        name = next(iter(catalog.nearest(schema, field)), "")
    if name:
        yield name, schema
        return
    for steps, below in schema_paths.children(schema):
        yield from _embedded(below, steps[-1] if len(steps) > 1 else field, catalog)


class Learner:
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
        self._comparer = Comparer(interner, lambda schema, _: schema, Scale())

    def meet(self, base: JsonObject, node: JsonObject) -> None:
        """Count the types in a schema that stands for one."""
        for name, below in self._inside(base, node):
            self._count(name, below)
        # Who embeds a type may add fields to it and require others; that is nothing a generator does.
        fields, known = node.get("properties", {}), base.get("properties", {})
        if fields.keys() <= known.keys() and _required(base) == _required(node):
            self._count(type_name(base), node)

    def _count(self, name: str, node: JsonObject) -> None:
        number = self.interner.number(node)
        self._nodes[number] = node
        self.met.setdefault(name, Counter())[number] += 1

    def _inside(self, base: JsonObject, node: JsonObject) -> list[Met]:
        """Return the types below one, each with what stands in its place."""
        key = (type_name(base), self.interner.number(node))
        if key not in self._below:
            found = list(_pairs(base, node))
            self._below[key] = [
                each
                for below, want in found
                for each in ((type_name(below), want), *self._inside(below, want))
            ]
        return self._below[key]

    def current(self, base: JsonObject) -> JsonObject:
        """Return what a type is with all that was learnt, the types inside it first."""
        name = type_name(base)
        if name not in self._current:
            self._current[name] = self._learn(name, self._rebuilt(base))
        return self._current[name]

    def _rebuilt(self, schema: JsonObject) -> JsonObject:
        """Return a schema in which every type is what was learnt of it."""
        return schema_paths.mapped(
            schema, lambda _, below: self.current(below) if type_name(below) else self._rebuilt(below)
        )

    def _learn(self, name: str, base: JsonObject) -> JsonObject:
        """Return what most often stands for a type, and keep the exceptions that it takes."""
        own = self.interner.number(base)
        seen = self.met.get(name, Counter())
        common, count = min(seen.items(), key=lambda item: (-item[1], item[0] != own), default=(own, 0))
        if count > 1 and common != own and 2 * count >= seen.total():
            node = self._nodes[common]
            self.learnt[name] = excepted({}, self._comparer.edits(base, node))
            return node
        return self._learn_top(name, base, seen)

    def _learn_top(self, name: str, base: JsonObject, seen: Counter[int]) -> JsonObject:
        """Learn what most places have in common at the top of a type, when they differ further down."""
        votes: Counter[object] = Counter()
        ways: dict[object, list[SchemaEdit]] = {}
        for number, count in seen.items():
            edits = [edit for edit in self._comparer.edits(base, self._nodes[number]) if _at_top(edit)]
            way = frozen([[edit.action, edit.path, edit.value] for edit in edits])
            votes[way] += count
            ways[way] = edits
        best = min(votes, key=lambda way: (-votes[way], len(ways[way])), default=None)
        if best is None or not ways[best] or votes[best] < 2:
            return base
        self.learnt[name] = excepted({}, ways[best])
        for edit in ways[best]:
            base = apply(base, edit)
        return base


def _at_top(edit: SchemaEdit) -> bool:
    """Tell whether an exception is about a keyword or a field of the type itself, not what is below."""
    steps = schema_paths.parse(edit.path)
    return len(steps) == 1 or (edit.action is Action.REMOVE and len(steps) == 2 and steps[0] == "properties")


def _required(schema: JsonObject) -> list[Json]:
    return sorted(schema.get("required") or ())


def _pairs(base: JsonObject, node: JsonObject) -> Iterator[tuple[JsonObject, JsonObject]]:
    """Yield the nearest types below a base, each with what stands in its place."""
    for steps, below in schema_paths.children(base):
        try:
            want = schema_paths.get(node, steps)
        except KeyError:
            continue
        if not isinstance(want, dict):
            continue
        if not type_name(below):
            yield from _pairs(below, want)
        elif ("properties" in below) == ("properties" in want) or want.get("type") == "object":
            yield below, want
