"""Objects of kinds that Kubernetes does not define: from the kit's CRDs, or from kitgen's own schemas."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from kitgen import schemafiles
from kitgen.check.catalog import Kind
from kitgen.shape import Shape
from kitgen.yamlio import Json, JsonObject

KEPT = (
    *("enum", "pattern", "required", "title", "uniqueItems"),
    *(
        "maxItems",
        "maxLength",
        "maxProperties",
        "maximum",
        "minItems",
        "minLength",
        "minProperties",
        "minimum",
    ),
    "multipleOf",
)


@cache
def shipped(kind: Kind) -> Shape | None:
    """Return kitgen's own schema of a kind, if it has one."""
    name = f"kinds/{kind.group}/{kind.kind.lower()}_{kind.version}"
    # Names are compared, never opened: group and kind may come from a stranger.
    if name not in schemafiles.names():
        return None
    return Shape(schemafiles.schema(name), name=name, noun="field")


def declared(crds: Iterable[JsonObject]) -> dict[tuple[str, str], JsonObject]:
    """Return CRDs by the group and kind that they declare; the first one counts."""
    found: dict[tuple[str, str], JsonObject] = {}
    for body in crds:
        spec = body.get("spec")
        names = spec.get("names") if isinstance(spec, dict) else None
        if isinstance(spec, dict) and isinstance(names, dict):
            found.setdefault((str(spec.get("group")), str(names.get("kind"))), body)
    return found


def served_versions(crd: JsonObject) -> dict[str, JsonObject]:
    """Return the schemas of the versions that a CRD serves."""
    versions = crd["spec"].get("versions")
    found: dict[str, JsonObject] = {}
    for version in versions if isinstance(versions, list) else ():
        if isinstance(version, dict) and version.get("served") is not False:
            schema = version.get("schema")
            schema = schema.get("openAPIV3Schema") if isinstance(schema, dict) else None
            found[str(version.get("name"))] = schema if isinstance(schema, dict) else {}
    return found


def crd_shape(schema: JsonObject) -> Shape | None:
    """Compile a CRD's schema strictly; None when it is no schema."""
    strict = _strict(schema, closed=True)
    given = {"apiVersion": {"type": "string"}, "kind": {"type": "string"}, "metadata": {"type": "object"}}
    strict["properties"] = {**strict.get("properties", {}), **given}
    try:
        return Shape(strict, noun="field")
    except ValueError:
        return None


def _strict(schema: Json, *, closed: bool) -> JsonObject:
    """Turn a structural schema into a JSON Schema that refuses the fields a cluster would drop."""
    if not isinstance(schema, dict):
        return {}
    if schema.get("x-kubernetes-int-or-string"):
        return {"type": ["integer", "string"] + (["null"] if schema.get("nullable") else [])}
    out: JsonObject = {key: schema[key] for key in KEPT if key in schema}
    for side in ("Minimum", "Maximum"):
        if schema.get(f"exclusive{side}") is True:
            out[f"exclusive{side}"] = out.pop(side.lower(), None)
    if "type" in schema:
        out["type"] = [schema["type"], "null"] if schema.get("nullable") else schema["type"]
    if isinstance(schema.get("properties"), dict):
        out["properties"] = {
            name: _strict(item, closed=closed) for name, item in schema["properties"].items()
        }
    if isinstance(schema.get("items"), dict):
        out["items"] = _strict(schema["items"], closed=closed)
    for key in ("allOf", "anyOf", "oneOf"):
        # Alternatives speak of single fields; the mapping around them says which fields there are.
        if isinstance(schema.get(key), list):
            out[key] = [_strict(item, closed=False) for item in schema[key]]
    if isinstance(schema.get("not"), dict):
        out["not"] = _strict(schema["not"], closed=False)
    _close(schema, out, closed)
    return out


def _close(schema: JsonObject, out: JsonObject, closed: bool) -> None:
    more = schema.get("additionalProperties")
    if schema.get("x-kubernetes-embedded-resource"):
        given = {"apiVersion": {"type": "string"}, "kind": {"type": "string"}, "metadata": {"type": "object"}}
        out["properties"] = {**given, **out.get("properties", {})}
    if isinstance(more, dict):
        out["additionalProperties"] = _strict(more, closed=closed)
    elif isinstance(more, bool):
        out["additionalProperties"] = more
    elif closed and schema.get("type") == "object" and not schema.get("x-kubernetes-preserve-unknown-fields"):
        out["additionalProperties"] = False
