"""Schemas without descriptions, interned so that equal ones are identical.

A comparison can skip identical nodes at once, and the same change in many places is known to be one.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from hashlib import sha256

from msgspec import Struct

from kitgen.crd.outline_fields import INT_OR_STRING, PROSE, compact
from kitgen.crd.types import type_name
from kitgen.kube import schema_paths
from kitgen.text.yaml import Json, JsonObject, SharedMapping

CHILDREN = frozenset({"properties", "items", "additionalProperties", "required"})
COUNTS = frozenset({"minLength", "minItems", "minProperties"})
PLAIN = (str, int, float, bool)


class SchemaNode(Struct, frozen=True, eq=False):
    """One schema: its own keywords, and the nodes below it."""

    facts: JsonObject
    required: frozenset[str]
    properties: dict[str, SchemaNode]
    items: SchemaNode | None
    values: SchemaNode | None
    """What a map holds."""
    open: bool
    """Whether it is a map of anything."""
    name: str
    """The Kubernetes type that it is, or nothing."""
    digest: str
    """Equal exactly for equal schemas."""

    @property
    def kind(self) -> str:
        """Return the type as far as it can be compared."""
        if self.facts.get("x-kubernetes-int-or-string"):
            return "int-or-string"
        kind = str(self.facts.get("type", "any"))
        return "map" if kind == "object" and (self.values or self.open) else kind

    @property
    def label(self) -> str:
        """Return the type as a reader would say it."""
        if self.name:
            return self.name
        if self.kind == "array":
            return f"[]{self.items.label if self.items else 'any'}"
        if self.kind == "map":
            return f"map[string]{self.values.label if self.values else 'any'}"
        return self.kind

    @property
    def keeps_unknown(self) -> bool:
        """Return whether fields that it does not name are kept."""
        return bool(self.facts.get("x-kubernetes-preserve-unknown-fields"))

    def named(self) -> Iterator[SchemaNode]:
        """Yield the Kubernetes types below this node, not those inside another one."""
        if self.name:
            yield self
            return
        for child in (*self.properties.values(), self.items, self.values):
            if child:
                yield from child.named()


class Nodes:
    """Makes nodes, each only once."""

    def __init__(self) -> None:
        self._known: dict[str, SchemaNode] = {}
        self._shared: dict[int, tuple[SharedMapping, SchemaNode]] = {}
        self._leaves: dict[Hashable, SchemaNode] = {}

    def node(self, schema: Json) -> SchemaNode:
        """Return the node of a schema."""
        if not isinstance(schema, SharedMapping):
            return self._leaf(schema) if isinstance(schema, dict) else self._make({})
        if id(schema) not in self._shared:
            self._shared[id(schema)] = (schema, self._make(schema))
        return self._shared[id(schema)][1]

    def _leaf(self, schema: JsonObject) -> SchemaNode:
        """Return the node of a schema; most have nothing but a few words, which many others have too."""
        said = [(key, value) for key, value in schema.items() if key not in PROSE]
        if not all(isinstance(value, PLAIN) for _, value in said):
            return self._make(schema)
        if (words := tuple((key, type(value), value) for key, value in said)) not in self._leaves:
            self._leaves[words] = self._make(schema)
        return self._leaves[words]

    def _make(self, schema: JsonObject) -> SchemaNode:
        extra = schema.get("additionalProperties")
        properties = {
            name: self.node(child) for name, child in sorted((schema.get("properties") or {}).items())
        }
        items = self.node(schema["items"]) if "items" in schema else None
        values = self.node(extra) if isinstance(extra, dict) else None
        facts = _facts(schema)
        required = frozenset(map(str, schema.get("required") or ()))
        name = type_name(schema)
        below = [[key, child.digest] for key, child in properties.items()]
        ends = [child and child.digest for child in (items, values)]
        text = compact([facts, sorted(required), below, ends, extra is True, name])
        if (digest := sha256(text.encode()).hexdigest()) not in self._known:
            self._known[digest] = SchemaNode(
                facts, required, properties, items, values, extra is True, name, digest
            )
        return self._known[digest]


def _facts(schema: JsonObject) -> JsonObject:
    facts = {key: _bare(key, value) for key, value in schema.items() if _says_something(key, value)}
    flexible = facts.get("x-kubernetes-int-or-string")
    known = {"type", *(["anyOf"] if facts.get("anyOf") == INT_OR_STRING else [])} if flexible else set()
    return {key: value for key, value in facts.items() if key not in known}


def _says_something(key: str, value: Json) -> bool:
    empty = value is None or value is False or value in ([], {}) or (key in COUNTS and value == 0)
    return key == "default" or not (key in PROSE or key in CHILDREN or empty)


def _bare(key: str, value: Json) -> Json:
    """Return the schemas of an alternative without prose, and any other value as it is."""
    if key in schema_paths.JUNCTORS and isinstance(value, list):
        return [_without_prose(item) for item in value]
    return _without_prose(value) if key == "not" else value


def _without_prose(schema: Json) -> Json:
    if not isinstance(schema, dict):
        return schema
    bare = {key: _bare(key, value) for key, value in schema.items() if key not in PROSE}
    return schema_paths.mapped(bare, lambda _, child: _without_prose(child))
