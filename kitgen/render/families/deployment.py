"""Family of the operator's Deployment."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from kitgen.findings import Cause, CauseKind, Origin, Path
from kitgen.kube.manifest import FieldSource, Manifest
from kitgen.render.context import RenderContext
from kitgen.render.environment import apply_variables, check_unset_variables
from kitgen.render.family import Family
from kitgen.render.layers import LayeredValue, LayerTouch, build_default_source, build_source, merge_layers
from kitgen.text.yaml import Json, JsonObject

POD: Path = ("spec", "template", "spec")
PLACES: dict[str, Path] = {
    "annotations": ("metadata", "annotations"),
    "containers": (*POD, "containers"),
    "labels": ("metadata", "labels"),
    "minReadySeconds": ("spec", "minReadySeconds"),
    "pod": POD,
    "podAnnotations": ("spec", "template", "metadata", "annotations"),
    "podLabels": ("spec", "template", "metadata", "labels"),
    "progressDeadlineSeconds": ("spec", "progressDeadlineSeconds"),
    "replicas": ("spec", "replicas"),
    "revisionHistoryLimit": ("spec", "revisionHistoryLimit"),
    "selector": ("spec", "selector", "matchLabels"),
    "strategy": ("spec", "strategy"),
    "volumes": (*POD, "volumes"),
}
"""Key of a spec → where it stands in the object."""
PASSED = ("minReadySeconds", "progressDeadlineSeconds", "revisionHistoryLimit")
"""Fields of a Deployment's spec that are taken as they are."""
USUAL: JsonObject = {"name": "manager", "replicas": 1}
POD_USUAL: JsonObject = {"securityContext": {"runAsNonRoot": True}, "terminationGracePeriodSeconds": 10}
"""What the family sets by itself, in the Deployment and in the spec of its pods."""
DEFAULTS = {
    "replicas": "one works, and others would wait for it to lose the lead",
    "securityContext": "an operator needs no root",
    "terminationGracePeriodSeconds": "an operator ends quickly, since another one goes on where it stopped",
}
"""Why the family sets what a spec does not."""
PROBE_DEFAULTS = {
    "path": "managers that are made with controller-runtime answer here",
    "initialDelaySeconds": "as kubebuilder sets up managers",
    "periodSeconds": "as kubebuilder sets up managers",
}
PROTOCOL = "a port that is given by its number is TCP"


def build_deployment(context: RenderContext) -> Iterator[Manifest]:
    """Make the Deployment from its layers and from the additions of other families."""
    for item in context.part["deployment"]:
        layers = (
            replace(
                layer,
                data=_expand_containers(layer.data),
                given=layer.data if layer.given is None else layer.given,
            )
            for layer in (*item.layers, *context.additions)
        )
        folded = merge_layers(tuple(layers))
        body = _build_body(context, {**USUAL, **folded.data})
        yield apply_variables(context, Manifest(body=body, sources=tuple(_build_sources(context, folded))))


def _build_body(context: RenderContext, data: JsonObject) -> JsonObject:
    """Return a Deployment; it must find the pods that it makes."""
    replicas, selector = context.settings.replicas, data.get("selector")
    containers = [
        _build_container(context, name, content) for name, content in data.get("containers", {}).items()
    ]
    around: JsonObject = {
        "labels": {**data.get("selector", {}), **data.get("podLabels", {})},
        "annotations": data.get("podAnnotations"),
    }
    meta: JsonObject = {key: value for key, value in around.items() if value}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {
            "name": context.full_name(data["name"]),
            **{key: data[key] for key in ("labels", "annotations") if data.get(key)},
        },
        "spec": {
            "replicas": data["replicas"] if replicas is None else replicas.value,
            "template": {
                **({"metadata": meta} if meta else {}),
                "spec": _build_pod_spec(context, data, containers),
            },
            **{key: data[key] for key in PASSED if key in data},
            **({"strategy": data["strategy"]} if data.get("strategy") else {}),
            **({"selector": {"matchLabels": selector}} if selector else {}),
        },
    }


def _expand_containers(data: JsonObject) -> JsonObject:
    """Return a layer whose containers merge as Kubernetes has them."""
    if "containers" not in data:
        return data
    return {**data, "containers": {name: expand_container(each) for name, each in data["containers"].items()}}


def expand_container(container: JsonObject) -> JsonObject:
    """Return a container of a spec with its shorthands written out, as Kubernetes has it."""
    content = dict(container)
    if isinstance(ports := content.get("ports"), dict):
        content["ports"] = [
            {"containerPort": number, "name": port, "protocol": "TCP"} for port, number in ports.items()
        ]
    if "env" in content:
        content["env"] = [
            {"name": name, "value" if isinstance(value, str) else "valueFrom": value}
            for name, value in content["env"].items()
        ]
    if "health" in content:
        # A probe that is written out says more than the port.
        probes = build_probes(content.pop("health"))
        content |= {key: probe for key, probe in probes.items() if key not in content}
    if "resources" in content:
        content["resources"] = expand_resources(content["resources"])
    return content


def expand_resources(data: JsonObject) -> JsonObject:
    """Write out cpu and memory as requests and limits alike."""
    both = {key: data[key] for key in ("cpu", "memory") if key in data}
    alike = {key: {**both, **data.get(key, {})} for key in ("limits", "requests")} if both else {}
    return {**alike, **{key: value for key, value in data.items() if key not in both and key not in alike}}


