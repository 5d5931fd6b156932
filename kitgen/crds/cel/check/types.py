"""The types that CEL rules see of a schema."""

from __future__ import annotations

import re
from functools import lru_cache

from msgspec import Struct

from kitgen.crds.cel.run.values import GIVEN
from kitgen.yamlio import Json, JsonObject

RESERVED = frozenset(
    {
        "true", "false", "null", "in", "as", "break", "const", "continue", "else", "for", "function", "if",
        "import", "let", "loop", "package", "namespace", "return", "var", "void", "while",
    }
)  # fmt: skip
SIGNS = {"__": "__underscores__", ".": "__dot__", "-": "__dash__", "/": "__slash__"}
FORMATS = {"byte": "bytes", "duration": "duration", "date": "timestamp", "date-time": "timestamp"}
SCALARS = {"boolean": "bool", "number": "double", "integer": "int"}
WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class Typed(Struct, frozen=True):
    """The type of a value, and which part of the schema says so."""

    kind: str
    """As functions name their arguments; dyn if only an object can tell."""
    item: Typed | None = None
    """What a list, a map or an optional holds."""
    schema: JsonObject | None = None
    whole: bool = False
    where: str = ""
    """The field, from self on; empty for what a rule makes itself."""

    def field(self, name: str) -> Typed | None:
        """Return the type of a field by the name that rules have for it; none if they have none."""
        given = (self.schema or {}).get("properties")
        fields = dict(given) if isinstance(given, dict) else {}
        if self.whole:
            fields.update(GIVEN)
        known = {escaped(key): (key, child) for key, child in fields.items()}
        if name not in known or not name:
            return None
        key, child = known[name]
        return declared(child, f"{self.where}.{key}")


DYN = Typed("dyn")


@lru_cache(maxsize=4096)
def escaped(name: str) -> str:
    """Return the name that rules have for a field; empty if they have none."""
    if name in RESERVED:
        return f"__{name}__"
    made = re.sub(r"__|[./-]", lambda sign: SIGNS[sign[0]], name)
    return made if WORD.fullmatch(made) else ""


def declared(schema: Json, where: str, *, whole: bool = False) -> Typed | None:
    """Return the type of a schema; none if rules cannot see such values."""
    if not isinstance(schema, dict):
        return None
    if schema.get("x-kubernetes-int-or-string"):
        return Typed("dyn", schema=schema, where=where)
    kind, extra = schema.get("type"), schema.get("additionalProperties")
    whole = whole or bool(schema.get("x-kubernetes-embedded-resource"))
    if kind == "object" and isinstance(extra, dict) and not whole:
        item = declared(extra, f"{where}{{}}")
        return Typed("map", item, schema, where=where) if item else None
    if kind == "object":
        return Typed("object", None, schema, whole, where)
    if kind == "array":
        item = declared(schema.get("items"), f"{where}[]")
        return Typed("list", item, schema, where=where) if item else None
    if kind == "string":
        return Typed(FORMATS.get(str(schema.get("format")), "string"), schema=schema, where=where)
    scalar = SCALARS.get(kind) if isinstance(kind, str) else None
    return Typed(scalar, schema=schema, where=where) if scalar else None
