"""Values as `kitgen why` shows them: short, and never a secret."""

from __future__ import annotations

import json

from kitgen.findings import Path
from kitgen.objects import value_at
from kitgen.pipeline.fields import document
from kitgen.schema.wording import is_secretive
from kitgen.yamlio import Json, JsonObject

HIDDEN = "(hidden)"
LONGEST = 160
NAMING = ("name", "names", "namespace", "ref", "key", "path", "mountpath", "kind", "type")
"""How names of fields end that only name a secret."""


def told(body: JsonObject, path: Path) -> Json:
    """Return the value at a path with what may be a secret left out."""
    value: Json = redacted(body, secret=body.get("kind") == "Secret")
    for step in path:
        if value == HIDDEN:
            return HIDDEN
        inner = document(value)
        value = value_at(redacted(inner) if inner is not value else inner, (step,))
    return value


def redacted(value: Json, *, secret: bool = False) -> Json:
    """Return a copy of a value without texts that its keys, or the kind of the object, say are secret."""
    if isinstance(value, list):
        return [redacted(item) for item in value]
    if not isinstance(value, dict):
        return value
    named = value.get("name")
    hides = isinstance(named, str) and is_secretive((named,))
    return {key: _field(key, item, secret=secret, hides=hides) for key, item in value.items()}


def _field(key: str, value: Json, *, secret: bool, hides: bool) -> Json:
    if secret and key in ("data", "stringData") and isinstance(value, dict):
        return dict.fromkeys(value, HIDDEN)
    if isinstance(value, dict | list):
        return redacted(value)
    plain = isinstance(value, bool) or value is None
    names_it = key.casefold().endswith(NAMING)
    secretive = (hides and key == "value") or (is_secretive((key,)) and not names_it)
    return HIDDEN if secretive and not plain else value


def compact(value: Json) -> str:
    """Write a value in one short line."""
    if isinstance(value, str) and "\n" in value:
        return f"a text of {len(value.splitlines())} lines"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
