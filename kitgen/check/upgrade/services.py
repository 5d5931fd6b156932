"""Services: what of their address stays as it is."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.check.index import below
from kitgen.check.upgrade.values import Changed
from kitgen.yamlio import Json, JsonObject

EXTERNAL = "ExternalName"
KEPT = ("loadBalancerClass", "healthCheckNodePort")
"""What stays once it is set, as long as the type does."""


def service(old: JsonObject, new: JsonObject, live: bool, minor: int) -> Iterator[Changed]:
    """Yield an address or family of addresses that is another one; what is left out is kept."""
    types = [below(body, "spec", "type") or "ClusterIP" for body in (old, new)]
    if EXTERNAL in types:
        return
    was, now = below(old, "spec", "clusterIP"), below(new, "spec", "clusterIP")
    was, now = was or _first(old, "clusterIPs"), now or _first(new, "clusterIPs")
    if now and was != now:
        key = "clusterIP" if below(new, "spec", "clusterIP") else "clusterIPs"
        yield Changed(("spec", key), was, now)
    for index in (0, 1):
        was, now = (below(body, "spec", "ipFamilies", index) for body in (old, new))
        if was and now and was != now:
            yield Changed(("spec", "ipFamilies", index), was, now)
            break
    for key in KEPT if types[0] == types[1] == "LoadBalancer" else ():
        was, now = (below(body, "spec", key) for body in (old, new))
        if was != now and (was or key == KEPT[0]) and not (now is None and live):
            yield Changed(("spec", key), was, now)


def _first(body: JsonObject, key: str) -> Json:
    return below(body, "spec", key, 0)
