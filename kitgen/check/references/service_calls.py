"""Check Services that are called by name, by the API server or by ingress traffic.

The API server calls webhooks, CRD conversions and APIServices. Ingresses and OpenShift Routes lead in from
outside.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from kitgen.check.references.target_objects import ELSEWHERE, Found, ObjectName, TargetObjects
from kitgen.findings import Path, Problem, get_rule, make_problem, suggest_word
from kitgen.kube.manifest import Manifest
from kitgen.kube.pods import is_port_name
from kitgen.kube.services import list_target_ports, service_ports
from kitgen.text.values import text_at, value_at
from kitgen.text.wording import describe_value, join_words, quote_text
from kitgen.text.yaml import Json

SERVICE_MISSING = get_rule("service-missing")

HOOKS = ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")
HOOKED = (
    ("admissionregistration.k8s.io", HOOKS, "webhooks[]/clientConfig/service"),
    (
        "apiextensions.k8s.io",
        ("CustomResourceDefinition",),
        "spec/conversion/webhook/clientConfig/service",
    ),
    ("apiregistration.k8s.io", ("APIService",), "spec/service"),
)
"""Group, kinds and fields of what the API server calls."""
INGRESSES = tuple(
    ("networking.k8s.io", ("Ingress",), f"spec/{way}/service")
    for way in ("defaultBackend", "rules[]/http/paths[]/backend")
)
OPENSHIFT = tuple(("route.openshift.io", ("Route",), f"spec/{way}") for way in ("to", "alternateBackends[]"))
HTTPS, DIGITS = 443, 6


class ServiceCall(NamedTuple):
    """A Service that is called by its name."""

    manifest: Manifest
    path: Path
    """Of the part that names the Service."""
    namespace: str
    name: Json
    port: Json
    """A number or a name; None if any will do."""
    at: Path
    """Of the port, or of what it is left out in."""
    is_pods: bool = False
    """Whether a number is one of the pods that are behind the Service."""


def list_api_server_calls(scene: TargetObjects) -> Iterator[ServiceCall]:
    """Yield the calls that the API server makes."""
    for manifest, path, service in scene.find_fields(*HOOKED):
        port, namespace = value_at(service, "port"), text_at(service, "namespace")
        if namespace and port is None:
            yield ServiceCall(manifest, path, namespace, value_at(service, "name"), HTTPS, path)
        elif namespace:
            yield ServiceCall(manifest, path, namespace, value_at(service, "name"), port, (*path, "port"))


def list_ingress_calls(scene: TargetObjects) -> Iterator[ServiceCall]:
    """Yield the Services that requests from outside are led to."""
    for manifest, path, service in scene.find_fields(*INGRESSES):
        key = "name" if text_at(service, "port", "name") else "number"
        port = value_at(service, "port", key)
        yield ServiceCall(
            manifest,
            path,
            manifest.id.namespace,
            value_at(service, "name"),
            port if isinstance(port, int | str) else None,
            (*path, "port", key),
        )
    for manifest, path, backend in scene.find_fields(*OPENSHIFT):
        at: Path = ("spec", "port", "targetPort")
        port = value_at(manifest.body, *at)
        port = int(port) if isinstance(port, str) and port.isdecimal() and len(port) < DIGITS else port
        wanted = port if is_port_name(port) or isinstance(port, int) else None
        if value_at(backend, "kind") in (None, "", "Service"):
            name = value_at(backend, "name")
            yield ServiceCall(manifest, path, manifest.id.namespace, name, wanted, at, is_pods=True)


def check_service_calls(scene: TargetObjects) -> Iterator[Found]:
    """Yield calls of Services that are not there, or at ports that they do not have."""
    for call in (*list_api_server_calls(scene), *list_ingress_calls(scene)):
        if not isinstance(call.name, str) or not call.name:
            continue  # schemas report it
        if (service := scene.get("", "Service", call.namespace, call.name)) is not None:
            yield from ((call.manifest, wrong) for wrong in _check_port(call, service))
        elif (
            hint := scene.hint_for_missing(ObjectName("", "Service", call.namespace, call.name))
        ) is not None:
            where = f" in the namespace {quote_text(call.namespace)}" if call.namespace else ""
            is_placed = isinstance(value_at(call.manifest.body, *call.path, "namespace"), str)
            at = "namespace" if is_placed and hint.startswith(ELSEWHERE) else "name"
            message = f"found no Service {quote_text(call.name)}{where}"
            yield call.manifest, SERVICE_MISSING(message, (*call.path, at), hint)


def _check_port(call: ServiceCall, service: Manifest) -> Iterator[Problem]:
    """Yield that a Service does not have the port that it is called at."""
    elsewhere = value_at(service.body, "spec", "type") == "ExternalName"
    odd = not isinstance(call.port, int | str) or call.port == ""
    known = [] if odd or elsewhere else _list_callable_ports(call, service)
    if known and call.port not in known:
        names: list[Json] = sorted(each for each in known if each)
        there = (
            f"it has {join_words(names, last='and', say=describe_value)}"
            if names
            else "its ports have no names"
        )
        slip = suggest_word(call.port, [str(each) for each in names]) if isinstance(call.port, str) else ""
        message = f"found the port {describe_value(call.port)}, which {service.id} does not have"
        yield make_problem("service-port-missing", message, call.at, slip or there)


def _list_callable_ports(call: ServiceCall, service: Manifest) -> list[str] | list[int]:
    """Return the ports that a Service can be called at, in the way it is; none if unknown."""
    if isinstance(call.port, str):
        return [port.name for port in service_ports(service.body)]
    if call.is_pods:
        return list(list_target_ports(service.body) or ())
    return [port.number for port in service_ports(service.body)]
