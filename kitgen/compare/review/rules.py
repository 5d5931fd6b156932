"""The rules that rank changes of objects. Those of upgrades are the same that `kitgen check` has."""

from __future__ import annotations

from functools import partial

from kitgen.compare.change import ChangeRule, Risk, behaviour, breaking, cosmetic
from kitgen.compare.upgrade.rules import (
    UPGRADE_DATA,
    UPGRADE_GONE,
    UPGRADE_IMMUTABLE,
    UPGRADE_NAMESPACE,
    UPGRADE_PERMISSION_GAINED,
    UPGRADE_PERMISSION_LOST,
    UPGRADE_PORT_GONE,
    UPGRADE_RENAMED,
    UPGRADE_VERSION_BACK,
    UPGRADE_WEBHOOK,
)

security = partial(ChangeRule, Risk.SECURITY)

UPGRADES: dict[str, tuple[Risk, str, str]] = {
    UPGRADE_DATA.id: (Risk.BREAKING, "data goes with it", "whoever needs the data"),
    UPGRADE_IMMUTABLE.id: (Risk.BREAKING, "the API server refuses the update", "whoever applies it"),
    UPGRADE_NAMESPACE.id: (Risk.BREAKING, "no update moves an object", "whoever finds it by its namespace"),
    UPGRADE_PERMISSION_LOST.id: (Risk.BREAKING, "what was allowed is refused", "whoever is bound to it"),
    UPGRADE_PORT_GONE.id: (Risk.BREAKING, "callers find nothing there", "whoever calls the service"),
    UPGRADE_VERSION_BACK.id: (Risk.BREAKING, "older programs rarely read what newer ones wrote", "its users"),
    UPGRADE_WEBHOOK.id: (Risk.BREAKING, "requests fail while it is not reached", "whoever sends them"),
    UPGRADE_GONE.id: (Risk.BREAKING, "it is not there any more", "whoever needs it"),
    UPGRADE_RENAMED.id: (Risk.BREAKING, "a cluster knows no renaming", "whoever finds it by its name"),
    UPGRADE_PERMISSION_GAINED.id: (Risk.SECURITY, "somebody may do more", "whoever trusts the limits"),
}
"""Rule of an upgrade → its risk, why, and who feels it."""

ADDRESS_GONE = breaking("address-gone", "nothing is found under the old address", "whoever calls it")
SELECTION_LOST = breaking(
    "selection-lost", "a service or workload does not find its pods", "whoever calls or runs them"
)

BINDING_EVERYBODY = security(
    "access-everybody", "everybody may do it, or all who log in", "whoever trusts the limits"
)
PERMISSIONS_UNKNOWN = security(
    "permissions-unknown", "rules are too many to tell who may do what", "whoever trusts the limits"
)
ROLE_AGGREGATED = security(
    "role-aggregated", "roles that people have already grant more", "whoever trusts those roles"
)
WEBHOOK_GONE = security("webhook-gone", "requests are no longer looked at", "whoever relies on it")
WEBHOOK_WEAKER = security("webhook-weaker", "some requests are no longer looked at", "whoever relies on it")
WEBHOOK_ELSEWHERE = security(
    "webhook-elsewhere", "requests are sent out of the cluster, or to somebody else", "whoever sends them"
)
POLICY_WEAKER = security("policy-changed", "it decides what is let through", "whoever relies on it")
CONSTRAINTS_CHANGED = security(
    "constraints-changed", "it decides what pods of OpenShift may do", "whoever trusts the limits"
)
POD_WEAKER = security("pod-weaker", "the pod may do more on its node", "whoever runs the node")
RUNS_AS = security(
    "account-changed", "the pod has the rights of another account", "whoever trusts the limits"
)
TOKEN_MADE = security("token-made", "whoever reads it acts as the account", "whoever trusts the account")
EXPOSED = security("service-exposed", "it can be reached from outside", "whoever trusts the network")
TRANSPORT_WEAKER = security(
    "transport-weaker", "what is sent can be read or faked on the way", "whoever trusts the network"
)
IMAGE_SOURCE = security("image-source", "the program comes from somewhere else", "whoever trusts the image")
IMAGE_UNPINNED = security("image-unpinned", "a tag can be moved, a digest cannot", "whoever trusts the image")
NAMESPACE_LEVEL = security(
    "namespace-level", "the namespace lets pods do other things", "whoever trusts the limits"
)

IMAGE_CHANGED = behaviour("image-changed", "another program runs", "users of the component")
ARGUMENTS_CHANGED = behaviour(
    "arguments-changed", "the program is started otherwise", "users of the component"
)
RESOURCES_CHANGED = behaviour("resources-changed", "the pod gets another share of a node", "its users")
CONFIGURATION_CHANGED = behaviour("configuration-changed", "the program reads other settings", "its users")
SECRET_CHANGED = behaviour("secret-changed", "another value is handed out", "whoever reads it")
WEBHOOK_ADDED = behaviour("webhook-added", "requests are looked at that were not", "whoever sends them")
WEBHOOK_CHANGED = behaviour("webhook-changed", "requests are looked at otherwise", "whoever sends them")
FIELD_CHANGED = behaviour("field-changed", "the cluster acts on it", "users of the component")
ANNOTATION_ACTS = behaviour("annotation-acts", "a controller acts on it", "users of the object")
SELECTION_CHANGED = behaviour("selection-changed", "it is selected by others than before", "its users")
OBJECT_ADDED = behaviour("object-added", "it is new", "users of the component")

LABEL_CHANGED = cosmetic("label-changed", "what is selected here is as before", "people and scripts")
ANNOTATION_CHANGED = cosmetic(
    "annotation-changed", "no controller that is known acts on it", "people and scripts"
)
CERTIFICATE_CHANGED = cosmetic("certificate-changed", "clusters fill it in", "nobody")
ORDER_CHANGED = cosmetic("order-changed", "the same items stand in another order", "nobody")
AMOUNT_REWRITTEN = cosmetic("amount-rewritten", "it is the same amount", "nobody")
DEFAULT_WRITTEN = cosmetic("default-written", "servers fill in the same", "nobody")
RULES_REGROUPED = cosmetic("permissions-kept", "everybody may do what he could before", "nobody")
SCHEMA_DETAIL = cosmetic(
    "schema-detail", "it takes the same objects", "people and tools that read the schema"
)
OBJECT_HARMLESS = cosmetic("object-unused", "nothing uses it by itself", "nobody yet")
