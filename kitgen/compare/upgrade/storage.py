"""Volumes and claims of them.

Secrets and ConfigMaps: the type of the one, and all that one holds which says that it is immutable.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator

from kitgen.compare.upgrade.values import Changed, changes
from kitgen.kube.quantities import amount
from kitgen.text.values import value_at
from kitgen.text.yaml import Json, JsonObject

SIZE = ("spec", "resources", "requests", "storage")
ONCE = ("dataSource", "dataSourceRef")
FREE = frozenset(
    {
        *("accessModes", "capacity", "claimRef", "mountOptions", "nodeAffinity"),
        *("persistentVolumeReclaimPolicy", "storageClassName", "volumeAttributesClassName"),
    }
)
"""What of a volume is not its source, and may change; an affinity to nodes may be set once."""


def claim(old: JsonObject, new: JsonObject, live: bool, minor: int) -> Iterator[Changed]:
    """Yield what a claim asks for that it did not ask for before; a bound one may grow, and be bound once."""
    was, now = ({**each} if isinstance(each := body.get("spec"), dict) else {} for body in (old, new))
    for key in ("volumeName", "storageClassName", "volumeAttributesClassName"):
        if not was.get(key) or key == "volumeAttributesClassName":
            was.pop(key, None)
            now.pop(key, None)
    if live:
        for key in ONCE:  # the server fills one of them in from the other
            was.pop(key, None)
    for key in dict.fromkeys([*now, *was]):
        for found in changes({key: was.get(key)}, {key: now.get(key)}, ("spec",), live=live):
            if found.path != SIZE or _shrunk(found):
                yield found
                break


def _shrunk(size: Changed) -> bool:
    was, now = amount(size.was), amount(size.now)
    return was is None or now is None or now < was


def volume(old: JsonObject, new: JsonObject, live: bool, minor: int) -> Iterator[Changed]:
    """Yield another source or mode, and an affinity that was another one."""
    was, now = (each if isinstance(each := body.get("spec"), dict) else {} for body in (old, new))
    for key in dict.fromkeys([*now, *was]):
        if key not in FREE and (
            found := next(changes({key: was.get(key)}, {key: now.get(key)}, ("spec",), live=live), None)
        ):
            yield found
    affinity = value_at(old, "spec", "nodeAffinity")
    if affinity and (
        found := next(changes(affinity, now.get("nodeAffinity"), ("spec", "nodeAffinity"), live=live), None)
    ):
        yield found


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
            field = next(
                (each for each in reversed(fields) if value_at(new, each, key) is not None), fields[0]
            )
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
