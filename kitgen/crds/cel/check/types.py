"""The types that CEL rules see of a schema."""

from __future__ import annotations

import re
from functools import lru_cache

from msgspec import Struct

from kitgen.crds.cel.parse import KEYWORDS, RESERVED, unescaped
from kitgen.crds.cel.run.values import GIVEN
from kitgen.yamlio import Json, JsonObject

WORDS = RESERVED | KEYWORDS
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
    fields: dict[str, Typed] | None = None
    """The fields of an object that no schema has, by name."""
    sure: bool = False
    """Whether a server takes it for dyn too; else it is just not known here."""

    def field(self, name: str) -> Typed | None:
        """Return the type of a field by the name that rules have for it; none if they have none."""
        if self.fields is not None:
            return self.fields.get(name)
        given = (self.schema or {}).get("properties")
        fields = given if isinstance(given, dict) else {}
        key = unescaped(name)
        if not name or escaped(key) != name:
            return None
        child = GIVEN[key] if self.whole and key in GIVEN else fields.get(key)
        return declared(child, f"{self.where}.{key}")


BOOL, STRING, INT = Typed("bool"), Typed("string"), Typed("int")
DYN = Typed("dyn")
"""A type that is not known here."""
FREE = Typed("dyn", sure=True)
"""A type that no server knows either, as of all that is in an object of admission."""


@lru_cache(maxsize=4096)
def escaped(name: str) -> str:
    """Return the name that rules have for a field; empty if they have none."""
    if name in WORDS:
        return f"__{name}__"
    made = re.sub(r"__|[./-]", lambda sign: SIGNS[sign[0]], name)
    return made if WORD.fullmatch(made) else ""


def declared(schema: Json, where: str, *, whole: bool = False) -> Typed | None:
    """Return the type of a schema; none if rules cannot see such values."""
    if not isinstance(schema, dict):
        return None
    if schema.get("x-kubernetes-int-or-string"):
        return Typed("dyn", schema=schema, where=where, sure=True)
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
