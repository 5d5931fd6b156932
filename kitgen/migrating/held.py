"""What Secrets and ConfigMaps hold of old kinds and is not changed: encoded data, and scripts."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterator

from kitgen.findings import Path, Problem
from kitgen.migrating.kinds import Moves, typed_of
from kitgen.migrating.references import LEFT, MIGRATION_TEXT
from kitgen.yamlio import Json, JsonObject

LONGEST = 2_000_000
"""Of data that is decoded."""
ENCODED = {("v1", "Secret"): "data", ("v1", "ConfigMap"): "binaryData"}
PLAIN = {("v1", "Secret"): "stringData", ("v1", "ConfigMap"): "data"}


def held(value: Json, moves: Moves, path: Path = ()) -> Iterator[Problem]:
    """Yield what such objects name, wherever they stand; what they say is not shown."""
    if isinstance(value, dict):
        if typed_of(value) in ENCODED:
            yield from _named(value, moves, path)
            return
        for key, item in value.items():
            if isinstance(item, dict | list):
                yield from held(item, moves, (*path, key))
    elif isinstance(value, list):
        for at, item in enumerate(value):
            if isinstance(item, dict | list):
                yield from held(item, moves, (*path, at))


def _named(value: JsonObject, moves: Moves, path: Path) -> Iterator[Problem]:
    typed = typed_of(value)
    for key, text in _texts(value, ENCODED[typed]):
        if moves.said.search(decoded := _decoded(text)) or moves.spoken.search(decoded):
            yield MIGRATION_TEXT(
                "found encoded data that names an old kind", (*path, ENCODED[typed], key), LEFT
            )
    for key, text in _texts(value, PLAIN[typed]):
        # Objects in the texts of ConfigMaps move, and what is left of them is told where they do.
        secret = typed == ("v1", "Secret") and moves.said.search(text)
        if found := secret or moves.spoken.search(text):
            yield MIGRATION_TEXT(f"found a text that names {found[0]}", (*path, PLAIN[typed], key), LEFT)


def _texts(value: JsonObject, field: str) -> Iterator[tuple[str, str]]:
    data = value.get(field)
    for key, text in data.items() if isinstance(data, dict) else ():
        if isinstance(text, str):
            yield key, text


def _decoded(text: str) -> str:
    """Return the text behind base64; empty if there is none, as of what is packed."""
    try:
        return b64decode("".join(text[:LONGEST].split()), validate=True).decode()
    except ValueError:
        return ""
