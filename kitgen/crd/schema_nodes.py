"""Schemas without descriptions, interned so that equal ones are identical.

A comparison can skip identical nodes at once, and the same change in many places is known to be one.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from functools import cached_property
from hashlib import sha256

from msgspec import Struct

from kitgen.crd.outline_fields import INT_OR_STRING, PROSE, to_compact_json
from kitgen.crd.types import type_name
from kitgen.kube import schema_paths
from kitgen.kube.schema_interning import freeze_value
from kitgen.text.yaml import Json, JsonObject, SharedMapping

CHILDREN = frozenset({"properties", "items", "additionalProperties", "required"})
COUNTS = frozenset({"minLength", "minItems", "minProperties"})
PLAIN = (str, int, float, bool)


class SchemaNode(Struct, frozen=True, eq=False, dict=True):
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

    @cached_property
    def digest(self) -> str:
        """Return what is equal exactly for equal schemas, in every run."""
        below = [[key, child.digest] for key, child in self.properties.items()]
        ends = [child and child.digest for child in (self.items, self.values)]
        text = to_compact_json([self.facts, sorted(self.required), below, ends, self.open, self.name])
        return sha256(text.encode()).hexdigest()

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
    def keeps_unknown_fields(self) -> bool:
        """Return whether fields that it does not name are kept."""
        return bool(self.facts.get("x-kubernetes-preserve-unknown-fields"))

    def list_types(self) -> Iterator[SchemaNode]:
        """Yield the Kubernetes types below this node, not those inside another one."""
        if self.name:
            yield self
            return
        for child in (*self.properties.values(), self.items, self.values):
            if child:
                yield from child.list_types()


class Nodes:
    """Makes nodes, each only once."""

    def __init__(self) -> None:
        self._known: dict[Hashable, SchemaNode] = {}
        self._shared: dict[int, tuple[SharedMapping, SchemaNode]] = {}
        self._leaves: dict[Hashable, SchemaNode] = {}

    def build_node(self, schema: Json) -> SchemaNode:
        """Return the node of a schema."""
        if not isinstance(schema, SharedMapping):
            return self._build_leaf(schema) if isinstance(schema, dict) else self._create_node({})
        if id(schema) not in self._shared:
            self._shared[id(schema)] = (schema, self._create_node(schema))
        return self._shared[id(schema)][1]

    def _build_leaf(self, schema: JsonObject) -> SchemaNode:
        """Return the node of a schema; most have nothing but a few words, which many others have too."""
        said = [(key, value) for key, value in schema.items() if key not in PROSE]
        if not all(isinstance(value, PLAIN) for _, value in said):
            return self._create_node(schema)
        if (words := tuple((key, type(value), value) for key, value in said)) not in self._leaves:
            self._leaves[words] = self._create_node(schema)
        return self._leaves[words]

    def _create_node(self, schema: JsonObject) -> SchemaNode:
        extra = schema.get("additionalProperties")
        properties = {
            name: self.build_node(child) for name, child in sorted((schema.get("properties") or {}).items())
        }
        items = self.build_node(schema["items"]) if "items" in schema else None
        values = self.build_node(extra) if isinstance(extra, dict) else None
        facts = _collect_facts(schema)
        required = frozenset(map(str, schema.get("required") or ()))
        name = type_name(schema)
        # What is below was made only once, so it is the same where it is equal.
        below = (*properties.items(), items, values, extra is True)
        if (key := (freeze_value(facts), required, name, below)) not in self._known:
            self._known[key] = SchemaNode(facts, required, properties, items, values, extra is True, name)
        return self._known[key]


def _collect_facts(schema: JsonObject) -> JsonObject:
    facts = {
        key: _strip_keyword_prose(key, value)
        for key, value in schema.items()
        if _is_significant_keyword(key, value)
    }
    flexible = facts.get("x-kubernetes-int-or-string")
    known = {"type", *(["anyOf"] if facts.get("anyOf") == INT_OR_STRING else [])} if flexible else set()
    return {key: value for key, value in facts.items() if key not in known}


def _is_significant_keyword(key: str, value: Json) -> bool:
    empty = value is None or value is False or value in ([], {}) or (key in COUNTS and value == 0)
    return key == "default" or not (key in PROSE or key in CHILDREN or empty)


def _strip_keyword_prose(key: str, value: Json) -> Json:
    """Return the schemas of an alternative without prose, and any other value as it is."""
    if key in schema_paths.JUNCTORS and isinstance(value, list):
        return [_strip_prose(item) for item in value]
    return _strip_prose(value) if key == "not" else value


def _strip_prose(schema: Json) -> Json:
    if not isinstance(schema, dict):
        return schema
    bare = {key: _strip_keyword_prose(key, value) for key, value in schema.items() if key not in PROSE}
    return schema_paths.map_child_schemas(bare, lambda _, child: _strip_prose(child))
