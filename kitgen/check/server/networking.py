"""IP addresses, Ingresses with their classes, and NetworkPolicies."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from typing import TypeVar

from kitgen.check.server.constraints import (
    LABEL,
    NAME,
    OPTIONAL_PORT,
    PORTS,
    PROTOCOLS,
    each_fits,
    each_of,
    exactly_one,
    filled,
    one_of,
    path_of,
    present,
    report_missing,
    text_fits,
    valid_name,
    within,
)
from kitgen.check.server.list_constraints import find_duplicates, max_count
from kitgen.check.server.rule_tables import Rules, check_fields, prefix_paths
from kitgen.check.server.rules import SERVER_INVALID, SERVER_REQUIRED, SERVER_WARNING
from kitgen.findings import Path, Problem, make_problem
from kitgen.kube.names import NameForm
from kitgen.text.patterns import compile_late
from kitgen.text.values import entries_at, list_at, map_at, number_at, text_at, text_entries_at, value_at
from kitgen.text.wording import describe_value, quote_text
from kitgen.text.yaml import Json, JsonObject

T = TypeVar("T")
PATH_REST = compile_late(r"[A-Za-z0-9/\-._~%!$&'()*+,;=:]+")
ZEROS = compile_late(r"(?<![0-9a-fA-F:])0+(?=[0-9])")
LONGEST_ADDRESS = 64
NETWORK = "a network such as 10.0.0.0/8"
DIRECTIONS = {"Ingress": "ingress", "Egress": "egress"}
PATH_TYPES = ("Exact", "Prefix", "ImplementationSpecific")
WITHIN = ("//", "/./", "/../", "%2f", "%2F")
ENDS = ("/..", "/.")
CLASS = "kubernetes.io/ingress.class"
LONGEST_CONTROLLER = 250


def _parse_address(value: Json, parse: Callable[[str], T]) -> T | None:
    """Parse an address or a network as an API server does: zeros before a number do not count."""
    if not isinstance(value, str) or len(value) > LONGEST_ADDRESS or "%" in value:
        return None
    try:
        return parse(ZEROS.sub("", value) if ":" not in value else value)
    except ValueError:
        return None


def parse_network(value: Json) -> IPv4Network | IPv6Network | None:
    """Return a network as an API server reads it; None for what is none."""
    _, slash, size = str(value).rpartition("/")
    return _parse_address(value, partial(ip_network, strict=False)) if slash and size.isdecimal() else None


def get_ip_version(value: Json) -> int:
    """Return the version of an IP address as an API server reads it; 0 for what is none."""
    address = _parse_address(value, ip_address)
    return 0 if address is None else address.version


def is_domain_path(value: str) -> bool:
    """Return whether a text is a path with a domain before it, such as example.com/class."""
    domain, slash, rest = value.partition("/")
    return bool(slash) and NameForm.SUBDOMAIN.matches(domain) and PATH_REST.fullmatch(rest) is not None


def _check_ingress(body: JsonObject) -> Iterator[Problem]:
    spec, old = map_at(body, "spec"), value_at(body, "metadata", "annotations", CLASS)
    if not list_at(spec, "rules") and spec.get("defaultBackend") is None:
        yield SERVER_REQUIRED(
            "found neither defaultBackend nor rules, expected one of them", path_of(body, "spec")
        )
    new = spec.get("ingressClassName")
    if isinstance(old, str) and isinstance(new, str) and old != new:
        yield SERVER_INVALID(
            f"found the class {quote_text(old)}, expected {quote_text(new)}, which ingressClassName says",
            ("metadata", "annotations", CLASS),
            "remove the annotation",
        )


def _check_paths(spec: JsonObject, field: str) -> Iterator[Problem]:
    paths: Iterator[tuple[Path, tuple[str, str, str]]] = (
        (
            (field, at, "http", "paths", index, *path_of(path, "path")),
            (text_at(rule, "host"), text_at(path, "path"), text_at(path, "pathType")),
        )
        for at, rule in entries_at(spec, field)
        for index, path in entries_at(rule, "http", "paths")
    )
    for where, (_, text, _), _ in find_duplicates(paths):
        yield make_problem("named-twice", f"found the path {describe_value(text)} of the host again", where)


def _is_host_name(text: str) -> bool:
    if "*" not in text:
        return NameForm.SUBDOMAIN.matches(text)
    return text.startswith("*.") and len(text) <= 253 and NameForm.SUBDOMAIN.matches(text[2:])


def _check_path(path: JsonObject) -> Iterator[Problem]:
    kind, text = text_at(path, "pathType"), text_at(path, "path")
    if kind not in PATH_TYPES or (kind == "ImplementationSpecific" and not text):
        return
    if not text.startswith("/"):
        yield SERVER_INVALID(
            f"found {describe_value(text)}, expected a path from / on", path_of(path, "path")
        )
    elif kind != "ImplementationSpecific" and (any(each in text for each in WITHIN) or text.endswith(ENDS)):
        yield SERVER_INVALID(
            f"found {quote_text(text)}, expected a path without //, /., /.. and %2f", ("path",)
        )


def _check_service(backend: JsonObject) -> Iterator[Problem]:
    if not isinstance(service := backend.get("service"), dict) or backend.get("resource") is not None:
        return
    found = [*check_fields(service, {"name": (filled(), valid_name(NameForm.WORD))})]
    port = map_at(service, "port")
    name, number = text_at(port, "name"), number_at(port, "number")
    if name and number:
        message = "found name and number of a port, expected one of them"
        found.append(make_problem("server-forbidden", message, ("port", "name")))
    elif not name and not number:
        found.append(report_missing(service, "port", "name or number of one"))
    else:
        found += prefix_paths(check_fields(port, {"name" if name else "number": OPTIONAL_PORT}), "port")
    yield from prefix_paths(found, "service")


def _check_scope(parameters: JsonObject) -> Iterator[Problem]:
    if parameters.get("scope") == "Namespace":
        if not text_at(parameters, "namespace"):
            yield report_missing(parameters, "namespace", "one, for the scope is Namespace")
        yield from LABEL(parameters, "namespace")
    elif parameters.get("namespace") is not None:
        yield make_problem(
            "server-forbidden", "found a namespace, expected none where the scope is Cluster", ("namespace",)
        )


def _check_policy_types(spec: JsonObject) -> Iterator[Problem]:
    if len(types := list_at(spec, "policyTypes")) == 2 and types[0] == types[1]:
        yield make_problem(
            "named-twice", f"found {describe_value(types[1])} again, expected it once", ("policyTypes", 1)
        )
    if len(types) > 2:
        yield make_problem(
            "server-limit", "found more than two types, expected Ingress, Egress or both", ("policyTypes",)
        )
    known = types and all(isinstance(each, str) and each in DIRECTIONS for each in types)
    for kind, field in DIRECTIONS.items() if known else ():
        if kind not in types and list_at(spec, field):
            yield SERVER_WARNING(
                f"found no {kind} among the types, expected it: the rules under {field} count for nothing",
                ("policyTypes", 0),
            )


def _check_end_port(found: JsonObject) -> Iterator[Problem]:
    start, end = found.get("port"), number_at(found, "endPort")
    if end is None:
        return
    if start is None:
        yield SERVER_REQUIRED("found endPort without port, expected both", ("endPort",))
    elif isinstance(start, str):
        yield make_problem(
            "server-forbidden", "found endPort beside the name of a port, expected a number", ("endPort",)
        )
    else:
        yield from within(*PORTS)(found, "endPort")
        if (first := number_at(found, "port")) is not None and end < first:
            yield SERVER_INVALID(f"found {end}, expected {first} or more", ("endPort",))


def _check_peer(peer: JsonObject) -> Iterator[Problem]:
    selectors = [each for each in ("podSelector", "namespaceSelector") if peer.get(each) is not None]
    block = peer.get("ipBlock")
    if not selectors and block is None:
        yield SERVER_REQUIRED("found nobody, expected podSelector, namespaceSelector or ipBlock")
    elif selectors and block is not None:
        yield make_problem(
            "server-forbidden", f"found ipBlock beside {selectors[0]}, expected one of them", ("ipBlock",)
        )


def _check_exceptions(block: JsonObject) -> Iterator[Problem]:
    outer = parse_network(block.get("cidr"))
    for index, each in text_entries_at(block, "except"):
        inner = parse_network(each)
        if (
            inner is not None
            and outer is not None
            and not (
                inner.version == outer.version
                and inner.prefixlen > outer.prefixlen
                and inner.network_address in outer
            )
        ):
            yield SERVER_INVALID(
                f"found {describe_value(each)}, expected a part of {describe_value(block['cidr'])}",
                ("except", index),
            )


RULES: Rules = {
    "networking/v1.HTTPIngressPath": ({"pathType": one_of(*PATH_TYPES, hint=False)}, _check_path),
    "networking/v1.HTTPIngressRuleValue": {"paths": filled("at least one")},
    "networking/v1.IPBlock": (
        {"cidr": text_fits(parse_network, NETWORK, empty=True), "except": each_fits(parse_network, NETWORK)},
        _check_exceptions,
    ),
    "networking/v1.Ingress": _check_ingress,
    "networking/v1.IngressBackend": (exactly_one("backend", "service", "resource"), _check_service),
    "networking/v1.IngressClassParametersReference": (
        {
            "kind": filled(),
            "name": filled(),
            "apiGroup": NAME,
            "scope": one_of("Cluster", "Namespace", empty=True, hint=False),
        },
        _check_scope,
    ),
    "networking/v1.IngressClassSpec": {
        "controller": (
            present("one such as example.com/ingress", text_at),
            max_count(LONGEST_CONTROLLER, "characters"),
            text_fits(
                lambda text: len(text) > LONGEST_CONTROLLER or is_domain_path(text),
                "a domain and a path such as example.com/ingress",
            ),
        )
    },
    "networking/v1.IngressRule": {
        "host": text_fits(
            lambda host: _is_host_name(host) and not get_ip_version(host),
            f"{NameForm.SUBDOMAIN}, with *. before it if any, and no address",
        )
    },
    "networking/v1.IngressSpec": {
        "rules": _check_paths,
        "ingressClassName": valid_name(NameForm.SUBDOMAIN, empty=True),
    },
    "networking/v1.IngressTLS": {
        "hosts": each_fits(_is_host_name, str(NameForm.SUBDOMAIN)),
        "secretName": NAME,
    },
    "networking/v1.NetworkPolicyPeer": _check_peer,
    "networking/v1.NetworkPolicyPort": (
        {"protocol": one_of(*PROTOCOLS, hint=False), "port": OPTIONAL_PORT},
        _check_end_port,
    ),
    "networking/v1.NetworkPolicySpec": ({"policyTypes": each_of(*DIRECTIONS)}, _check_policy_types),
}
