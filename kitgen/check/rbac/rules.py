"""The rules about permissions that allow privilege escalation or reach into the whole cluster."""

from __future__ import annotations

from kitgen.findings import rule

WILDCARD = rule("permission-wildcard")
ESCALATION = rule("permission-escalation")
IDENTITY = rule("permission-identity")
ROLES = rule("permission-roles")
SECRETS = rule("permission-secrets")
EXEC = rule("permission-exec")
ADMISSION = rule("permission-admission")
SECURITY_CONTEXT = rule("permission-security-context")
DEFINITIONS = rule("permission-definitions")
USELESS_NAMES = rule("permission-names")
