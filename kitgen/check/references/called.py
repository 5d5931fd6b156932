"""Who calls a Service by its name: webhooks, conversions of CRDs, API services, ingresses and routes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from kitgen.check.index import below, entries
from kitgen.check.references.ports import Port, is_name, offered
from kitgen.check.references.scene import Found, Named, Scene
from kitgen.findings import Chapter, Path, Problem, Rule, Severity, near
from kitgen.objects import Manifest
from kitgen.schema.wording import choice, cut, shown
from kitgen.yamlio import Json, JsonObject

SERVICE_MISSING = Rule(
    id="service-missing",
    chapter=Chapter.BETWEEN,
    checks=(
        "A Service that a webhook, a conversion, an APIService, an Ingress, a Route or a "
        "StatefulSet names is among those of its namespace, if there are any."
    ),
    fix="Correct the name or the namespace, or add the Service.",
    why=(
        "Nothing is refused at first. But every request that a webhook has to see fails then, "
        "unless it may be ignored; objects of a CRD cannot be read in another version; an ingress "
        "answers with an error."
    ),
    severity=Severity.WARNING,
    exceptable=True,
)

SERVICE_PORT_MISSING = Rule(
    id="service-port-missing",
    chapter=Chapter.BETWEEN,
    checks="A port at which a Service is called, 443 if none is given, is one of its ports.",
    fix="Name a port of the Service, or add the port there.",
    why=(
        "The Service does not answer at this port: calls of a webhook or a conversion fail, and so "
        "do the requests that they belong to; an ingress answers with an error."
    ),
    exceptable=True,
)

HOOKS = ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")
HTTPS = 443


class _Call(NamedTuple):
    manifest: Manifest
    path: Path
    """Of the part that names the Service."""
    namespace: str
    name: Json
    port: Json
    """A number or a name; None if any will do."""
    at: Path
    """Of the port, or of what it is left out in."""


def look(scene: Scene) -> Iterator[Found]:
    """Yield calls of Services that are not there, or at ports that they do not have."""
    for call in (*_hooks(scene), *_ingresses(scene), *_routes(scene)):
        if not isinstance(call.name, str) or not call.name:
            continue  # schemas tell of it
        service = scene.get("", "Service", call.namespace, call.name)
        if service is None:
            hint = scene.missing(Named("", "Service", call.namespace, call.name))
            if hint is not None:
                where = f" in the namespace {cut(call.namespace)}" if call.namespace else ""
                message = f"found no Service {cut(call.name)}{where}"
                yield call.manifest, SERVICE_MISSING(message, (*call.path, "name"), hint)
        elif (found := _wrong_port(call, service)) is not None:
            yield call.manifest, found


def _wrong_port(call: _Call, service: Manifest) -> Problem | None:
    """Return that a Service does not have the port that it is called at."""
    ports = offered(service.body)
    elsewhere = below(service.body, "spec", "type") == "ExternalName"
    odd = not isinstance(call.port, int | str) or call.port == ""
    if odd or elsewhere or not ports or any(_is(port, call.port) for port in ports):
        return None
    known: list[Json] = [port.name if isinstance(call.port, str) else port.number for port in ports]
    known = [each for each in known if each]
    message = f"found the port {shown(call.port)}, which {service.id} does not have"
    there = f"it has {choice(known, last='and', say=shown)}" if known else "its ports have no names"
    slip = near(call.port, [str(each) for each in known]) if isinstance(call.port, str) else ""
    return SERVICE_PORT_MISSING(message, call.at, slip or there)


def _is(port: Port, wanted: Json) -> bool:
    return wanted in ((port.name,) if isinstance(wanted, str) else (port.number,))


def _hooks(scene: Scene) -> Iterator[_Call]:
    for manifest in scene.of("admissionregistration.k8s.io", *HOOKS):
        for index, hook in entries(manifest.body, "webhooks"):
            yield from _service(manifest, hook, ("webhooks", index), "clientConfig", "service")
    for manifest in scene.of("apiextensions.k8s.io", "CustomResourceDefinition"):
        yield from _service(
            manifest, manifest.body, (), "spec", "conversion", "webhook", "clientConfig", "service"
        )
    for manifest in scene.of("apiregistration.k8s.io", "APIService"):
        yield from _service(manifest, manifest.body, (), "spec", "service")


def _service(manifest: Manifest, value: Json, above: Path, *steps: str) -> Iterator[_Call]:
    service = below(value, *steps)
    if not isinstance(service, dict):
        return
    path = (*above, *steps)
    port, namespace = service.get("port"), service.get("namespace")
    if isinstance(namespace, str) and namespace:
        at = path if port is None else (*path, "port")
        yield _Call(manifest, path, namespace, service.get("name"), HTTPS if port is None else port, at)


def _ingresses(scene: Scene) -> Iterator[_Call]:
    for manifest in scene.of("networking.k8s.io", "Ingress"):
        spec = below(manifest.body, "spec")
        backends: list[tuple[Path, Json]] = [(("spec", "defaultBackend"), below(spec, "defaultBackend"))]
        for at, rule in entries(spec, "rules"):
            backends += [
                (("spec", "rules", at, "http", "paths", index, "backend"), each.get("backend"))
                for index, each in entries(rule, "http", "paths")
            ]
        for path, backend in backends:
            service = below(backend, "service")
            if isinstance(service, dict):
                yield from _at_named(manifest, service, (*path, "service"))


def _at_named(manifest: Manifest, service: JsonObject, path: Path) -> Iterator[_Call]:
    name, number = below(service, "port", "name"), below(service, "port", "number")
    key = "name" if isinstance(name, str) and name else "number"
    port = name if key == "name" else number
    port = port if isinstance(port, int | str) else None
    yield _Call(manifest, path, manifest.id.namespace, service.get("name"), port, (*path, "port", key))


def _routes(scene: Scene) -> Iterator[_Call]:
    for manifest in scene.of("route.openshift.io", "Route"):
        port = below(manifest.body, "spec", "port", "targetPort")
        named = port if isinstance(port, str) and is_name(port) else None
        at: Path = ("spec", "port", "targetPort")
        backends: list[tuple[Path, Json]] = [(("spec", "to"), below(manifest.body, "spec", "to"))]
        backends += [
            (("spec", "alternateBackends", index), each)
            for index, each in entries(manifest.body, "spec", "alternateBackends")
        ]
        for path, backend in backends:
            if below(backend, "kind") in (None, "", "Service"):
                name = below(backend, "name")
                yield _Call(manifest, path, manifest.id.namespace, name, named, at)
