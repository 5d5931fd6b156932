"""Services that callers no longer find: by a port, by its name, or from outside the cluster."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.compare.upgrade.rules import UPGRADE_PORT_GONE
from kitgen.findings import Path, Problem
from kitgen.kube.identity import ObjectId
from kitgen.text.values import entries_at, value_at
from kitgen.text.wording import describe_value, quote_text, text_of
from kitgen.text.yaml import JsonObject

CLUSTER = "ClusterIP"
REACH = (CLUSTER, "NodePort", "LoadBalancer")
"""Types, those that are within reach of more callers last."""
PORTS: Path = ("spec", "ports")


def check_service_ports(old: JsonObject, new: JsonObject) -> Iterator[Problem]:
    """Yield what a service no longer offers: ports by number, by name and on nodes, or callers outside."""
    if ObjectId.of(new).kind != "Service" or ObjectId.of(new).group:
        return
    was, now = (value_at(body, "spec", "type") or CLUSTER for body in (old, new))
    if was in REACH and now in REACH and REACH.index(was) > REACH.index(now):
        path: Path = ("spec", "type") if value_at(new, "spec", "type") else ("spec",)
        yield UPGRADE_PORT_GONE(
            f"found the type {now}, expected {was} as before: callers from outside find nothing", path
        )
    before, after = (entries_at(body, *PORTS) for body in (old, new))
    numbers = {_port_key(port): (index, port) for index, port in reversed(after)}
    names = {text_of(port.get("name")): index for index, port in after if port.get("name")}
    for _, port in before:
        number, name = _port_key(port), port.get("name")
        said = f"{number[0]}/{number[1]}"
        if number not in numbers:
            alone = after[0][0] if len(before) == len(after) == 1 else None
            other = names.get(name, alone) if isinstance(name, str) else alone
            path = PORTS if other is None else (*PORTS, other, "port")
            yield UPGRADE_PORT_GONE(f"found no port {said}, which was there before", path)
            continue
        index, same = numbers[number]
        if isinstance(name, str) and name not in names:
            yield UPGRADE_PORT_GONE(
                f"found the port {said} without the name {quote_text(name)}, which it had before",
                (*PORTS, index),
            )
        node, other = port.get("nodePort"), same.get("nodePort")
        if node and other and node != other:
            yield UPGRADE_PORT_GONE(
                f"found the port {describe_value(other)} of nodes, expected {describe_value(node)} as before",
                (*PORTS, index, "nodePort"),
            )


def _port_key(port: JsonObject) -> tuple[str, str]:
    return text_of(port.get("port"))[:20], str(port.get("protocol") or "TCP")[:20]
