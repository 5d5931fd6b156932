"""Family of Services in front of the operator's pods."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from kitgen.findings import Finding, Path, near
from kitgen.kit.model import Layer
from kitgen.kube.manifest import FieldSource, Manifest
from kitgen.render.context import RenderContext
from kitgen.render.family import Family, Objects
from kitgen.render.kustomize.field_paths import places
from kitgen.render.labels import metadata
from kitgen.render.layers import LayeredValue, default, fold, source
from kitgen.text.schema_errors import REFERENCE_MISSING
from kitgen.text.yaml import Json, JsonObject

DEFAULTS = {
    "protocol": "a port that is given by its number is TCP",
    "targetPort": "the port of a container has the same name",
}
"""Why the family sets what a spec does not."""


def services(context: RenderContext) -> Iterator[Manifest]:
    """Make each Service; its selector comes from the label rules."""
    for item in context.part["services"]:
        folded = _fold(item.layers)
        data = folded.data
        meta, said = metadata(context.name(item.name), folded, "services")
        spec: JsonObject = {"ports": _ports(data["ports"])}
        spec |= {key: data[key] for key in ("selector", "type") if data.get(key)}
        body = {"apiVersion": "v1", "kind": "Service", "metadata": meta, "spec": spec}
        yield Manifest(body=body, sources=(*_sources(folded), *said))


def unknown_ports(context: RenderContext, objects: Objects) -> Iterator[Finding]:
    """Yield a finding for every port that leads to the container port of its name, which is not there.

    The Deployment is as its family makes it; what a patch does to a port is its own affair. A base may
    leave ports to features.
    """
    deployments = objects.made["deployment"] if context.target else ()
    way = "spec/template/spec/containers[]/ports[]/name"
    known = [str(name) for each in deployments for _, name in places(each.body, way)]
    for item in context.part["services"] if deployments else ():
        folded = _fold(item.layers)
        for name in folded.data["ports"] if isinstance(folded.data["ports"], dict) else ():
            if name not in known:
                message = f"found no port {name!r} of a container, where the port of the Service leads"
                at = folded.exact(("ports", name)).origin
                yield REFERENCE_MISSING(message, hint=near(name, known)).at(at)


def _fold(layers: tuple[Layer, ...]) -> LayeredValue:
    """Fold the layers of a Service; ports by name and ports in a list add up as well."""
    ports = [layer.data["ports"] for layer in layers if "ports" in layer.data]
    if not any(isinstance(each, list) for each in ports):
        return fold(layers)
    listed = (
        replace(layer, data={**layer.data, "ports": _ports(layer.data["ports"])})
        if "ports" in layer.data
        else layer
        for layer in layers
    )
    return fold(tuple(listed))


def _sources(folded: LayeredValue) -> Iterator[FieldSource]:
    yield source(folded.touches[0], (), "services")
    for key in ("selector", "type"):
        if folded.data.get(key):
            yield source(folded.exact((key,)), ("spec", key), "services")
    ports = folded.data["ports"]
    for index, step in enumerate(ports if isinstance(ports, dict) else range(len(ports))):
        path: Path = ("spec", "ports", index)
        touch = folded.exact(("ports", step))
        yield source(touch, path, "services")
        for key, why in DEFAULTS.items() if isinstance(ports, dict) else ():
            yield default(touch, (*path, key), "services", why)


def _ports(ports: Json) -> list[Json]:
    if isinstance(ports, list):
        return ports
    return [
        {"name": name, "port": number, "protocol": "TCP", "targetPort": name}
        for name, number in ports.items()
    ]


FAMILY = Family(objects=services, problems=unknown_ports)