def build_probes(port: int) -> JsonObject:
    """Return the probes that a port alone stands for."""
    usual = {"livenessProbe": ("/healthz", 15, 20), "readinessProbe": ("/readyz", 5, 10)}
    return {
        key: {"httpGet": {"path": path, "port": port}, "initialDelaySeconds": delay, "periodSeconds": period}
        for key, (path, delay, period) in usual.items()
    }


def _build_container(context: RenderContext, name: str, data: JsonObject) -> JsonObject:
    content: JsonObject = {"name": name, **data}
    if data.get("image") in context.images:
        content["image"] = context.images[data["image"]][0]
    if name in context.settings.resources:
        content["resources"] = expand_resources(context.settings.resources[name].value)
    return content


def _build_pod_spec(context: RenderContext, data: JsonObject, containers: list[Json]) -> JsonObject:
    volumes = [{"name": name, **volume} for name, volume in data.get("volumes", {}).items()]
    return {
        "containers": containers,
        "securityContext": POD_USUAL["securityContext"],
        **({"serviceAccountName": context.account} if context.account else {}),
        **POD_USUAL,
        **({"volumes": volumes} if volumes else {}),
        **data.get("pod", {}),
    }


def _build_sources(context: RenderContext, folded: LayeredValue) -> Iterator[FieldSource]:
    yield build_source(folded.touches[0], (), "deployment")
    yield from context.account_sources((*POD, "serviceAccountName"))
    for label in folded.data.get("selector", {}):
        yield build_source(folded.touch_at(("selector", label)), (*PLACES["podLabels"], label), "deployment")
    indexes = {
        key: {name: index for index, name in enumerate(folded.data.get(key, ()))}
        for key in ("containers", "volumes")
    }
    for touch in folded.touches[1:]:
        short, path = _trace_health_port(touch), _to_object_path(touch.path, indexes)
        if path and touch is not short and touch.path[-1] in PROBE_DEFAULTS:
            yield build_default_source(short, path, "deployment", PROBE_DEFAULTS[str(touch.path[-1])])
        elif path:
            yield build_source(short, path, "deployment")
    yield from _build_default_sources(context, folded)
    if context.settings.replicas is not None:
        yield _build_setting_source(
            "replicas", ("spec", "replicas"), context.settings.replicas.origin, context
        )
    for index, (name, content) in enumerate(folded.data.get("containers", {}).items()):
        place: Path = (*POD, "containers", index)
        yield from _build_item_sources(folded, name, place)
        if (image := content.get("image")) in context.images:
            cause, origin = Cause(CauseKind.IMAGE, image), context.images[image][1]
            yield FieldSource(path=(*place, "image"), cause=cause, origin=origin)
        if setting := context.settings.resources.get(name):
            yield _build_setting_source("resources", (*place, "resources"), setting.origin, context)


def _build_item_sources(folded: LayeredValue, container: str, place: Path) -> Iterator[FieldSource]:
    """Trace ports and variables that the spec has by name back to their lines, and report what is added."""
    for key in ("ports", "env"):
        for number, item in enumerate(folded.data["containers"][container].get(key, ())):
            written = folded.touch_at(("containers", container, key, number))
            named = replace(written, within=("containers", container, key, item.get("name", "")))
            if named.layer.has_path(named.within):
                yield build_source(named, (*place, key, number), "deployment")
            if key == "ports" and not written.layer.has_path(written.within):
                yield build_default_source(written, (*place, key, number, "protocol"), "deployment", PROTOCOL)


def _build_default_sources(context: RenderContext, folded: LayeredValue) -> Iterator[FieldSource]:
    """Attribute what no spec sets to the family, with the reason."""
    data, whole = folded.data, folded.touches[0]
    if "replicas" not in data and context.settings.replicas is None:
        yield build_default_source(whole, ("spec", "replicas"), "deployment", DEFAULTS["replicas"])
    for key in ("securityContext", "terminationGracePeriodSeconds"):
        if key not in data.get("pod", {}):
            yield build_default_source(whole, (*POD, key), "deployment", DEFAULTS[key])


def _trace_health_port(touch: LayerTouch) -> LayerTouch:
    """Trace a probe back to the port that it was expanded from."""
    match touch.within:
        case ("containers", name, "livenessProbe" | "readinessProbe", *_) if touch.layer.has_path(
            ("containers", name, "health")
        ):
            return replace(touch, within=("containers", name, "health"))
    return touch


def _build_setting_source(name: str, path: Path, origin: Origin, context: RenderContext) -> FieldSource:
    cause = Cause(CauseKind.SETTING, name)
    return FieldSource(path=path, cause=cause, origin=origin, why=f"{context.target} sets it")


def _to_object_path(path: Path, indexes: dict[str, dict[str, int]]) -> Path:
    """Return where in the object a value of the spec ends up; empty if it is nowhere as it is."""
    key, *rest = path
    if rest and key in indexes:
        rest[0] = indexes[str(key)][str(rest[0])]
    elif key in indexes:
        return ()
    return (*PLACES[str(key)], *rest) if key in PLACES else ()


FAMILY = Family(objects=build_deployment, problems=lambda context, _: check_unset_variables(context))
