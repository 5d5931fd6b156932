"""Find the Kubernetes type that a schema equals, or nearly so, and the minors that real CRDs use."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Sequence
from itertools import islice

from kitgen.crd.schema_edits import build_changed_types
from kitgen.crd.types import TypeNameError, Types, types_of
from kitgen.findings import Origin
from kitgen.kube import schema_paths
from kitgen.kube.schema_interning import Interner
from kitgen.text.patterns import compile_late
from kitgen.text.yaml import JsonObject, SharedMapping

WORDS = compile_late(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
UNSTABLE = compile_late(r"(alpha|beta).*\.[^.]*$")
"""A type whose group is not stable yet; the last dot stands before the kind."""
GROUPS = {"core/v1": 0, "resource": 0, "intstr": 0, "meta/v1": 1}
FEW_FIELDS = 5
MANY_BELOW = 10
"""A type with few fields, and little below them, may be met by chance: more must speak for it."""
COMMON_WORDS = frozenset(
    {"condition", "config", "data", "kind", "list", "ref", "reference", "resource", "rule", "source", "spec",
     "template", "value"}
)  # fmt: skip
"""Words that say too little to tell a type of a group that few CRDs embed by its field."""
NEAR = 0.6
MAX_CANDIDATES = 3


class TypeCatalog:
    """The types of one minor by number, and by the names of their fields."""

    def __init__(self, types: Types, interner: Interner) -> None:
        self.types = types
        self.interner = interner
        self.schemas: dict[str, SharedMapping] = {}
        self.names: dict[int, list[str]] = {}
        """The types by the number of their schema."""
        self._by_field: dict[str, list[str]] = {}
        self._large: dict[str, bool] = {}
        for name in types.list_names():
            if (schema := _find_nameable_schema(types, name)) is None:
                continue
            self.schemas[name] = schema
            self.names.setdefault(interner.intern(schema), []).append(name)
            for field in schema.get("properties", ()):
                self._by_field.setdefault(field, []).append(name)

    def find_exact(self, number: int, field: str) -> str:
        """Return the name of the type that a schema is, or an empty string."""
        if not (names := self.names.get(number)):
            return ""
        best = min(names, key=lambda name: _rank_type(name, field))
        return best if self._is_plausible(best, field) else ""

    def _is_plausible(self, name: str, field: str) -> bool:
        """Return whether a type is likely what the author of a schema had in hand."""
        schema = self.schemas[name]
        if len(schema.get("properties", ())) >= FEW_FIELDS or self._is_large(name):
            return True
        common = _find_common_words(name, field)
        if name.rpartition(".")[0] not in GROUPS:
            return bool(common - COMMON_WORDS) and not UNSTABLE.search(name)
        return any(key.startswith("x-kubernetes-") for key in schema) or bool(common)

    def _is_large(self, name: str) -> bool:
        """Return whether a type has so much below it, however deep, that it is no coincidence."""
        if name not in self._large:
            self._large[name] = (
                len(list(islice(schema_paths.walk_schemas(self.schemas[name]), MANY_BELOW + 1))) > MANY_BELOW
            )
        return self._large[name]

    def find_nearest(self, schema: JsonObject, field: str) -> list[str]:
        """Return the types whose fields are most like those of a schema, best first."""
        if not isinstance(fields := schema.get("properties"), dict) or len(fields) < 2:
            return []
        common = Counter(name for field_ in fields for name in self._by_field.get(field_, ()))
        scored = []
        for name, count in common.items():
            share = count / len(fields.keys() | self.schemas[name]["properties"].keys())
            if share >= NEAR and (count >= FEW_FIELDS or self._is_plausible(name, field)):
                scored.append((-share, _rank_type(name, field), name))
        return [name for *_, name in sorted(scored)[:MAX_CANDIDATES]]


def build_catalog(minor: int, interner: Interner, exceptions: JsonObject | None = None) -> TypeCatalog:
    """Return the types of a minor, changed by the exceptions that hold wherever they stand."""
    if not exceptions:
        return TypeCatalog(types_of(minor), interner)
    types, _ = build_changed_types(exceptions, minor, descriptions=False, origin=Origin(""))
    return TypeCatalog(types, interner)


def select_minors(
    schemas: Sequence[JsonObject], minors: Iterable[int], prefer: int, interner: Interner
) -> list[int]:
    """Return the minors to try: the one whose types leave the least unnamed, and the preferred one.

    Of equals the first is the preferred, then the oldest.
    """
    # A type can only be where its fields are: few have to be expanded in every minor.
    met = {
        frozenset(each.get("properties", ()))
        for schema in schemas
        for _, each in schema_paths.walk_schemas(schema)
    }
    costs = sorted(
        (_count_unmatched_schemas(schemas, types_of(minor), met, interner), minor != prefer, minor)
        for minor in minors
    )
    return [minor for number, (_, other, minor) in enumerate(costs) if not number or not other]


def _find_nameable_schema(types: Types, name: str) -> SharedMapping | None:
    """Return the schema of a type that is worth its name."""
    try:
        schema = types.get_schema(name)
    except TypeNameError:
        return None  # it holds itself, so no CRD can hold it
    # Without any of these, naming it says no more than writing it out.
    return schema if "properties" in schema or "anyOf" in schema else None


def _count_unmatched_schemas(
    schemas: Iterable[JsonObject], types: Types, met: Container[frozenset[str]], interner: Interner
) -> int:
    """Return how much of some schemas is no type of those whose fields were met."""
    fitting = (
        _find_nameable_schema(types, name)
        for name in types.list_names()
        if types.list_field_names(name) in met
    )
    named = {interner.intern(schema) for schema in fitting if schema is not None}
    known: dict[int, int] = {}

    def cost(schema: JsonObject) -> int:
        if (number := interner.intern(schema)) in named:
            return 1
        if number not in known:
            known[number] = 1 + sum(cost(below) for _, below in schema_paths.list_child_schemas(schema))
        return known[number]

    return sum(cost(schema) for schema in schemas)


def _find_common_words(name: str, field: str) -> set[str]:
    """Return the words that a type's name and a field's have in common."""
    kind, other = (
        {word.lower().removesuffix("s") for word in WORDS.findall(text)}
        for text in (name.rpartition(".")[2], field)
    )
    return kind & other


def _rank_type(name: str, field: str) -> tuple[int, int, int, int, str]:
    group, _, kind = name.rpartition(".")
    return (
        -len(_find_common_words(name, field)),
        GROUPS.get(group, 2),
        bool(UNSTABLE.search(name)),
        len(kind),
        name,
    )
