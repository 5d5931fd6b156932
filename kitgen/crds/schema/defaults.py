"""Tell whether a default fits the schema that it stands in."""

from __future__ import annotations

from kitgen.crds.schema.paths import JUNCTORS
from kitgen.findings import pointer
from kitgen.schema.shape import Shape
from kitgen.yamlio import Json, JsonObject

COPIED = frozenset(
    {
        "enum", "exclusiveMaximum", "exclusiveMinimum", "maxItems", "maxLength", "maxProperties", "maximum",
        "minItems", "minLength", "minProperties", "minimum", "multipleOf", "pattern", "required",
    }
)  # fmt: skip
PLAIN = {"boolean": bool, "integer": int, "string": str}
UNBOUNDED = frozenset({"default", "description", "format", "type"})
"""Keywords that say no more of a value than its type."""
LONG = 2**63


def wrong_default(schema: JsonObject) -> str:
    """Return what is wrong with the default of a schema, or an empty string."""
    import jsonschema_rs

    value, type_ = schema["default"], schema.get("type")
    if type_ == "integer" and isinstance(value, int | float) and not -LONG <= value < LONG:
        return "found a number that has more than 64 bits"
    if UNBOUNDED.issuperset(schema) and isinstance(type_, str) and type(value) is PLAIN.get(type_):
        return ""  # as most are
    if value is None:
        return "" if schema.get("nullable") is True else "found null, and the schema is not nullable"
    try:
        shape = Shape(json_schema(schema), name="default")
    except (jsonschema_rs.ValidationError, ValueError):
        return ""  # a pattern that only Go's regular expressions know: not this check's business
    for wrong in shape.violations(value):
        return wrong.message + (f" at {pointer(wrong.path)}" if wrong.path else "")
    return ""


def json_schema(schema: Json) -> Json:
    """Return a structural schema as plain JSON Schema, in which unknown fields are refused."""
    if not isinstance(schema, dict):
        return schema
    out: JsonObject = {
        key: value
        for key, value in schema.items()
        if key in COPIED and value is not None and not (key == "enum" and value == [])  # no choice is none
    }
    for keyword in ("exclusiveMaximum", "exclusiveMinimum"):
        bound = keyword.replace("exclusiveM", "m")
        if out.pop(keyword, False) is True and bound in out:
            out[keyword] = out.pop(bound)
    if "type" in schema:
        out["type"] = [schema["type"], "null"] if schema.get("nullable") else schema["type"]
    elif schema.get("x-kubernetes-int-or-string"):
        out["type"] = ["integer", "string", *(["null"] if schema.get("nullable") else [])]
    if isinstance(schema.get("properties"), dict):
        out["properties"] = {name: json_schema(below) for name, below in schema["properties"].items()}
        if "type" in schema and not schema.get("x-kubernetes-preserve-unknown-fields"):
            out["additionalProperties"] = False
        if schema.get("x-kubernetes-embedded-resource"):
            out["properties"] |= dict.fromkeys(("apiVersion", "kind", "metadata"), True)
        # A field below that has a default of its own is filled in before the check.
        filled = {name for name, below in schema["properties"].items() if "default" in below}
        out["required"] = [name for name in schema.get("required", ()) if name not in filled]
    for keyword in ("items", "additionalProperties", "not"):
        if keyword in schema:
            out[keyword] = json_schema(schema[keyword])
    for keyword in JUNCTORS:
        if isinstance(schema.get(keyword), list):
            out[keyword] = [json_schema(below) for below in schema[keyword]]
    return out
