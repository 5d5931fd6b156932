"""The rules that rank changes of objects. Those of upgrades are the same that `kitgen check` has."""

from __future__ import annotations

from kitgen.compare.change import Risk, change_rule
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

ADDRESS_GONE = change_rule("address-gone")
SELECTION_LOST = change_rule("selection-lost")
BINDING_EVERYBODY = change_rule("access-everybody")
PERMISSIONS_UNKNOWN = change_rule("permissions-unknown")
ROLE_AGGREGATED = change_rule("role-aggregated")
WEBHOOK_GONE = change_rule("webhook-gone")
WEBHOOK_WEAKER = change_rule("webhook-weaker")
WEBHOOK_ELSEWHERE = change_rule("webhook-elsewhere")
POLICY_WEAKER = change_rule("policy-changed")
CONSTRAINTS_CHANGED = change_rule("constraints-changed")
POD_WEAKER = change_rule("pod-weaker")
RUNS_AS = change_rule("account-changed")
TOKEN_MADE = change_rule("token-made")
EXPOSED = change_rule("service-exposed")
TRANSPORT_WEAKER = change_rule("transport-weaker")
IMAGE_SOURCE = change_rule("image-source")
IMAGE_UNPINNED = change_rule("image-unpinned")
NAMESPACE_LEVEL = change_rule("namespace-level")
IMAGE_CHANGED = change_rule("image-changed")
ARGUMENTS_CHANGED = change_rule("arguments-changed")
RESOURCES_CHANGED = change_rule("resources-changed")
CONFIGURATION_CHANGED = change_rule("configuration-changed")
SECRET_CHANGED = change_rule("secret-changed")
WEBHOOK_ADDED = change_rule("webhook-added")
WEBHOOK_CHANGED = change_rule("webhook-changed")
FIELD_CHANGED = change_rule("field-changed")
ANNOTATION_ACTS = change_rule("annotation-acts")
SELECTION_CHANGED = change_rule("selection-changed")
OBJECT_ADDED = change_rule("object-added")
LABEL_CHANGED = change_rule("label-changed")
ANNOTATION_CHANGED = change_rule("annotation-changed")
CERTIFICATE_CHANGED = change_rule("certificate-changed")
ORDER_CHANGED = change_rule("order-changed")
AMOUNT_REWRITTEN = change_rule("amount-rewritten")
DEFAULT_WRITTEN = change_rule("default-written")
RULES_REGROUPED = change_rule("permissions-kept")
SCHEMA_DETAIL = change_rule("schema-detail")
OBJECT_HARMLESS = change_rule("object-unused")
