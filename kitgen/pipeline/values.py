"""Values as `kitgen why` shows them: short, and never a secret."""

from __future__ import annotations

import json

from kitgen.findings import Path
from kitgen.objects import value_at
from kitgen.schema.logins import HIDDEN
from kitgen.schema.secrets import document, redacted
from kitgen.schema.wording import counted
from kitgen.yamlio import Json, JsonObject

LONGEST = 160


def told(body: JsonObject, path: Path) -> Json:
    """Return the value at a path with what may be a secret left out."""
    value: Json = redacted(body)
    for step in path:
        if value == HIDDEN:
            return HIDDEN
        inner = document(value)
        value = value_at(redacted(inner) if inner is not value else inner, (step,))
    return value


def compact(value: Json) -> str:
    """Write a value in one short line."""
    if isinstance(value, str) and "\n" in value:
        return f"a text of {counted(len(value.splitlines()), 'line')}"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
