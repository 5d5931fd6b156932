"""Who calls a Service by its name: webhooks, conversions of CRDs, API services, and what leads in."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.check.references.routes import ServiceCall, ways_in
from kitgen.check.references.target_objects import ELSEWHERE, Found, ObjectName, TargetObjects
from kitgen.findings import Path, Problem, near, rule
from kitgen.kube.manifest import Manifest
from kitgen.kube.services import service_ports, target_numbers
from kitgen.text.values import entries_at, value_at
from kitgen.text.wording import choice, cut, shown
from kitgen.text.yaml import Json

SERVICE_MISSING = rule("service-missing")
SERVICE_PORT_MISSING = rule("service-port-missing")

HOOKS = ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")
HTTPS = 443


def look(scene: TargetObjects) -> Iterator[Found]:
    """Yield calls of Services that are not there, or at ports that they do not have."""
    for call in (*hook_calls(scene), *ways_in(scene)):
        if not isinstance(call.name, str) or not call.name:
            continue  # schemas tell of it
        service = scene.get("", "Service", call.namespace, call.name)
        if service is None:
            hint = scene.missing(ObjectName("", "Service", call.namespace, call.name))
            if hint is not None:
                where = f" in the namespace {cut(call.namespace)}" if call.namespace else ""
                message = f"found no Service {cut(call.name)}{where}"
                is_placed = isinstance(value_at(call.manifest.body, *call.path, "namespace"), str)
                at = "namespace" if is_placed and hint.startswith(ELSEWHERE) else "name"
                yield call.manifest, SERVICE_MISSING(message, (*call.path, at), hint)
        elif (found := _wrong_port(call, service)) is not None:
            yield call.manifest, found


def _wrong_port(call: ServiceCall, service: Manifest) -> Problem | None:
    """Return that a Service does not have the port that it is called at."""
    elsewhere = value_at(service.body, "spec", "type") == "ExternalName"
    odd = not isinstance(call.port, int | str) or call.port == ""
    known = [] if odd or elsewhere else _known(call, service)
    if not known or call.port in known:
        return None
    names: list[Json] = sorted(each for each in known if each)
    message = f"found the port {shown(call.port)}, which {service.id} does not have"
    there = f"it has {choice(names, last='and', say=shown)}" if names else "its ports have no names"
    slip = near(call.port, [str(each) for each in names]) if isinstance(call.port, str) else ""
    return SERVICE_PORT_MISSING(message, call.at, slip or there)


def _known(call: ServiceCall, service: Manifest) -> list[str] | list[int]:
    """Return the ports that a Service can be called at, in the way it is; none if nobody can know."""
    if isinstance(call.port, str):
        return [port.name for port in service_ports(service.body)]
    if call.is_pods:
        return list(target_numbers(service.body) or ())
    return [port.number for port in service_ports(service.body)]


def hook_calls(scene: TargetObjects) -> Iterator[ServiceCall]:
    """Yield the calls that the API server makes: of webhooks, conversions and extension servers."""
    for manifest in scene.of("admissionregistration.k8s.io", *HOOKS):
        for index, hook in entries_at(manifest.body, "webhooks"):
            yield from _service(manifest, hook, ("webhooks", index), "clientConfig", "service")
    for manifest in scene.of("apiextensions.k8s.io", "CustomResourceDefinition"):
        yield from _service(
            manifest, manifest.body, (), "spec", "conversion", "webhook", "clientConfig", "service"
        )
    for manifest in scene.of("apiregistration.k8s.io", "APIService"):
        yield from _service(manifest, manifest.body, (), "spec", "service")


def _service(manifest: Manifest, value: Json, above: Path, *steps: str) -> Iterator[ServiceCall]:
    service = value_at(value, *steps)
    if not isinstance(service, dict):
        return
    path = (*above, *steps)
    port, namespace = service.get("port"), service.get("namespace")
    if isinstance(namespace, str) and namespace:
        at = path if port is None else (*path, "port")
        yield ServiceCall(manifest, path, namespace, service.get("name"), HTTPS if port is None else port, at)
