"""Kubernetes' definitions as its API servers read objects.

What is published says less in places and more in others: numbers have as many bits as the server's own
types, a quantity is no free text, and a field that is called required may be one that the server fills in
or does not look at.
"""

from __future__ import annotations

import re

from kitgen.crds.validate.formats import NUMBERS
from kitgen.yamlio import Json, JsonObject

PREFIX = "io.k8s.api."
QUANTITY = "io.k8s.apimachinery.pkg.api.resource.Quantity"
INT_OR_STRING = "io.k8s.apimachinery.pkg.util.intstr.IntOrString"
QUANTITY_FORM = re.compile(
    r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,9}|[numkMGTPE]|[KMGTPE]i)?", re.ASCII
)
READ_AS: dict[str, JsonObject] = {
    QUANTITY: {
        "type": ["string", "number", "null"],
        "format": "quantity",
        "x-expected": "a quantity, such as 500m or 1Gi",
    },
    INT_OR_STRING: {"type": ["string", "integer", "null"], "format": "int32"},
}
OPTIONAL: dict[str, tuple[str, ...]] = {
    f"{PREFIX}apps.v1.StatefulSetSpec": ("serviceName",),
    f"{PREFIX}batch.v1.PodFailurePolicy": ("rules",),
    f"{PREFIX}batch.v1.PodFailurePolicyOnPodConditionsPattern": ("status",),
    f"{PREFIX}core.v1.HTTPHeader": ("value",),
    f"{PREFIX}core.v1.ISCSIVolumeSource": ("lun",),
    f"{PREFIX}core.v1.PreferredSchedulingTerm": ("preference",),
    f"{PREFIX}core.v1.ScaleIOVolumeSource": ("secretRef",),
    f"{PREFIX}core.v1.Sysctl": ("value",),
}
"""Definition → fields that are called required, and that an API server does without."""
IGNORED = ("Condition", "Status")
"""How definitions end of which a server takes nothing when an object comes."""


def is_quantity(text: str) -> bool:
    """Tell whether an API server reads an amount from a text."""
    return QUANTITY_FORM.fullmatch(text.strip()) is not None


def as_read(name: str, schema: JsonObject) -> JsonObject:
    """Return a definition as an API server reads values of it."""
    if name in READ_AS:
        return dict(_bounded(READ_AS[name]))
    read = dict(schema)
    if "required" in read and (name in OPTIONAL or name.endswith(IGNORED)):
        free = OPTIONAL.get(name, tuple(read["required"]))
        read["required"] = [field for field in read["required"] if field not in free]
    if "properties" in read:
        read["properties"] = {field: _bounded(each) for field, each in read["properties"].items()}
    return read


def _bounded(schema: Json) -> Json:
    """Return a schema whose numbers end where their bits do."""
    if not isinstance(schema, dict):
        return schema
    bounds = NUMBERS.get(str(schema.get("format")))
    if bounds:
        return {**schema, "minimum": bounds[0], "maximum": bounds[1]}
    inner = next((key for key in ("items", "additionalProperties") if isinstance(schema.get(key), dict)), "")
    return {**schema, inner: _bounded(schema[inner])} if inner else schema
