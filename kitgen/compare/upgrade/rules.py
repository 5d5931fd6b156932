"""The rules of upgrades: what stops one, and what is lost on the way."""

from __future__ import annotations

from kitgen.findings import get_rule

UPGRADE_IMMUTABLE = get_rule("upgrade-immutable")
UPGRADE_NAMESPACE = get_rule("upgrade-namespace")
UPGRADE_DATA = get_rule("upgrade-data")
UPGRADE_GROUP = get_rule("upgrade-group")
UPGRADE_MIGRATION = get_rule("upgrade-migration")
UPGRADE_CRD = get_rule("upgrade-crd")
UPGRADE_STORED_VERSION = get_rule("upgrade-stored-version")
UPGRADE_GONE = get_rule("upgrade-gone")
UPGRADE_RENAMED = get_rule("upgrade-renamed")
UPGRADE_PERMISSION_LOST = get_rule("upgrade-permission-lost")
UPGRADE_PERMISSION_GAINED = get_rule("upgrade-permission-gained")
UPGRADE_VERSION_BACK = get_rule("upgrade-version-back")
UPGRADE_PORT_GONE = get_rule("upgrade-port-gone")
UPGRADE_WEBHOOK = get_rule("upgrade-webhook")

DECLARED = frozenset({UPGRADE_CRD, UPGRADE_DATA, UPGRADE_GROUP, UPGRADE_STORED_VERSION, UPGRADE_VERSION_BACK})
"""What a declared move breaks in the CRDs of its kinds, and is an exception for."""
