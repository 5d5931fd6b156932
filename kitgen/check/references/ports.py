"""The ports that pods declare."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from kitgen.check.index import Pod, entries
from kitgen.findings import Path
from kitgen.yamlio import Json, JsonObject

PROTOCOLS = frozenset({"TCP", "UDP", "SCTP"})


class Port(NamedTuple):
    """A port of a container, or of a Service."""

    name: str
    number: int
    protocol: str


def declared(container: JsonObject) -> list[Port]:
    """Return the ports of a container."""
    return [_port(each, "containerPort") for _, each in entries(container, "ports")]


def offered(service: JsonObject) -> list[Port]:
    """Return the ports of a Service."""
    return [_port(each, "port") for _, each in entries(service, "spec", "ports")]


def aimed_at(service: JsonObject) -> set[int] | None:
    """Return the numbers of the ports of pods that a Service leads to; None if one has a name."""
    found: set[int] = set()
    for _, each in entries(service, "spec", "ports"):
        target = each.get("targetPort")
        number = each.get("port") if target is None else target
        if not isinstance(number, int):
            return None
        found.add(number)
    return found


def _port(value: JsonObject, key: str) -> Port:
    name, number = value.get("name"), value.get(key)
    return Port(
        name if isinstance(name, str) else "",
        number if isinstance(number, int) else 0,
        protocol(value),
    )


def protocol(value: JsonObject) -> str:
    """Return the protocol of a port."""
    found = value.get("protocol")
    return found if isinstance(found, str) and found else "TCP"


def is_protocol(value: JsonObject) -> bool:
    """Tell whether the protocol of a port is one that there is; of others the server's checks tell."""
    return protocol(value) in PROTOCOLS


def same_protocol(ports: Iterable[Port], value: JsonObject) -> list[Port]:
    """Return the ports of the protocol that another one has; those of none that there is may be meant."""
    wanted = protocol(value)
    return [port for port in ports if port.protocol == wanted or port.protocol not in PROTOCOLS]


def pod_ports(pod: Pod) -> list[Port]:
    """Return the ports of the containers that run as long as the pod."""
    return [port for _, container in running(pod) for port in declared(container)]


def running(pod: Pod) -> Iterator[tuple[Path, JsonObject]]:
    """Yield the containers that run as long as the pod, with their paths."""
    for index, each in entries(pod.spec, "containers"):
        yield pod.at("containers", index), each
    for index, each in entries(pod.spec, "initContainers"):
        if each.get("restartPolicy") == "Always":
            yield pod.at("initContainers", index), each


def is_name(port: Json) -> bool:
    """Tell whether a port is the name of one; digits in a text are no name."""
    return isinstance(port, str) and bool(port) and not port.isdigit()
