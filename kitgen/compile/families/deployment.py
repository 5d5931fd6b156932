"""Family of the operator's Deployment."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from kitgen.compile.context import Context
from kitgen.compile.family import Family
from kitgen.compile.layers import Folded, Touch, default, fold, source
from kitgen.findings import Cause, Kind, Origin, Path
from kitgen.objects import Manifest, Source
from kitgen.yamlio import Json, JsonObject

POD: Path = ("spec", "template", "spec")
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


def deployment(context: Context) -> Iterator[Manifest]:
    """Make the Deployment from its layers and from what other families ask of it."""
    for item in context.part["deployment"]:
        layers = tuple(
            replace(layer, data=_normal(layer.data), given=layer.data if layer.given is None else layer.given)
            for layer in (*item.layers, *context.asked)
        )
        folded = fold(layers)
        data = folded.data
        containers = [
            _container(context, name, content) for name, content in data.get("containers", {}).items()
        ]
        template: JsonObject = {}
        if data.get("podAnnotations"):
            template["metadata"] = {"annotations": data["podAnnotations"]}
        template["spec"] = _pod(context, data, containers)
        spec: JsonObject = {"replicas": data.get("replicas", 1), "template": template}
        if context.settings.replicas is not None:
            spec["replicas"] = context.settings.replicas.value
        if data.get("strategy"):
            spec["strategy"] = data["strategy"]
        name = context.name(data.get("name", "manager"))
        body = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name}, "spec": spec}
        yield Manifest(body=body, sources=tuple(_sources(context, folded)))


def _normal(data: JsonObject) -> JsonObject:
    """Return a layer with shorthands written out, so that layers merge as Kubernetes has them."""
    if "containers" not in data:
        return data
    containers = {}
    for name, given in data["containers"].items():
        content = dict(given)
        if isinstance(content.get("ports"), dict):
            content["ports"] = [
                {"containerPort": number, "name": port, "protocol": "TCP"}
                for port, number in content["ports"].items()
            ]
        if "env" in content:
            content["env"] = [
                {"name": key, "value": value} if isinstance(value, str) else {"name": key, "valueFrom": value}
                for key, value in content["env"].items()
            ]
        if "health" in content:
            # A probe that is written out says more than the port.
            probes = _probes(content.pop("health"))
            content |= {key: probe for key, probe in probes.items() if key not in content}
        if "resources" in content:
            content["resources"] = resources(content["resources"])
        containers[name] = content
    return {**data, "containers": containers}


def resources(data: JsonObject) -> JsonObject:
    """Write out cpu and memory as requests and limits alike."""
    both = {key: data[key] for key in ("cpu", "memory") if key in data}
    rest = {key: value for key, value in data.items() if key not in both}
    if not both:
        return rest
    alike = {key: {**both, **rest.get(key, {})} for key in ("limits", "requests")}
    return {**alike, **{key: value for key, value in rest.items() if key not in alike}}


def _probes(port: int) -> JsonObject:
    def probe(path: str, delay: int, period: int) -> JsonObject:
        return {
            "httpGet": {"path": path, "port": port},
            "initialDelaySeconds": delay,
            "periodSeconds": period,
        }

    return {"livenessProbe": probe("/healthz", 15, 20), "readinessProbe": probe("/readyz", 5, 10)}


def _container(context: Context, name: str, data: JsonObject) -> JsonObject:
    content: JsonObject = {"name": name, **data}
    if data.get("image") in context.images:
        content["image"] = context.images[data["image"]][0]
    if name in context.settings.resources:
        content["resources"] = resources(context.settings.resources[name].value)
    return content


def _pod(context: Context, data: JsonObject, containers: list[Json]) -> JsonObject:
    pod: JsonObject = {"containers": containers, "securityContext": {"runAsNonRoot": True}}
    if context.account:
        pod["serviceAccountName"] = context.account
    pod["terminationGracePeriodSeconds"] = 10
    if data.get("volumes"):
        pod["volumes"] = [{"name": name, **volume} for name, volume in data["volumes"].items()]
    return {**pod, **data.get("pod", {})}


def _sources(context: Context, folded: Folded) -> Iterator[Source]:
    yield source(folded.touches[0], (), "deployment")
    names = list(folded.data.get("containers", {}))
    volumes = list(folded.data.get("volumes", {}))
    yield from context.account_sources((*POD, "serviceAccountName"))
    for touch in folded.touches[1:]:
        short = _from_health(touch)
        for path in _paths(touch.path, names, volumes):
            made = source(short, path, "deployment")
            given = touch is short or touch.path[-1] not in PROBE_DEFAULTS
            yield made if given else default(short, path, "deployment", PROBE_DEFAULTS[str(touch.path[-1])])
    yield from _short_items(folded, names)
    yield from _defaults(context, folded, names)
    if context.settings.replicas is not None:
        yield _setting("replicas", ("spec", "replicas"), context.settings.replicas.origin, context)
    for index, name in enumerate(names):
        image = folded.data["containers"][name].get("image")
        if image in context.images:
            path = (*POD, "containers", index, "image")
            yield Source(path=path, cause=Cause(Kind.IMAGE, image), origin=context.images[image][1])
        if name in context.settings.resources:
            origin = context.settings.resources[name].origin
            yield _setting("resources", (*POD, "containers", index, "resources"), origin, context)


def _short_items(folded: Folded, names: list[str]) -> Iterator[Source]:
    """Lead ports and variables that the spec has by name back to their own lines."""
    for index, name in enumerate(names):
        for key in ("ports", "env"):
            for number, item in enumerate(folded.data["containers"][name].get(key, ())):
                path: Path = ("containers", name, key, number)
                touch = replace(folded.exact(path), within=(*path[:-1], item.get("name", "")))
                if touch.layer.has(touch.within):
                    yield source(touch, (*POD, "containers", index, key, number), "deployment")


def _defaults(context: Context, folded: Folded, names: list[str]) -> Iterator[Source]:
    """Say of what no spec sets that the family does, and why."""
    data, whole = folded.data, folded.touches[0]
    if "replicas" not in data and context.settings.replicas is None:
        yield default(whole, ("spec", "replicas"), "deployment", DEFAULTS["replicas"])
    for key in ("securityContext", "terminationGracePeriodSeconds"):
        if key not in data.get("pod", {}):
            yield default(whole, (*POD, key), "deployment", DEFAULTS[key])
    for index, name in enumerate(names):
        for number in range(len(data["containers"][name].get("ports", ()))):
            port: Path = ("containers", name, "ports", number)
            touch = folded.exact(port)
            if not touch.layer.has(touch.within):
                yield default(
                    touch, (*POD, "containers", index, *port[2:], "protocol"), "deployment", PROTOCOL
                )


def _from_health(touch: Touch) -> Touch:
    """Lead a probe back to the port that it was written out from."""
    match touch.within:
        case ("containers", str(name), "livenessProbe" | "readinessProbe", *_):
            short: Path = ("containers", name, "health")
            return replace(touch, within=short) if touch.layer.has(short) else touch
        case _:
            return touch


def _setting(name: str, path: Path, origin: Origin, context: Context) -> Source:
    cause = Cause(Kind.SETTING, name)
    return Source(path=path, cause=cause, origin=origin, why=f"{context.target} sets it")


def _paths(path: Path, names: list[str], volumes: list[str]) -> list[Path]:
    """Return where in the object a value of the spec ends up."""
    match path:
        case ("containers", str(name), *rest):
            return [(*POD, "containers", names.index(name), *rest)]
        case ("volumes", str(name), *rest):
            return [(*POD, "volumes", volumes.index(name), *rest)]
        case ("replicas" | "strategy", *_):
            return [("spec", *path)]
        case ("podAnnotations", *rest):
            return [("spec", "template", "metadata", "annotations", *rest)]
        case ("pod", *rest):
            return [(*POD, *rest)]
        case _:
            return []


FAMILY = Family(key="deployment", objects=deployment)
