"""Secrets and ConfigMaps: the type of the one, and all that one holds which says that it is immutable."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator

from kitgen.check.index import below
from kitgen.check.upgrade.values import Changed
from kitgen.yamlio import Json, JsonObject


def secret(old: JsonObject, new: JsonObject, live: bool, minor: int) -> Iterator[Changed]:
    """Yield another type, and other values where they are never to change."""
    was, now = (body.get("type") or "Opaque" for body in (old, new))
    if was != now:
        yield Changed(("type",), was, now)
    yield from _held(old, new, ("data", "stringData"))


def config_map(old: JsonObject, new: JsonObject, live: bool, minor: int) -> Iterator[Changed]:
    """Yield other values where they are never to change."""
    yield from _held(old, new, ("data", "binaryData"))


def _held(old: JsonObject, new: JsonObject, fields: tuple[str, str]) -> Iterator[Changed]:
    if old.get("immutable") is not True:
        return
    if new.get("immutable") is not True:
        yield Changed(("immutable",), True, new.get("immutable"))
    was, now = _values(old, fields), _values(new, fields)
    for key in dict.fromkeys([*now, *was]):
        if key not in was or key not in now or was[key] != now[key]:
            field = next((each for each in reversed(fields) if below(new, each, key) is not None), fields[0])
            yield Changed((field, key), None, None)
            return


def _values(body: JsonObject, fields: tuple[str, str]) -> dict[str, Json]:
    """Return what it holds by key; texts of a Secret count as what the server makes of them."""
    found: dict[str, Json] = {}
    for field in fields:
        held: Json = body.get(field)
        for key, value in held.items() if isinstance(held, dict) else ():
            encoded = field != "stringData" and "stringData" in fields
            found[key] = _decoded(value) if encoded else value.encode() if isinstance(value, str) else value
    return found


def _decoded(value: Json) -> Json | bytes:
    try:
        return base64.b64decode(value, validate=False) if isinstance(value, str) else value
    except (binascii.Error, ValueError):
        return value
