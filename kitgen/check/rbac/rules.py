"""The rules about permissions that allow privilege escalation or reach into the whole cluster."""

from __future__ import annotations

from kitgen.findings import get_rule

WILDCARD = get_rule("permission-wildcard")
ESCALATION = get_rule("permission-escalation")
IDENTITY = get_rule("permission-identity")
ROLES = get_rule("permission-roles")
SECRETS = get_rule("permission-secrets")
EXEC = get_rule("permission-exec")
ADMISSION = get_rule("permission-admission")
SECURITY_CONTEXT = get_rule("permission-security-context")
DEFINITIONS = get_rule("permission-definitions")
USELESS_NAMES = get_rule("permission-names")
