"""Addresses in an operator's configuration that others ask: probes, the webhooks' Service, named ports."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from kitgen.compile.containers import container_names
from kitgen.compile.context import Context
from kitgen.compile.families.config import effective, values_of
from kitgen.compile.families.webhooks import SERVICE
from kitgen.compile.layers import Folded, fold
from kitgen.configtype.values import CONFIG_VALUE
from kitgen.findings import Chapter, Finding, Origin, Path, Rule
from kitgen.objects import Manifest, value_at
from kitgen.schema.wording import shown
from kitgen.yamlio import Json, JsonObject

CONFIG_UNREACHED = Rule(
    id="config-unreached",
    chapter=Chapter.CONFIG,
    title="an address that is asked elsewhere",
    checks=(
        "Where config.yaml says who asks an address (`askedBy`), the value that is set, else its default,"
        " has the port that they ask, and is not turned off for probes and webhooks."
    ),
    fix="Let both say the same port.",
)


CONTAINERS: Path = ("spec", "template", "spec", "containers")
PROBES = ("livenessProbe", "readinessProbe", "startupProbe")
ADDRESS = re.compile(r"(?P<host>[^:\[\]]*|\[[^\]]*\]):(?P<port>[0-9]{1,5})")
LOOPBACK = re.compile(r"localhost|127(\.[0-9]{1,3}){3}|\[::1\]")
OFF = ("", "0", 0)


@dataclass(frozen=True, slots=True)
class Address:
    """A field of the configuration that says where the operator listens."""

    path: tuple[str, ...]
    asked_by: Json
    value: Json
    port: int | None
    """None when it is off, or when it cannot be read."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Who asks a port of the operator's container."""

    who: str
    port: int
    origin: Origin


def unreached(context: Context, objects: list[Manifest]) -> Iterator[Finding]:
    """Yield a finding for every address that those who ask for it do not reach."""
    if context.component.config_type is None or not context.part["deployment"]:
        return
    _, kind = context.component.config_type
    folded = values_of(context)
    known = list(_addresses(kind, {"properties": kind["fields"]}, (), folded))
    container = _container(context, objects)
    if container is None:
        return
    manifest, place, content = container
    served = {each.port for each in known} | set(_ports(content).values())
    for address in known:
        askers = list(_askers(address, context, objects, manifest, place, content))
        reached = [each for each in askers if each.port == address.port]
        others = {each.port for each in askers} - served
        if askers and (not reached or others or _only_inside(address)):
            asker = next((each for each in askers if each not in reached), askers[0])
            yield _finding(address, asker, _origin(address, folded))


def _finding(address: Address, asker: Asked, set_at: Origin | None) -> Finding:
    name, value = ".".join(address.path), shown(address.value)
    at = set_at or asker.origin
    if address.value not in OFF and address.port is None:
        message = f"found {name} {value}, expected an address such as :{asker.port}"
        return CONFIG_VALUE(message).at(at)
    found = f"{name} {value}" if set_at else f"{name} {value} by default"
    if address.value in OFF:
        found = f"{name} turned off"
    elif _only_inside(address) and address.port == asker.port:
        found += ", which only the pod itself reaches"
    message = f"found {found}, but {asker.who} port {asker.port}"
    hint = "let both say the same port"
    return CONFIG_UNREACHED(message, hint=hint).at(at)


def _only_inside(address: Address) -> bool:
    match = ADDRESS.fullmatch(address.value) if isinstance(address.value, str) else None
    return bool(match and LOOPBACK.fullmatch(match["host"]))


def _addresses(
    kind: JsonObject, field: JsonObject, path: tuple[str, ...], folded: Folded | None
) -> Iterator[Address]:
    """Yield every field of the configuration that others ask, with the value that the operator will see."""
    for name, each in field.get("properties", {}).items():
        here = (*path, name)
        if "askedBy" in each:
            value = effective(kind, folded.data if folded else {}, here)
            if value is not None:  # else the operator's default is not known
                yield Address(here, each["askedBy"], value, _port(value))
        yield from _addresses(kind, each, here, folded)


def _port(value: Json) -> int | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return value or None
    match = ADDRESS.fullmatch(value) if isinstance(value, str) else None
    return int(match["port"]) or None if match else None


def _origin(address: Address, folded: Folded | None) -> Origin | None:
    """Return where a target or the component sets the address, if one does."""
    if folded is None:
        return None
    try:
        value_at(folded.data, address.path)
    except KeyError:
        return None
    return folded.exact(address.path).origin


def _container(context: Context, objects: list[Manifest]) -> tuple[Manifest, Path, JsonObject] | None:
    """Return the container that reads the configuration: the one it is mounted into, else the first."""
    mounts = [
        layer.data["mount"]
        for item in context.part["config"]
        for layer in item.layers
        if "mount" in layer.data
    ]
    names = [mount["container"] for mount in mounts[-1:]] or container_names(context.part)[:1]
    deployment = fold(context.part["deployment"][0].layers).data.get("name", "manager")
    for manifest in objects:
        if str(manifest.id) == f"Deployment/{context.name(deployment)}":
            for index, each in enumerate(_list(manifest.body, CONTAINERS)):
                if isinstance(each, dict) and each.get("name") in names:
                    return manifest, (*CONTAINERS, index), each
    return None


def _askers(
    address: Address,
    context: Context,
    objects: list[Manifest],
    deployment: Manifest,
    place: Path,
    container: JsonObject,
) -> Iterator[Asked]:
    ports = _ports(container)
    match address.asked_by:
        case "probes":
            for key in PROBES:
                for number in _probed(container.get(key), ports):
                    yield Asked(f"the {key} asks", number, deployment.origin((*place, key)))
        case "webhooks":
            for each in objects:
                if str(each.id) == f"Service/{context.name(SERVICE)}":
                    for index, entry in enumerate(_list(each.body, ("spec", "ports"))):
                        target = _number(entry.get("targetPort", entry.get("port")), ports)
                        if target is not None:
                            at = each.origin(("spec", "ports", index))
                            yield Asked("the webhooks' Service asks", target, at)
        case {"port": str(name)} if name in ports and address.value not in OFF:
            yield Asked(
                f"the container's port {name!r} is", ports[name], deployment.origin((*place, "ports"))
            )


def _probed(probe: Json, ports: dict[str, int]) -> Iterator[int]:
    for way in ("httpGet", "tcpSocket", "grpc"):
        content = probe.get(way) if isinstance(probe, dict) else None
        number = _number(content.get("port"), ports) if isinstance(content, dict) else None
        if number is not None:
            yield number


def _ports(container: JsonObject) -> dict[str, int]:
    """Return the ports of a container by name; those without one go by their number."""
    given = container.get("ports")
    return {
        str(each.get("name", each.get("containerPort"))): each["containerPort"]
        for each in (given if isinstance(given, list) else ())
        if isinstance(each, dict) and isinstance(each.get("containerPort"), int)
    }


def _number(port: Json, ports: dict[str, int]) -> int | None:
    return port if isinstance(port, int) else ports.get(str(port))


def _list(body: Json, path: Iterable[str | int]) -> list[Json]:
    try:
        found = value_at(body, tuple(path))
    except KeyError:
        return []
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []
