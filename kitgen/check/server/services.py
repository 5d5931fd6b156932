"""Services: types, addresses, ports and traffic policies."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_address, ip_network

from kitgen.check.server.constraints import (
    LABEL,
    OPTIONAL_PORT,
    PORTS,
    PROTOCOLS,
    QUALIFIED_AT_LENGTH,
    each_fits,
    each_of,
    is_given,
    one_of,
    path_of,
    report_missing,
    text_fits,
    valid_labels,
    within,
)
from kitgen.check.server.list_constraints import distinct_by, distinct_texts
from kitgen.check.server.networking import NETWORK, get_ip_version, parse_network
from kitgen.check.server.rule_tables import Fields, Rules, check_fields, nested, prefix_paths
from kitgen.check.server.rules import SERVER_INVALID, SERVER_REQUIRED
from kitgen.findings import Path, Problem, make_problem
from kitgen.kube.names import NameForm, is_qualified_name
from kitgen.text.values import entries_at, list_at, number_at, text_at
from kitgen.text.wording import describe_value, join_words, quote_text
from kitgen.text.yaml import Json, JsonObject

NODE_PORTS = (30000, 32767)
KUBELET = 10250
STACKS = ("SingleStack", "PreferDualStack", "RequireDualStack")
FAMILIES = {"IPv4": 4, "IPv6": 6}
OUTSIDE = ("NodePort", "LoadBalancer")
FOR_BALANCERS = ("allocateLoadBalancerNodePorts", "loadBalancerClass", "loadBalancerSourceRanges")
NEAR = (ip_network("224.0.0.0/24"), ip_network("ff02::/16"))
"""Addresses of all in the same network."""


def _check_spec(spec: JsonObject) -> Iterator[Problem]:
    kind, headless = text_at(spec, "type") or "ClusterIP", _list_cluster_ips(spec) == ["None"]
    if not list_at(spec, "ports") and not headless and kind != "ExternalName":
        yield SERVER_REQUIRED("found no ports, expected at least one", path_of(spec, "ports"))
    if headless and kind in OUTSIDE:
        yield SERVER_INVALID(f"found None, which a {kind} must not have", path_of(spec, "clusterIP"))
    if kind == "ExternalName":
        yield from _check_external_name(spec)
    else:
        yield from check_fields(spec, OF_CLUSTER)
        yield from _check_addresses(spec)
    yield from _check_ports(spec, kind)
    for field in FOR_BALANCERS if kind != "LoadBalancer" else ():
        if spec.get(field) is not None and spec[field] != []:
            yield make_problem(
                "server-forbidden", f"found {field} of a {kind}, expected it of a LoadBalancer", (field,)
            )
    yield from _check_traffic(spec, kind)


def _list_cluster_ips(spec: JsonObject) -> list[Json]:
    return list_at(spec, "clusterIPs") or [each for each in [spec.get("clusterIP")] if each]


def _check_external_name(spec: JsonObject) -> Iterator[Problem]:
    if not (name := text_at(spec, "externalName").removesuffix(".")):
        yield report_missing(spec, "externalName", "the name of a host, for the type is ExternalName")
    elif not NameForm.SUBDOMAIN.matches(name):
        yield SERVER_INVALID(f"found {quote_text(name)}, expected {NameForm.SUBDOMAIN}", ("externalName",))
    for field in ("clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"):
        if is_given(spec.get(field)):
            yield make_problem(
                "server-forbidden", f"found {field}, which an ExternalName must not have", (field,)
            )


def _check_addresses(spec: JsonObject) -> Iterator[Problem]:
    """Report addresses in the cluster that contradict each other, or the families of the service."""
    two = next((each for each in ("ipFamilies", "clusterIPs") if len(list_at(spec, each)) == 2), None)
    if two and text_at(spec, "ipFamilyPolicy") in ("", STACKS[0]):
        yield SERVER_INVALID(f"found two {two}, expected ipFamilyPolicy {join_words(STACKS[1:])}", (two,))
    several, one, found = list_at(spec, "clusterIPs"), text_at(spec, "clusterIP"), _list_cluster_ips(spec)
    if several and several[0] != one:
        yield SERVER_INVALID(
            f"found {describe_value(several[0])} first, expected clusterIP, which is {describe_value(one)}",
            ("clusterIPs", 0),
        )
    if len(found) > 2:
        yield SERVER_INVALID(f"found {len(found)} addresses, expected at most 2", ("clusterIPs",))
    versions, wanted = [get_ip_version(each) for each in found], list_at(spec, "ipFamilies")
    for index, (each, version) in enumerate(zip(found, versions, strict=True)):
        place: Path = ("clusterIPs", index) if several else ("clusterIP",)
        name = wanted[index] if index < len(wanted) else None
        if each == "None" and len(found) > 1:
            yield SERVER_INVALID("found None beside another address, expected it alone", place)
        elif isinstance(each, str) and each != "None" and not version:
            yield SERVER_INVALID(f"found {describe_value(each)}, expected an IP address or None", place)
        elif version and isinstance(name, str) and FAMILIES.get(name, version) != version:
            yield SERVER_INVALID(
                f"found {describe_value(each)}, expected an address of {name}, as ipFamilies says", place
            )
    if len(found) == 2 and versions[0] == versions[1] != 0:
        yield SERVER_INVALID("found two addresses of a family, expected one of each", ("clusterIPs", 1))


def _check_ports(spec: JsonObject, kind: str) -> Iterator[Problem]:
    seen: dict[tuple[str, str, int], int] = {}
    several = len(list_at(spec, "ports")) > 1
    for index, item in entries_at(spec, "ports"):
        yield from prefix_paths(_check_port(item, kind), "ports", index)
        if several and not text_at(item, "name"):
            yield report_missing(item, "name", "one, for there are several ports").prefix_path("ports", index)
        protocol = text_at(item, "protocol") or "TCP"
        for field in ("port", "nodePort"):
            found = number_at(item, field)
            if found and (first := seen.setdefault((field, protocol, found), index)) != index:
                yield make_problem(
                    "server-duplicate",
                    f"found {field} {found} of {protocol} again, item {first} has it",
                    ("ports", index, field),
                )


def _check_port(item: JsonObject, kind: str) -> Iterator[Problem]:
    yield from check_fields(item, PORT)
    if item.get("targetPort") not in (0, ""):
        yield from check_fields(item, {"targetPort": OPTIONAL_PORT})
    if (node_port := number_at(item, "nodePort")) and kind == "ClusterIP":
        yield make_problem(
            "server-forbidden", "found a nodePort of a ClusterIP, expected none", ("nodePort",)
        )
    for wrong in within(*NODE_PORTS)(item, "nodePort") if node_port and kind in OUTSIDE else ():
        yield SERVER_INVALID(
            wrong.message, wrong.path, "an API server may have another range (--service-node-port-range)"
        )
    if kind == "LoadBalancer" and item.get("port") == KUBELET:
        yield SERVER_INVALID(f"found {KUBELET}, which is the kubelet's, expected another port", ("port",))


def _check_session_affinity(spec: JsonObject, field: str) -> Iterator[Problem]:
    if spec.get(field) is None:
        return
    if text_at(spec, "sessionAffinity") in ("", "None"):
        yield make_problem(
            "server-forbidden",
            "found sessionAffinityConfig, expected it only where sessionAffinity is ClientIP",
            (field,),
        )
    else:
        yield from nested({"clientIP": nested({"timeoutSeconds": within(1, 86400)})})(spec, field)


def _is_non_special_ip(text: str) -> bool:
    """Return whether a text is an address that is not special."""
    if not get_ip_version(text):
        return False
    try:
        address = ip_address(text)
    except ValueError:
        return True  # with zeros before a number
    special = address.is_unspecified or address.is_loopback or address.is_link_local
    return not special and not any(address in each for each in NEAR if each.version == address.version)


def _check_traffic(spec: JsonObject, kind: str) -> Iterator[Problem]:
    policy = text_at(spec, "externalTrafficPolicy")
    if policy and kind not in OUTSIDE and not (kind == "ClusterIP" and list_at(spec, "externalIPs")):
        yield make_problem(
            "server-forbidden",
            f"found externalTrafficPolicy of a {kind}, which nobody outside reaches",
            ("externalTrafficPolicy",),
            "use a NodePort or LoadBalancer",
        )
    else:
        yield from one_of("Cluster", "Local", empty=True, hint=False)(spec, "externalTrafficPolicy")
    if spec.get("healthCheckNodePort") and not (kind == "LoadBalancer" and policy == "Local"):
        yield make_problem(
            "server-forbidden",
            "found healthCheckNodePort without a LoadBalancer and externalTrafficPolicy Local",
            ("healthCheckNodePort",),
        )


QUALIFIED_NAME = text_fits(is_qualified_name, QUALIFIED_AT_LENGTH, empty=True)
PORT: Fields = {
    "name": LABEL,
    "port": within(*PORTS),
    "protocol": one_of(*PROTOCOLS, empty=True, hint=False),
    "appProtocol": QUALIFIED_NAME,
}
OF_CLUSTER: Fields = {
    "ipFamilies": (each_of(*FAMILIES), distinct_texts),
    "ipFamilyPolicy": one_of(*STACKS, hint=False),
    "internalTrafficPolicy": one_of("Cluster", "Local", hint=False),
}
RULES: Rules = {
    "core/v1.ServiceSpec": (
        {
            "type": one_of("ClusterIP", *OUTSIDE, "ExternalName", empty=True, hint=False),
            "ports": distinct_by(),
            "selector": valid_labels,
            "sessionAffinity": one_of("ClientIP", "None", empty=True, hint=False),
            "sessionAffinityConfig": _check_session_affinity,
            "loadBalancerClass": QUALIFIED_NAME,
            "loadBalancerSourceRanges": each_fits(lambda each: parse_network(each.strip()), NETWORK),
            "externalIPs": each_fits(_is_non_special_ip, "an IP address that is not special"),
            "trafficDistribution": one_of("PreferClose", "PreferSameZone", "PreferSameNode", hint=False),
        },
        _check_spec,
    ),
}
