"""Addresses in the operator's configuration that others call: probes, webhook Service, named ports."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, product
from typing import NamedTuple

from msgspec import Struct

from kitgen.findings import Finding, Origin, Path, make_problem
from kitgen.kit.config_type import CONFIG_VALUE
from kitgen.kube.manifest import Manifest
from kitgen.render.context import RenderContext
from kitgen.render.environment import container_names, find_operator_containers
from kitgen.render.families.config import fields_of, get_effective_value, merge_config_values
from kitgen.render.families.webhook_kinds import merge_webhook_layers
from kitgen.render.families.webhooks import service_name
from kitgen.render.kustomize.field_paths import find_values
from kitgen.render.layers import LayeredValue
from kitgen.text.patterns import compile_late
from kitgen.text.secrets import is_secret_path
from kitgen.text.values import value_at
from kitgen.text.wording import describe_value
from kitgen.text.yaml import Json, JsonObject

PROBES = ("livenessProbe", "readinessProbe", "startupProbe")
PROBED = ("httpGet", "tcpSocket", "grpc")
ADDRESS = compile_late(r"(?P<host>[^:\[\]]*|\[[^\]]*\]):(?P<port>[0-9]{1,5})")
LOOPBACK = compile_late(r"localhost|127(\.[0-9]{1,3}){3}|\[::1\]")
OFF = ("", "0", 0)


class ListenAddress(Struct, frozen=True):
    """A field of the configuration that says where the operator listens."""

    path: tuple[str, ...]
    asked_by: Json
    value: Json
    port: int | None
    """None when it is off, or when it cannot be read."""
    origin: Origin | None
    """Where a target or the component sets it, if one does."""

    @property
    def is_loopback(self) -> bool:
        """Return whether nobody but the pod itself reaches it."""
        match = ADDRESS.fullmatch(self.value) if isinstance(self.value, str) else None
        return bool(match and LOOPBACK.fullmatch(match["host"]))


class PortCaller(NamedTuple):
    """The caller of a port of the operator's container."""

    who: str
    port: int
    origin: Origin


def check_listen_addresses(context: RenderContext, objects: list[Manifest]) -> Iterator[Finding]:
    """Yield a finding for every address that its callers do not reach."""
    if context.component.config_type is None:
        return
    # The container that reads the configuration is the one that it is mounted into, else the first.
    layers = context.part.layers("config")
    mounted = [layer.data["mount"]["container"] for layer in layers if "mount" in layer.data]
    names = mounted[-1:] or container_names(context.part)[:1]
    reading = (each for each in find_operator_containers(context, objects) if each[2].get("name") in names)
    for deployment, place, container in islice(reading, 1):
        ports = ports_of(container)
        asked = {
            "probes": list(_find_probe_callers(deployment, place, container, ports)),
            "webhooks": list(_find_webhook_callers(context, objects, ports)),
        }
        known = list(_list_addresses(context.component.config_type[1], merge_config_values(context)))
        served = {each.port for each in known} | set(ports.values())
        for address in known:
            match address.asked_by:
                case {"port": str(name)} if name in ports and address.value not in OFF:
                    at = deployment.find_origin((*place, "ports"))
                    askers = [PortCaller(f"the container's port {name!r} is", ports[name], at)]
                case who:
                    askers = asked.get(who, []) if isinstance(who, str) else []
            reached = [each for each in askers if each.port == address.port]
            others = {each.port for each in askers} - served
            if askers and (not reached or others or address.is_loopback):
                yield _report_unreached(
                    address, next((each for each in askers if each not in reached), askers[0])
                )


def _report_unreached(address: ListenAddress, asker: PortCaller) -> Finding:
    name, value = (
        ".".join(address.path),
        describe_value(address.value, reveal=not is_secret_path(address.path)),
    )
    at = address.origin or asker.origin
    if address.value not in OFF and address.port is None:
        return CONFIG_VALUE(f"found {name} {value}, expected an address such as :{asker.port}").to_finding(at)
    found = f"{name} {value}" if address.origin else f"{name} {value} by default"
    if address.value in OFF:
        found = f"{name} turned off"
    elif address.is_loopback and address.port == asker.port:
        found += ", which only the pod itself reaches"
    return make_problem(
        "config-unreached",
        f"found {found}, but {asker.who} port {asker.port}",
        hint="let both say the same port",
    ).to_finding(at)


def _list_addresses(kind: JsonObject, folded: LayeredValue | None) -> Iterator[ListenAddress]:
    """Yield every field of the configuration that others call, with the value that the operator will see."""
    values = folded.data if folded else {}
    for path, field in ((path, field) for path, _, field in fields_of(kind) if "askedBy" in field):
        if (
            value := get_effective_value(kind, values, path)
        ) is not None:  # else the operator's default is not known
            given = value_at(values, *path) is not None
            origin = folded.touch_at(path).origin if folded and given else None
            yield ListenAddress(path, field["askedBy"], value, parse_port(value), origin)


def parse_port(value: Json) -> int | None:
    """Return the port of an address; None when it is off, or when it cannot be read."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value or None
    match = ADDRESS.fullmatch(value) if isinstance(value, str) else None
    return int(match["port"]) or None if match else None


def _find_probe_callers(
    deployment: Manifest, place: Path, container: JsonObject, ports: dict[str, int]
) -> Iterator[PortCaller]:
    for key, way in product(PROBES, PROBED):
        for _, port in find_values(container, f"{key}/{way}/port"):
            if (number := resolve_port(port, ports)) is not None:
                yield PortCaller(f"the {key} asks", number, deployment.find_origin((*place, key)))


def _find_webhook_callers(
    context: RenderContext, objects: list[Manifest], ports: dict[str, int]
) -> Iterator[PortCaller]:
    names = [
        f"Service/{service_name(context, merge_webhook_layers(item.layers))}"
        for item in context.part["webhooks"]
    ]
    for service in (each for each in objects if str(each.id) in names):
        for path, entry in find_values(service.body, "spec/ports[]"):
            given = entry.get("targetPort", entry.get("port")) if isinstance(entry, dict) else None
            if (number := resolve_port(given, ports)) is not None:
                yield PortCaller("the webhooks' Service asks", number, service.find_origin(path))


def ports_of(container: JsonObject) -> dict[str, int]:
    """Return the ports of a container by name; those without one go by their number."""
    return {
        str(each.get("name", each.get("containerPort"))): each["containerPort"]
        for _, each in find_values(container, "ports[]")
        if isinstance(each, dict) and isinstance(each.get("containerPort"), int)
    }


def resolve_port(port: Json, ports: dict[str, int]) -> int | None:
    """Return the number of a port that goes by its number or its name."""
    return port if isinstance(port, int) else ports.get(str(port))
