"""What CRD generators know of Kubernetes' types beyond their published definitions.

The definitions contain neither defaults nor the markers of the Go source, so these facts stand here. A rule
applies from a minor on; deviations of a project's generator are exceptions in its declarations.
"""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.text.values import group_pairs
from kitgen.text.yaml import Json, JsonObject

QUANTITY = "resource.Quantity"
INT_OR_STRING = "intstr.IntOrString"
OBJECT_META = "meta/v1.ObjectMeta"

# Extensions of the definitions that a CRD has no place for.
DROPPED = frozenset(
    {
        "x-kubernetes-group-version-kind",
        "x-kubernetes-patch-merge-key",
        "x-kubernetes-patch-strategy",
        "x-kubernetes-unions",
    }
)

EMBEDDED_METADATA = ("annotations", "finalizers", "labels", "name", "namespace")

NUMBER = r"(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))"
WHOLE: dict[str, JsonObject] = {
    QUANTITY: {
        "anyOf": [{"type": "integer"}, {"type": "string"}],
        "pattern": rf"^(\+|-)?{NUMBER}(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?{NUMBER}))?$",
        "x-kubernetes-int-or-string": True,
    },
    INT_OR_STRING: {
        "anyOf": [{"type": "integer"}, {"type": "string"}],
        "x-kubernetes-int-or-string": True,
    },
    "apiextensions/v1.JSON": {"x-kubernetes-preserve-unknown-fields": True},
}

# Embedded references that the Go types mark as replaced as a whole.
ATOMIC = frozenset(
    {
        "core/v1.ConfigMapEnvSource",
        "core/v1.ConfigMapProjection",
        "core/v1.ConfigMapVolumeSource",
        "core/v1.SecretEnvSource",
        "core/v1.SecretProjection",
    }
)

# Types that embed a LocalObjectReference: its name has a default since 1.30.
NAMED = ATOMIC | {
    "core/v1.ConfigMapKeySelector",
    "core/v1.LocalObjectReference",
    "core/v1.SecretKeySelector",
}

DNS_LABEL = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?"
QUALIFIED_NAME: JsonObject = {
    "maxLength": 316,
    "pattern": rf"^({DNS_LABEL}(\.{DNS_LABEL})*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$",
}
# (type, field, first minor, keywords to add)
FIELDS: tuple[tuple[str, str, int, JsonObject], ...] = (
    ("meta/v1.Condition", "message", 0, {"maxLength": 32768}),
    ("meta/v1.Condition", "observedGeneration", 0, {"minimum": 0}),
    (
        "meta/v1.Condition",
        "reason",
        0,
        {"maxLength": 1024, "minLength": 1, "pattern": "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$"},
    ),
    ("meta/v1.Condition", "status", 0, {"enum": ["True", "False", "Unknown"]}),
    ("meta/v1.Condition", "type", 0, QUALIFIED_NAME),
    ("core/v1.PortStatus", "error", 0, QUALIFIED_NAME),
    ("networking/v1.IngressPortStatus", "error", 0, QUALIFIED_NAME),
    *((name, "name", 30, {"default": ""}) for name in sorted(NAMED)),
    ("core/v1.AzureDiskVolumeSource", "fsType", 31, {"default": "ext4"}),
    ("core/v1.AzureDiskVolumeSource", "readOnly", 31, {"default": False}),
    ("core/v1.GRPCAction", "service", 31, {"default": ""}),
    ("core/v1.ISCSIVolumeSource", "iscsiInterface", 31, {"default": "default"}),
    ("core/v1.RBDVolumeSource", "keyring", 31, {"default": "/etc/ceph/keyring"}),
    ("core/v1.RBDVolumeSource", "pool", 31, {"default": "rbd"}),
    ("core/v1.RBDVolumeSource", "user", 31, {"default": "admin"}),
    ("core/v1.ScaleIOVolumeSource", "fsType", 31, {"default": "xfs"}),
    ("core/v1.ScaleIOVolumeSource", "storageMode", 31, {"default": "ThinProvisioned"}),
    ("core/v1.FileKeySelector", "optional", 34, {"default": False}),
    ("core/v1.ContainerPort", "protocol", 0, {"default": "TCP"}),
    ("core/v1.ServicePort", "protocol", 0, {"default": "TCP"}),
)

# Every other field of Go type Protocol: controller-gen set a default itself, until the types said theirs.
PROTOCOLS = frozenset(
    {
        "core/v1.EndpointPort",
        "core/v1.PortStatus",
        "discovery/v1.EndpointPort",
        "networking/v1.IngressPortStatus",
        "networking/v1.NetworkPolicyPort",
    }
)
LAST_PROTOCOL_DEFAULT = 31

# (type, first minor, fields that are required though the definition does not say so)
REQUIRED: tuple[tuple[str, int, list[str]], ...] = (("core/v1.HostAlias", 30, ["ip"]),)

TURNS = group_pairs(
    [
        *((name, since) for name, _, since, _ in FIELDS),
        *((name, since) for name, since, _ in REQUIRED),
        *((name, LAST_PROTOCOL_DEFAULT + 1) for name in PROTOCOLS),
    ]
)
"""The minors in which a rule begins or ends, of each type that has some."""


def find_era(name: str, minor: int) -> int:
    """Return a number that minors share if the rules make the same of a type in them."""
    return sum(minor >= turn for turn in TURNS.get(name, ()))


def list_field_names(name: str, definition: JsonObject) -> frozenset[str]:
    """Return the names of the fields that a type has in a CRD."""
    found = frozenset(definition.get("properties", ()))
    return found.intersection(EMBEDDED_METADATA) if name == OBJECT_META else found


def amend_schema(name: str, minor: int, schema: JsonObject) -> JsonObject:
    """Return a type's schema with what the definitions leave out."""
    properties: JsonObject = schema.get("properties", {})
    if name == OBJECT_META:
        properties = {field: properties[field] for field in EMBEDDED_METADATA if field in properties}
        properties["finalizers"] = {
            key: value
            for key, value in properties["finalizers"].items()
            if not key.startswith("x-kubernetes-")
        }
    for field, added in _list_additions(name, minor):
        if field in properties:
            properties = {**properties, field: {**properties[field], **added}}
    if properties:
        schema = {**schema, "properties": properties}
    if name in ATOMIC:
        schema = {**schema, "x-kubernetes-map-type": "atomic"}
    for type_, since, fields in REQUIRED:
        if type_ == name and minor >= since:
            schema = {**schema, "required": sorted({*schema.get("required", []), *fields})}
    return schema


def _list_additions(name: str, minor: int) -> Iterator[tuple[str, Json]]:
    yield from ((field, added) for type_, field, since, added in FIELDS if type_ == name and minor >= since)
    if name in PROTOCOLS and minor <= LAST_PROTOCOL_DEFAULT:
        yield "protocol", {"default": "TCP"}
