"""Definitions as API servers take them: some fields that they call required may be left out.

OpenAPI says of a field that it is required when its Go type has no mark of being optional. An API server
reads no schema: it fills such a field in, has nothing against its zero value, or drops what it stands in.
"""

from __future__ import annotations

from functools import cache

from kitgen.crds.types.names import short_name
from kitgen.kubernetes import definition
from kitgen.yamlio import Json, JsonObject

LEFT_OUT: dict[str, tuple[str, ...]] = {
    "apiextensions/v1.CustomResourceDefinitionVersion": ("served", "storage"),
    "apps/v1.ControllerRevision": ("revision",),
    "apps/v1.StatefulSetSpec": ("serviceName",),
    "batch/v1.PodFailurePolicy": ("rules",),
    "batch/v1.PodFailurePolicyOnPodConditionsPattern": ("status",),
    "core/v1.HTTPHeader": ("value",),
    "core/v1.ISCSIPersistentVolumeSource": ("lun",),
    "core/v1.ISCSIVolumeSource": ("lun",),
    "core/v1.LimitRangeSpec": ("limits",),
    "core/v1.PreferredSchedulingTerm": ("preference",),
    "core/v1.ScaleIOPersistentVolumeSource": ("secretRef",),
    "core/v1.ScaleIOVolumeSource": ("secretRef",),
    "core/v1.Sysctl": ("value",),
    "discovery/v1.EndpointSlice": ("endpoints",),
    "networking/v1.NetworkPolicySpec": ("podSelector",),
    "rbac/v1.RoleRef": ("apiGroup",),
    "scheduling/v1.PriorityClass": ("value",),
    "storage/v1.CSIDriver": ("spec",),
    "storage/v1.CSINodeSpec": ("drivers",),
    "storage/v1.TokenRequest": ("audience",),
}
"""Definition → fields that an API server does not ask for."""
ALTERNATIVES: dict[str, JsonObject] = {
    "io.k8s.apimachinery.pkg.api.resource.Quantity": {"type": ["string", "number", "null"]},
    "io.k8s.apimachinery.pkg.util.intstr.IntOrString": {"type": ["string", "integer", "null"]},
}
"""Definitions of two types that null is none of, by the letter."""
CLOSED = frozenset({"apiextensions/v1.CustomResourceSubresourceStatus"})
"""Definitions of what has no fields at all."""
DROPPED = ("Condition", "Status")
"""How definitions end that stand in a status, which nobody but a controller sets."""
ASKED = "MatchCondition"
"""How one ends that does not, for all that."""


@cache
def lenient(name: str, minor: int) -> JsonObject:
    """Return a definition without what an API server does not ask for; callers must not change it."""
    if name in ALTERNATIVES:
        return ALTERNATIVES[name]
    found = definition(name, minor)
    if short_name(name) in CLOSED:
        return {**found, "properties": {}, "additionalProperties": False}
    required = found.get("required", ())
    optional = (
        required
        if name.endswith(DROPPED) and not name.endswith(ASKED)
        else LEFT_OUT.get(short_name(name), ())
    )
    if not optional and not any(map(_holds_bytes, found.get("properties", {}).values())):
        return found
    fields = {
        field: _perhaps(schema) if field in optional else _as_bytes(schema)
        for field, schema in found["properties"].items()
    }
    return {**found, "properties": fields, "required": [each for each in required if each not in optional]}


def _holds_bytes(schema: JsonObject) -> bool:
    inner = schema.get("additionalProperties")
    return schema.get("format") == "byte" or (isinstance(inner, dict) and inner.get("format") == "byte")


def _as_bytes(schema: JsonObject) -> JsonObject:
    """Return a schema that takes bytes as a list of numbers too, as a server reads them."""
    if not _holds_bytes(schema):
        return schema
    if "additionalProperties" in schema:
        return {**schema, "additionalProperties": _as_bytes(schema["additionalProperties"])}
    numbers = {"type": ["integer", "null"], "minimum": 0, "maximum": 255}
    types = ["string", "array", "null"]
    return {**schema, "type": types, "items": numbers, "x-expected": "a string of base64"}


def _perhaps(schema: JsonObject) -> JsonObject:
    """Return a schema that takes null too, which is the same as nothing."""
    kind: Json = schema.get("type")
    return {**schema, "type": [kind, "null"]} if isinstance(kind, str) else schema
