"""The rules about what an API server refuses, one for each kind of refusal."""

from __future__ import annotations

from kitgen.findings import get_rule

SERVER_REQUIRED = get_rule("server-required")
SERVER_INVALID = get_rule("server-invalid")
SERVER_WARNING = get_rule("server-warning")
SERVER_FORBIDDEN = get_rule("server-forbidden")
