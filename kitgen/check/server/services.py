"""Services: how they are reached, and what lies behind them."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.check.server import formats
from kitgen.check.server.rules import SERVER_DUPLICATE, SERVER_FORBIDDEN, SERVER_INVALID, SERVER_REQUIRED
from kitgen.check.server.walk import Validators
from kitgen.findings import Problem
from kitgen.kube.names import NameForm
from kitgen.text.wording import choice, cut, shown
from kitgen.text.yaml import Json, JsonObject

TYPES = ("ClusterIP", "NodePort", "LoadBalancer", "ExternalName")
NODE_PORTS = (30000, 32767)
KUBELET = 10250
TRAFFIC = ("Cluster", "Local")
DISTRIBUTIONS = ("PreferClose", "PreferSameZone", "PreferSameNode")
STACKS = ("SingleStack", "PreferDualStack", "RequireDualStack")
FAMILIES = {"IPv4": 4, "IPv6": 6}
DAY = 86400
FOR_BALANCERS = ("allocateLoadBalancerNodePorts", "loadBalancerClass", "loadBalancerSourceRanges")


def _spec(spec: JsonObject) -> Iterator[Problem]:
    kind = formats.text(spec, "type") or "ClusterIP"
    yield from formats.worded(spec, "type", TYPES)
    headless = _addresses(spec) == ["None"]
    if not formats.items(spec.get("ports")) and not headless and kind != "ExternalName":
        yield SERVER_REQUIRED("found no ports, expected at least one", formats.at(spec, "ports"))
    if headless and kind in ("NodePort", "LoadBalancer"):
        yield SERVER_INVALID(f"found None, which a {kind} must not have", formats.at(spec, "clusterIP"))
    if kind == "ExternalName":
        yield from _external_name(spec)
    else:
        yield from _cluster_addresses(spec)
    yield from _ports(spec, kind)
    yield from formats.pairs(spec, "selector")
    yield from _affinity(spec)
    yield from _traffic(spec, kind)
    for field in FOR_BALANCERS if kind != "LoadBalancer" else ():
        if spec.get(field) is not None and spec[field] != []:
            yield SERVER_FORBIDDEN(f"found {field} of a {kind}, expected it of a LoadBalancer", (field,))
    yield from formats.qualified(spec, "loadBalancerClass")
    for index, each in enumerate(formats.items(spec.get("loadBalancerSourceRanges"))):
        if isinstance(each, str) and formats.network(each.strip()) is None:
            message = f"found {shown(each)}, expected a network such as 10.0.0.0/8"
            yield SERVER_INVALID(message, ("loadBalancerSourceRanges", index))


def _addresses(spec: JsonObject) -> list[Json]:
    return formats.items(spec.get("clusterIPs")) or [each for each in [spec.get("clusterIP")] if each]


def _external_name(spec: JsonObject) -> Iterator[Problem]:
    name = formats.text(spec, "externalName").removesuffix(".")
    if not name:
        yield formats.lacking(spec, "externalName", "the name of a host, for the type is ExternalName")
    elif not NameForm.SUBDOMAIN.fits(name):
        yield SERVER_INVALID(f"found {cut(name)}, expected {NameForm.SUBDOMAIN}", ("externalName",))
    for field in ("clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"):
        if not formats.is_unset(spec, field):
            yield SERVER_FORBIDDEN(f"found {field}, which an ExternalName must not have", (field,))


def _cluster_addresses(spec: JsonObject) -> Iterator[Problem]:
    yield from formats.listed(spec, "ipFamilies", tuple(FAMILIES))
    yield from formats.unlike(spec, "ipFamilies")
    yield from formats.worded(spec, "ipFamilyPolicy", STACKS, strict=True)
    two = next(
        (each for each in ("ipFamilies", "clusterIPs") if len(formats.items(spec.get(each))) == 2), None
    )
    if two and formats.text(spec, "ipFamilyPolicy") in ("", STACKS[0]):
        message = f"found two {two}, expected ipFamilyPolicy {choice(STACKS[1:])}"
        yield SERVER_INVALID(message, (two,))
    several, one = formats.items(spec.get("clusterIPs")), formats.text(spec, "clusterIP")
    found = _addresses(spec)
    field = "clusterIPs" if several else "clusterIP"
    if several and several[0] != one:
        message = f"found {shown(several[0])} first, expected clusterIP, which is {shown(one)}"
        yield SERVER_INVALID(message, ("clusterIPs", 0))
    if len(found) > 2:
        yield SERVER_INVALID(f"found {len(found)} addresses, expected at most 2", ("clusterIPs",))
    for index, each in enumerate(found):
        place = (field, index) if several else (field,)
        if each == "None" and len(found) > 1:
            yield SERVER_INVALID("found None beside another address, expected it alone", place)
        elif isinstance(each, str) and each != "None" and not formats.family(each):
            yield SERVER_INVALID(f"found {shown(each)}, expected an IP address or None", place)
    versions = [formats.family(each) for each in found]
    if len(found) == 2 and versions[0] == versions[1] != 0:
        yield SERVER_INVALID("found two addresses of a family, expected one of each", ("clusterIPs", 1))
    wanted = formats.items(spec.get("ipFamilies"))
    for index, (version, name) in enumerate(zip(versions, wanted, strict=False)):
        if version and isinstance(name, str) and FAMILIES.get(name, version) != version:
            message = f"found {shown(found[index])}, expected an address of {name}, as ipFamilies says"
            yield SERVER_INVALID(message, (field, index) if several else (field,))


def _ports(spec: JsonObject, kind: str) -> Iterator[Problem]:
    several = len(formats.items(spec.get("ports"))) > 1
    for index, item in formats.mappings(spec, "ports"):
        for problem in _port(item, kind):
            yield problem.below("ports", index)
        if several and not formats.text(item, "name"):
            yield formats.lacking(item, "name", "one, for there are several ports").below("ports", index)
    yield from formats.unique(spec, "ports", lambda item: item.get("name"), "name", below=("name",))
    for field in ("port", "nodePort"):
        seen: dict[tuple[str, int], int] = {}
        for index, item in formats.mappings(spec, "ports"):
            protocol, found = formats.text(item, "protocol") or "TCP", formats.number(item.get(field))
            if found and seen.setdefault((protocol, found), index) != index:
                message = f"found {field} {found} of {protocol} again, item {seen[protocol, found]} has it"
                yield SERVER_DUPLICATE(message, ("ports", index, field))


def _port(item: JsonObject, kind: str) -> Iterator[Problem]:
    yield from formats.named(item, "name", NameForm.LABEL)
    yield from formats.within(item, "port", *formats.PORTS)
    yield from formats.port(item, "targetPort", zero=True)
    yield from formats.worded(item, "protocol", formats.PROTOCOLS)
    yield from formats.qualified(item, "appProtocol")
    node_port = formats.number(item.get("nodePort"))
    if node_port and kind == "ClusterIP":
        yield SERVER_FORBIDDEN("found a nodePort of a ClusterIP, expected none", ("nodePort",))
    elif node_port and kind in ("NodePort", "LoadBalancer"):
        for problem in formats.within(item, "nodePort", *NODE_PORTS):
            hint = "an API server may have another range (--service-node-port-range)"
            yield SERVER_INVALID(problem.message, problem.path, hint)
    if kind == "LoadBalancer" and item.get("port") == KUBELET:
        yield SERVER_INVALID(f"found {KUBELET}, which is the kubelet's, expected another port", ("port",))


def _affinity(spec: JsonObject) -> Iterator[Problem]:
    yield from formats.worded(spec, "sessionAffinity", ("ClientIP", "None"))
    config = spec.get("sessionAffinityConfig")
    if config is None:
        return
    if formats.text(spec, "sessionAffinity") in ("", "None"):
        message = "found sessionAffinityConfig, expected it only where sessionAffinity is ClientIP"
        yield SERVER_FORBIDDEN(message, ("sessionAffinityConfig",))
        return
    client = formats.mapping(formats.mapping(config).get("clientIP"))
    for problem in formats.within(client, "timeoutSeconds", 1, DAY):
        yield problem.below("sessionAffinityConfig", "clientIP")


def _traffic(spec: JsonObject, kind: str) -> Iterator[Problem]:
    outside = formats.items(spec.get("externalIPs"))
    for index, each in enumerate(outside):
        if isinstance(each, str) and not formats.is_plain(each):
            message = f"found {shown(each)}, expected an IP address that is not special"
            yield SERVER_INVALID(message, ("externalIPs", index))
    policy = formats.text(spec, "externalTrafficPolicy")
    if policy and kind not in ("NodePort", "LoadBalancer") and not (kind == "ClusterIP" and outside):
        message = f"found externalTrafficPolicy of a {kind}, which nobody outside reaches"
        yield SERVER_FORBIDDEN(message, ("externalTrafficPolicy",), "use a NodePort or LoadBalancer")
    else:
        yield from formats.worded(spec, "externalTrafficPolicy", TRAFFIC)
    if kind != "ExternalName":
        yield from formats.worded(spec, "internalTrafficPolicy", TRAFFIC, strict=True)
    yield from formats.worded(spec, "trafficDistribution", DISTRIBUTIONS, strict=True)
    if spec.get("healthCheckNodePort") and not (kind == "LoadBalancer" and policy == "Local"):
        expected = choice(["a LoadBalancer", "externalTrafficPolicy Local"], last="and")
        yield SERVER_FORBIDDEN(f"found healthCheckNodePort without {expected}", ("healthCheckNodePort",))


def _subset(subset: JsonObject) -> Iterator[Problem]:
    if not subset.get("addresses") and not subset.get("notReadyAddresses"):
        yield SERVER_REQUIRED("found neither addresses nor notReadyAddresses, expected one of them")
    several = len(formats.items(subset.get("ports"))) > 1
    for index, item in formats.mappings(subset, "ports"):
        if several and not formats.text(item, "name"):
            yield formats.lacking(item, "name", "one, for there are several ports").below("ports", index)


def _endpoint_address(address: JsonObject) -> Iterator[Problem]:
    found = address.get("ip")
    if isinstance(found, str) and not formats.is_plain(found):
        yield SERVER_INVALID(f"found {shown(found)}, expected an IP address that is not special", ("ip",))
    yield from formats.named(address, "hostname", NameForm.LABEL)
    yield from formats.named(address, "nodeName", NameForm.SUBDOMAIN)


def _endpoint_port(item: JsonObject) -> Iterator[Problem]:
    yield from formats.named(item, "name", NameForm.LABEL)
    yield from formats.within(item, "port", *formats.PORTS)
    yield from formats.worded(item, "protocol", formats.PROTOCOLS)
    yield from formats.qualified(item, "appProtocol")


VALIDATORS: Validators = {
    "core/v1.EndpointAddress": _endpoint_address,
    "core/v1.EndpointPort": _endpoint_port,
    "core/v1.EndpointSubset": _subset,
    "core/v1.ServiceSpec": _spec,
}
