"""Ingresses, their classes, and policies of networks."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.check.server import formats
from kitgen.check.server.rules import (
    NAMED_TWICE,
    SERVER_FORBIDDEN,
    SERVER_INVALID,
    SERVER_LIMIT,
    SERVER_REQUIRED,
    SERVER_WARNING,
)
from kitgen.check.server.walk import Validators
from kitgen.findings import Problem
from kitgen.kube.names import NameForm
from kitgen.text.values import value_at
from kitgen.text.wording import cut, shown
from kitgen.text.yaml import Json, JsonObject

DIRECTIONS = ("Ingress", "Egress")
PATH_TYPES = ("Exact", "Prefix", "ImplementationSpecific")
WITHIN = ("//", "/./", "/../", "%2f", "%2F")
ENDS = ("/..", "/.")
CLASS = "kubernetes.io/ingress.class"
LONGEST_CONTROLLER = 250


def _ingress(body: JsonObject) -> Iterator[Problem]:
    spec = formats.mapping(body.get("spec"))
    if not formats.items(spec.get("rules")) and spec.get("defaultBackend") is None:
        message = "found neither defaultBackend nor rules, expected one of them"
        yield SERVER_REQUIRED(message, formats.at(body, "spec"))
    old, new = value_at(body, "metadata", "annotations", CLASS), spec.get("ingressClassName")
    if isinstance(old, str) and isinstance(new, str) and old != new:
        message = f"found the class {cut(old)}, expected {cut(new)}, which ingressClassName says"
        yield SERVER_INVALID(message, ("metadata", "annotations", CLASS), "remove the annotation")


def _ingress_spec(spec: JsonObject) -> Iterator[Problem]:
    seen: set[tuple[str, str, str]] = set()
    for at, rule in formats.mappings(spec, "rules"):
        for index, path in formats.mappings(formats.mapping(rule.get("http")), "paths"):
            what = (formats.text(rule, "host"), formats.text(path, "path"), formats.text(path, "pathType"))
            if what in seen:
                where = ("rules", at, "http", "paths", index, *formats.at(path, "path"))
                yield NAMED_TWICE(f"found the path {shown(what[1])} of the host again", where)
            seen.add(what)
    name = spec.get("ingressClassName")
    if isinstance(name, str) and not NameForm.SUBDOMAIN.fits(name):
        yield SERVER_INVALID(f"found {shown(name)}, expected {NameForm.SUBDOMAIN}", ("ingressClassName",))


def _tls(tls: JsonObject) -> Iterator[Problem]:
    for index, host in enumerate(formats.items(tls.get("hosts"))):
        if isinstance(host, str) and not _is_host(host):
            yield SERVER_INVALID(f"found {shown(host)}, expected {NameForm.SUBDOMAIN}", ("hosts", index))
    yield from formats.named(tls, "secretName", NameForm.SUBDOMAIN)


def _rule(rule: JsonObject) -> Iterator[Problem]:
    host = formats.text(rule, "host")
    if host and (not _is_host(host) or formats.family(host)):
        message = (
            f"found {cut(host)}, expected {NameForm.SUBDOMAIN}, with *. before it if any, and no address"
        )
        yield SERVER_INVALID(message, ("host",))


def _is_host(text: str) -> bool:
    if "*" not in text:
        return NameForm.SUBDOMAIN.fits(text)
    return text.startswith("*.") and len(text) <= 253 and NameForm.SUBDOMAIN.fits(text[2:])


def _http(http: JsonObject) -> Iterator[Problem]:
    yield from formats.needed(http, "paths", expected="at least one")


def _path(path: JsonObject) -> Iterator[Problem]:
    yield from formats.worded(path, "pathType", PATH_TYPES, strict=True)
    kind, text = formats.text(path, "pathType"), formats.text(path, "path")
    if kind not in PATH_TYPES or (kind == "ImplementationSpecific" and not text):
        return
    if not text.startswith("/"):
        message = f"found {shown(text)}, expected a path from / on"
        yield SERVER_INVALID(message, formats.at(path, "path"))
    elif kind != "ImplementationSpecific" and (any(each in text for each in WITHIN) or text.endswith(ENDS)):
        message = f"found {cut(text)}, expected a path without //, /., /.. and %2f"
        yield SERVER_INVALID(message, ("path",))


def _backend(backend: JsonObject) -> Iterator[Problem]:
    yield from formats.exactly_one(backend, ("service", "resource"), "backend")
    service = backend.get("service")
    if not isinstance(service, dict) or backend.get("resource") is not None:
        return
    for problem in _service(service):
        yield problem.below("service")


def _service(service: JsonObject) -> Iterator[Problem]:
    yield from formats.needed(service, "name")
    yield from formats.named(service, "name", NameForm.WORD)
    found = formats.mapping(service.get("port"))
    name, number = formats.text(found, "name"), formats.number(found.get("number"))
    if name and number:
        yield SERVER_FORBIDDEN("found name and number of a port, expected one of them", ("port", "name"))
    elif not name and not number:
        yield formats.lacking(service, "port", "name or number of one")
    else:
        for problem in formats.port(found, "name" if name else "number"):
            yield problem.below("port")


def _class_spec(spec: JsonObject) -> Iterator[Problem]:
    controller = formats.text(spec, "controller")
    if not controller:
        yield formats.lacking(spec, "controller", "one such as example.com/ingress")
    elif len(controller) > LONGEST_CONTROLLER:
        yield SERVER_LIMIT(f"found more than {LONGEST_CONTROLLER} characters", ("controller",))
    elif not formats.is_domain_path(controller):
        message = f"found {cut(controller)}, expected a domain and a path such as example.com/ingress"
        yield SERVER_INVALID(message, ("controller",))


def _class_parameters(found: JsonObject) -> Iterator[Problem]:
    yield from formats.needed(found, "kind", "name")
    yield from formats.named(found, "apiGroup", NameForm.SUBDOMAIN)
    yield from formats.worded(found, "scope", ("Cluster", "Namespace"))
    if found.get("scope") == "Namespace":
        if not formats.text(found, "namespace"):
            yield formats.lacking(found, "namespace", "one, for the scope is Namespace")
        yield from formats.named(found, "namespace", NameForm.LABEL)
    elif found.get("namespace") is not None:
        message = "found a namespace, expected none where the scope is Cluster"
        yield SERVER_FORBIDDEN(message, ("namespace",))


def _policy(spec: JsonObject) -> Iterator[Problem]:
    yield from formats.listed(spec, "policyTypes", DIRECTIONS)
    types = formats.items(spec.get("policyTypes"))
    if len(types) == 2 and types[0] == types[1]:
        yield NAMED_TWICE(f"found {shown(types[1])} again, expected it once", ("policyTypes", 1))
    if len(types) > 2:
        yield SERVER_LIMIT("found more than two types, expected Ingress, Egress or both", ("policyTypes",))
    for field, kind in (("ingress", "Ingress"), ("egress", "Egress")):
        if (
            types
            and kind not in types
            and all(each in DIRECTIONS for each in types)
            and formats.items(spec.get(field))
        ):
            message = (
                f"found no {kind} among the types, expected it: the rules under {field} count for nothing"
            )
            yield SERVER_WARNING(message, ("policyTypes", 0))


def _policy_port(found: JsonObject) -> Iterator[Problem]:
    yield from formats.worded(found, "protocol", formats.PROTOCOLS, strict=True)
    yield from formats.port(found, "port")
    start, end = found.get("port"), formats.number(found.get("endPort"))
    if end is None:
        return
    if start is None:
        yield SERVER_REQUIRED("found endPort without port, expected both", ("endPort",))
    elif isinstance(start, str):
        yield SERVER_FORBIDDEN("found endPort beside the name of a port, expected a number", ("endPort",))
    else:
        yield from formats.within(found, "endPort", *formats.PORTS)
        if (first := formats.number(start)) is not None and end < first:
            yield SERVER_INVALID(f"found {end}, expected {first} or more", ("endPort",))


def _peer(peer: JsonObject) -> Iterator[Problem]:
    selectors = [each for each in ("podSelector", "namespaceSelector") if peer.get(each) is not None]
    block = peer.get("ipBlock")
    if not selectors and block is None:
        yield SERVER_REQUIRED("found nobody, expected podSelector, namespaceSelector or ipBlock")
    elif selectors and block is not None:
        yield SERVER_FORBIDDEN(f"found ipBlock beside {selectors[0]}, expected one of them", ("ipBlock",))


def _block(block: JsonObject) -> Iterator[Problem]:
    outer = formats.network(block.get("cidr"))
    if outer is None and isinstance(block.get("cidr"), str):
        yield _no_network(block["cidr"]).below("cidr")
    for index, each in enumerate(formats.items(block.get("except"))):
        inner = formats.network(each)
        if inner is None:
            if isinstance(each, str):
                yield _no_network(each).below("except", index)
        elif outer is not None and not (
            inner.version == outer.version
            and inner.prefixlen > outer.prefixlen
            and inner.network_address in outer
        ):
            message = f"found {shown(each)}, expected a part of {shown(block['cidr'])}"
            yield SERVER_INVALID(message, ("except", index))


def _no_network(value: Json) -> Problem:
    return SERVER_INVALID(f"found {shown(value)}, expected a network such as 10.0.0.0/8")


VALIDATORS: Validators = {
    "networking/v1.HTTPIngressPath": _path,
    "networking/v1.HTTPIngressRuleValue": _http,
    "networking/v1.IPBlock": _block,
    "networking/v1.Ingress": _ingress,
    "networking/v1.IngressBackend": _backend,
    "networking/v1.IngressClassParametersReference": _class_parameters,
    "networking/v1.IngressClassSpec": _class_spec,
    "networking/v1.IngressRule": _rule,
    "networking/v1.IngressSpec": _ingress_spec,
    "networking/v1.IngressTLS": _tls,
    "networking/v1.NetworkPolicyPeer": _peer,
    "networking/v1.NetworkPolicyPort": _policy_port,
    "networking/v1.NetworkPolicySpec": _policy,
}
