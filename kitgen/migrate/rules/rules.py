"""The rules about migrations that objects are checked against."""

from __future__ import annotations

from kitgen.findings import rule

MIGRATION_OLD = rule("migration-old")
MIGRATION_SCHEMA = rule("migration-schema")
MIGRATION_MAPPING = rule("migration-mapping")
MIGRATION_UNSAID = rule("migration-unsaid")
MIGRATION_SCOPE = rule("migration-scope")
MIGRATION_UNPLACED = rule("migration-unplaced")
MIGRATION_LOSS = rule("migration-loss")
MIGRATION_KEY_REWRITTEN = rule("migration-key-rewritten")
