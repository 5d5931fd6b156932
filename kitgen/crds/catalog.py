"""Find the Kubernetes type that a schema is, or nearly is."""

from __future__ import annotations

import re
from collections import Counter

from kitgen.crds import paths
from kitgen.crds.intern import Interner
from kitgen.crds.types import TypeNameError, Types
from kitgen.yamlio import JsonObject, Shared

WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
GROUPS = {"core/v1": 0, "resource": 0, "intstr": 0, "meta/v1": 1}
FEW_FIELDS = 5
MANY_BELOW = 10
"""A type with few fields, and little below them, may be met by chance: more must speak for it."""
NEAR = 0.6
MAX_CANDIDATES = 3


class Catalog:
    """The types of one minor by number, and by the names of their fields."""

    def __init__(self, types: Types, interner: Interner) -> None:
        self.types = types
        self.interner = interner
        self.schemas: dict[str, Shared] = {}
        self._names: dict[int, list[str]] = {}
        self._by_field: dict[str, list[str]] = {}
        for name in types.names():
            try:
                schema = types.schema(name)
            except TypeNameError:
                continue  # it holds itself, so no CRD can hold it
            if not _worth(schema):
                continue
            self.schemas[name] = schema
            self._names.setdefault(interner.number(schema), []).append(name)
            for field in schema.get("properties", ()):
                self._by_field.setdefault(field, []).append(name)

    def exact(self, number: int, field: str) -> str:
        """Return the name of the type that a schema is, or an empty string."""
        names = self._names.get(number)
        if not names:
            return ""
        best = min(names, key=lambda name: _rank(name, field))
        return best if self._meant(best, field) else ""

    def _meant(self, name: str, field: str) -> bool:
        """Tell whether a type is likely what the author of a schema had in hand."""
        schema = self.schemas[name]
        if len(schema.get("properties", ())) >= FEW_FIELDS or _below(schema) >= MANY_BELOW:
            return True
        if name.rpartition(".")[0] not in GROUPS:
            return False
        return any(key.startswith("x-kubernetes-") for key in schema) or _alike(name, field)

    def covers(self, number: int) -> bool:
        """Tell whether a schema of this number is some type."""
        return number in self._names

    def nearest(self, schema: JsonObject, field: str) -> list[str]:
        """Return the types whose fields are most like those of a schema, best first."""
        fields = schema.get("properties")
        if not isinstance(fields, dict) or len(fields) < 2:
            return []
        common = Counter(name for field_ in fields for name in self._by_field.get(field_, ()))
        scored = []
        for name, count in common.items():
            known = self.schemas[name]["properties"]
            share = count / len(fields.keys() | known.keys())
            if share >= NEAR and (count >= FEW_FIELDS or self._meant(name, field)):
                scored.append((-share, _rank(name, field), name))
        return [name for *_, name in sorted(scored)[:MAX_CANDIDATES]]


def _below(schema: JsonObject) -> int:
    """Return how many schemas stand two levels below one, which is enough to tell much from little."""
    return sum(
        len(list(paths.children(below))) + len(below.get("items", {}).get("properties", ()))
        for _, below in paths.children(schema)
    )


def _worth(schema: JsonObject) -> bool:
    """Tell whether naming a type says more than writing it out."""
    return "properties" in schema or "anyOf" in schema


def _alike(name: str, field: str) -> bool:
    """Tell whether a type's name and a field's have a word in common."""
    kind = name.rpartition(".")[2]
    return bool(set(_words(kind)) & set(_words(field)))


def _words(text: str) -> list[str]:
    return [word.lower().removesuffix("s") for word in WORDS.findall(text)]


def _rank(name: str, field: str) -> tuple[int, int, int, int, str]:
    group, _, kind = name.rpartition(".")
    words = _words(kind)
    common = len(set(words) & set(_words(field)))
    beta = "alpha" in group or "beta" in group
    return (-common, GROUPS.get(group, 2), int(beta), len(kind), name)
