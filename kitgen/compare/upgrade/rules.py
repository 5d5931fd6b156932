"""The rules of upgrades: what stops one, and what is lost on the way."""

from __future__ import annotations

from kitgen.findings import rule

UPGRADE_IMMUTABLE = rule("upgrade-immutable")
UPGRADE_NAMESPACE = rule("upgrade-namespace")
UPGRADE_DATA = rule("upgrade-data")
UPGRADE_GROUP = rule("upgrade-group")
UPGRADE_MIGRATION = rule("upgrade-migration")
UPGRADE_CRD = rule("upgrade-crd")
UPGRADE_STORED_VERSION = rule("upgrade-stored-version")
UPGRADE_GONE = rule("upgrade-gone")
UPGRADE_RENAMED = rule("upgrade-renamed")
UPGRADE_PERMISSION_LOST = rule("upgrade-permission-lost")
UPGRADE_PERMISSION_GAINED = rule("upgrade-permission-gained")
UPGRADE_VERSION_BACK = rule("upgrade-version-back")
UPGRADE_PORT_GONE = rule("upgrade-port-gone")
UPGRADE_WEBHOOK = rule("upgrade-webhook")

DECLARED = frozenset({UPGRADE_CRD, UPGRADE_DATA, UPGRADE_GROUP, UPGRADE_STORED_VERSION, UPGRADE_VERSION_BACK})
"""What a declared move breaks in the CRDs of its kinds, and is an exception for."""
