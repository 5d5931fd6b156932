"""Volumes and claims of them."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.check.index import below
from kitgen.check.upgrade.values import Changed, changes
from kitgen.objects.quantities import amount
from kitgen.yamlio import JsonObject

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
    affinity = below(old, "spec", "nodeAffinity")
    if affinity and (
        found := next(changes(affinity, now.get("nodeAffinity"), ("spec", "nodeAffinity"), live=live), None)
    ):
        yield found
