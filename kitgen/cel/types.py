"""The types that CEL expressions see: of schemas, and of variables of admission and devices.

Schemas with CEL rules are found here too, without importing the compiler.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TypeAlias

from msgspec import Struct

from kitgen.cel.parse import KEYWORDS, RESERVED, unescape_name
from kitgen.cel.run.values import GIVEN
from kitgen.findings import Path
from kitgen.text.patterns import compile_late
from kitgen.text.values import map_at, value_at
from kitgen.text.yaml import Json, JsonObject, SharedMapping

WORDS = RESERVED | KEYWORDS
SIGNS = {"__": "__underscores__", ".": "__dot__", "-": "__dash__", "/": "__slash__"}
FORMATS = {"byte": "bytes", "duration": "duration", "date": "timestamp", "date-time": "timestamp"}
SCALARS = {"boolean": "bool", "number": "double", "integer": "int"}
WORD = compile_late(r"[A-Za-z_][A-Za-z0-9_]*")


class CelType(Struct, frozen=True):
    """The type of a value, and which part of the schema says so."""

    kind: str
    """As functions name their arguments; dyn if only an object can tell."""
    item: CelType | None = None
    """What a list, a map or an optional holds."""
    schema: JsonObject | None = None
    whole: bool = False
    where: str = ""
    """The field, from self on; empty for what a rule makes itself."""
    fields: dict[str, CelType] | None = None
    """The fields of an object that no schema has, by name."""
    sure: bool = False
    """Whether a server takes it for dyn too; else it is just not known here."""

    def find_field(self, name: str) -> CelType | None:
        """Return the type of a field by the name that rules have for it; none if they have none."""
        if self.fields is not None:
            return self.fields.get(name)
        key = unescape_name(name)
        if not name or escape_name(key) != name:
            return None
        child = GIVEN[key] if self.whole and key in GIVEN else value_at(self.schema, "properties", key)
        return to_cel_type(child, f"{self.where}.{key}")


BOOL, STRING, INT = CelType("bool"), CelType("string"), CelType("int")
DYN = CelType("dyn")
"""A type that is not known here."""
FREE = CelType("dyn", sure=True)
"""A type that no server knows either, as of all that is in an object of admission."""


@lru_cache(maxsize=4096)
def escape_name(name: str) -> str:
    """Return the name that rules have for a field; empty if they have none."""
    if name in WORDS:
        return f"__{name}__"
    made = re.sub(r"__|[./-]", lambda sign: SIGNS[sign[0]], name)
    return made if WORD.fullmatch(made) else ""


def to_cel_type(schema: Json, where: str, *, whole: bool = False) -> CelType | None:
    """Return the type of a schema; none if rules cannot see such values."""
    if not isinstance(schema, dict):
        return None
    if schema.get("x-kubernetes-int-or-string"):
        return CelType("dyn", schema=schema, where=where, sure=True)
    kind, extra = schema.get("type"), schema.get("additionalProperties")
    whole = whole or bool(schema.get("x-kubernetes-embedded-resource"))
    if kind == "object" and isinstance(extra, dict) and not whole:
        item = to_cel_type(extra, f"{where}{{}}")
        return CelType("map", item, schema, where=where) if item else None
    if kind == "object":
        return CelType("object", None, schema, whole, where)
    if kind == "array":
        item = to_cel_type(schema.get("items"), f"{where}[]")
        return CelType("list", item, schema, where=where) if item else None
    if kind == "string":
        return CelType(FORMATS.get(str(schema.get("format")), "string"), schema=schema, where=where)
    scalar = SCALARS.get(kind) if isinstance(kind, str) else None
    return CelType(scalar, schema=schema, where=where) if scalar else None


TEXTS = CelType("list", STRING)
TIME = CelType("timestamp")
PAIRS = CelType("map", STRING)


def _build_object_type(*texts: str, **fields: CelType) -> CelType:
    return CelType("object", fields={**dict.fromkeys(texts, STRING), **fields})


_KIND = _build_object_type("group", "version", "kind")
_RESOURCE = _build_object_type("group", "version", "resource")
_USER = _build_object_type("username", "uid", groups=TEXTS, extra=CelType("map", TEXTS))
REQUEST = _build_object_type(
    "subResource",
    "requestSubResource",
    "name",
    "namespace",
    "operation",
    kind=_KIND,
    resource=_RESOURCE,
    requestKind=_KIND,
    requestResource=_RESOURCE,
    userInfo=_USER,
    dryRun=BOOL,
    options=FREE,
)
_METADATA = _build_object_type(
    "name",
    "generateName",
    "namespace",
    "UID",
    "resourceVersion",
    labels=PAIRS,
    annotations=PAIRS,
    creationTimestamp=TIME,
    deletionTimestamp=TIME,
    deletionGracePeriodSeconds=INT,
    generation=INT,
    finalizers=TEXTS,
)
_CONDITION = _build_object_type("status", "type", "message", "reason", lastTransitionTime=TIME)
NAMESPACE = _build_object_type(
    metadata=_METADATA,
    spec=_build_object_type(finalizers=TEXTS),
    status=_build_object_type(phase=STRING, conditions=CelType("list", _CONDITION)),
)
NAMES = {"object": FREE, "oldObject": FREE, "request": REQUEST, "namespaceObject": NAMESPACE}
AUTHORIZER = {"authorizer": CelType("authorizer"), "authorizer.requestResource": CelType("resource-check")}
PARAMS = {"params": FREE}
_DOMAINS = {"attributes": FREE, "capacity": CelType("quantity")}
DEVICE = {
    "device": _build_object_type(
        driver=STRING,
        allowMultipleAllocations=BOOL,
        **{name: CelType("map", CelType("map", item)) for name, item in _DOMAINS.items()},
    )
}
STORED = frozenset({"bool", "bytes", "double", "duration", "int", "null", "string", "timestamp", "uint"})


def to_variable_type(found: CelType) -> CelType:
    """Return the type that a variable of a policy has, by that of its expression: others forget some."""
    if found.kind in ("list", "map"):
        return CelType(found.kind, to_variable_type(found.item) if found.item else None)
    if found.kind in STORED or (found.kind == "dyn" and not found.sure):
        return CelType(found.kind)
    return FREE


RULES = "x-kubernetes-validations"


PLAIN = frozenset({"type", "format", "description", "default"})
"""Keywords of schemas that hold no other and no rule."""
RuleSchema: TypeAlias = tuple[Path, JsonObject, bool]
"""The path of a schema with rules, itself, and whether its values can be correlated with old ones."""


def find_rule_schemas(schema: Json) -> Iterator[RuleSchema]:
    """Yield every schema with rules; the types of Kubernetes have none."""
    waiting: list[tuple[Path, Json, bool]] = [((), schema, True)]
    while waiting:
        path, node, correlates = waiting.pop()
        if not isinstance(node, dict) or (isinstance(node, SharedMapping) and node.name):
            continue
        if RULES in node:
            yield path, node, correlates
        granular = correlates and node.get("x-kubernetes-map-type") != "atomic"
        keyed = correlates and node.get("x-kubernetes-list-type") == "map"
        for name, child in map_at(node, "properties").items():
            if isinstance(child, dict) and not PLAIN.issuperset(child):
                waiting.append(((*path, "properties", name), child, granular))
        if "additionalProperties" in node:
            waiting.append(((*path, "additionalProperties"), node["additionalProperties"], granular))
        if "items" in node:
            waiting.append(((*path, "items"), node["items"], keyed))
