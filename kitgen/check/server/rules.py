"""The rules about what an API server refuses, one for each kind of refusal."""

from __future__ import annotations

from kitgen.findings import rule

SERVER_REQUIRED = rule("server-required")
SERVER_INVALID = rule("server-invalid")
SERVER_WARNING = rule("server-warning")
SERVER_FORBIDDEN = rule("server-forbidden")
