"""Family of Services in front of the operator's pods."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from kitgen.findings import Finding, Path, suggest_word
from kitgen.kit.model import Layer
from kitgen.kube.manifest import FieldSource, Manifest
from kitgen.render.context import RenderContext
from kitgen.render.family import Family, Objects
from kitgen.render.kustomize.field_paths import find_values
from kitgen.render.labels import build_metadata
from kitgen.render.layers import LayeredValue, build_default_source, build_source, merge_layers
from kitgen.text.schema_errors import REFERENCE_MISSING
from kitgen.text.yaml import Json, JsonObject

DEFAULTS = {
    "protocol": "a port that is given by its number is TCP",
    "targetPort": "the port of a container has the same name",
}
"""Why the family sets what a spec does not."""


def build_services(context: RenderContext) -> Iterator[Manifest]:
    """Make each Service; its selector comes from the label rules."""
    for item in context.part["services"]:
        folded = _merge_service_layers(item.layers)
        data = folded.data
        meta, said = build_metadata(context.full_name(item.name), folded, "services")
        spec: JsonObject = {"ports": _expand_ports(data["ports"])}
        spec |= {key: data[key] for key in ("selector", "type") if data.get(key)}
        body = {"apiVersion": "v1", "kind": "Service", "metadata": meta, "spec": spec}
        yield Manifest(body=body, sources=(*_build_sources(folded), *said))


def check_service_ports(context: RenderContext, objects: Objects) -> Iterator[Finding]:
    """Yield a finding for every port that leads to the container port of its name, which is not there.

    The Deployment is as its family makes it; what a patch does to a port is its own affair. A base may
    leave ports to features.
    """
    deployments = objects.made["deployment"] if context.target else ()
    way = "spec/template/spec/containers[]/ports[]/name"
    known = [str(name) for each in deployments for _, name in find_values(each.body, way)]
    for item in context.part["services"] if deployments else ():
        folded = _merge_service_layers(item.layers)
        for name in folded.data["ports"] if isinstance(folded.data["ports"], dict) else ():
            if name not in known:
                message = f"found no port {name!r} of a container, where the port of the Service leads"
                at = folded.touch_at(("ports", name)).origin
                yield REFERENCE_MISSING(message, hint=suggest_word(name, known)).to_finding(at)


def _merge_service_layers(layers: tuple[Layer, ...]) -> LayeredValue:
    """Fold the layers of a Service; ports by name and ports in a list add up as well."""
    ports = [layer.data["ports"] for layer in layers if "ports" in layer.data]
    if not any(isinstance(each, list) for each in ports):
        return merge_layers(layers)
    listed = (
        replace(layer, data={**layer.data, "ports": _expand_ports(layer.data["ports"])})
        if "ports" in layer.data
        else layer
        for layer in layers
    )
    return merge_layers(tuple(listed))


def _build_sources(folded: LayeredValue) -> Iterator[FieldSource]:
    yield build_source(folded.touches[0], (), "services")
    for key in ("selector", "type"):
        if folded.data.get(key):
            yield build_source(folded.touch_at((key,)), ("spec", key), "services")
    ports = folded.data["ports"]
    for index, step in enumerate(ports if isinstance(ports, dict) else range(len(ports))):
        path: Path = ("spec", "ports", index)
        touch = folded.touch_at(("ports", step))
        yield build_source(touch, path, "services")
        for key, why in DEFAULTS.items() if isinstance(ports, dict) else ():
            yield build_default_source(touch, (*path, key), "services", why)


def _expand_ports(ports: Json) -> list[Json]:
    if isinstance(ports, list):
        return ports
    return [
        {"name": name, "port": number, "protocol": "TCP", "targetPort": name}
        for name, number in ports.items()
    ]


FAMILY = Family(objects=build_services, follows=("services",), problems=check_service_ports)
