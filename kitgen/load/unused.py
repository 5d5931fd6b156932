"""What specs say without effect: settings, patches and images that nothing takes up."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kitgen.findings import Finding, Origin
from kitgen.model import Component, Item, Kit, Layer, Part, Settings, Target
from kitgen.semver import in_range
from kitgen.yamlio import Json


def check_unused(kit: Kit) -> list[Finding]:
    """Return a finding for everything that nothing in the kit takes up, whatever a target ships."""
    findings: list[Finding] = []
    for target in kit.targets.values():
        findings += _target(kit, target)
    for versions in kit.components.values():
        for component in versions.values():
            findings += _component(kit, component)
    return findings


def _unused(message: str, origin: Origin, hint: str = "") -> Finding:
    return Finding(rule="setting-unused", message=message, origin=origin, hint=hint or "remove it")


def _target(kit: Kit, target: Target) -> Iterator[Finding]:
    built = {name for release in kit.releases.values() for name in release.components}
    for name, blocks in target.settings.items():
        at = target.origin.at("components", name)
        if name in kit.components and name not in built:
            yield _unused(f"found settings of {name!r}, which no release builds", at, _add(name))
        for _, settings in blocks:
            yield from _settings(settings)
    cluster = target.data_science_cluster
    for key, name in cluster.components.items() if cluster else ():
        if cluster and name in kit.components and name not in built:
            message = f"found the component {name!r}, which no release builds"
            yield _unused(message, cluster.origin.at("components", key), _add(name))


def _add(name: str) -> str:
    return f"add {name} to a release, or remove it here"


def _settings(settings: Settings) -> Iterator[Finding]:
    place = settings.namespace
    if place is not None and place.value.labels and not place.value.create:
        message = "found labels of a namespace that is not created"
        yield _unused(message, place.origin.at("labels"), "say create: true, or remove them")


def _component(kit: Kit, component: Component) -> Iterator[Finding]:
    parts = [component.part, *(feature.part for feature in component.features.values())]
    for part in parts:
        for patch in part.patches:
            layer = patch.layers[0]
            wanted = layer.data.get("versions", "")
            if not in_range(component.version, wanted):
                message = f"found a patch for {wanted!r}, where the component is {component.version}"
                yield _unused(message, layer.origin.at("versions"))
        yield from _roles(part)
        yield from _probes(part)
    patches = _target_values(kit, component.name)
    for name in component.images:
        if not _is_used(name, parts, patches):
            message = f"found the image {name!r}, which nothing runs, holds or reads"
            yield _unused(message, component.origin.at("images", name))


def _roles(part: Part) -> Iterator[Finding]:
    for layer in _layers(part.roles):
        if "binding" in layer.data and layer.data.get("bind") == "none":
            message = "found the name of a binding that is not made"
            yield _unused(message, layer.origin.at("binding"), "remove it, or say bind: operator")


def _probes(part: Part) -> Iterator[Finding]:
    for layer in _layers(part.deployment):
        for name, content in layer.data.get("containers", {}).items():
            if {"health", "livenessProbe", "readinessProbe"} <= content.keys():
                message = "found a port for probes that are both written out"
                yield _unused(message, layer.origin.at("containers", name, "health"))


def _layers(items: tuple[Item, ...]) -> Iterator[Layer]:
    return (layer for item in items for layer in item.layers)


def _is_used(name: str, parts: list[Part], others: list[Json]) -> bool:
    """Tell whether a container runs an image, a parameter holds it, or an expression may read it."""
    for part in parts:
        containers = [c for layer in _layers(part.deployment) for c in layer.data.get("containers", {}).values()]
        keys = [key for layer in _layers(part.params) for key in layer.data["keys"].values()]
        if any(each.get("image") == name for each in (*containers, *keys)):
            return True
    sections = [getattr(part, section) for part in parts for section in part.__slots__]
    texts = (text for items in sections for layer in _layers(items) for text in _texts(layer.data))
    return any(reads_image(text, name) for text in (*texts, *(t for other in others for t in _texts(other))))


def _target_values(kit: Kit, component: str) -> list[Json]:
    """Return what targets say of a component where expressions are computed."""
    blocks = [block for target in kit.targets.values() for _, block in target.settings.get(component, ())]
    values: list[Json] = [setting.value for block in blocks for setting in block.config]
    return values + [patch.layers[0].data for block in blocks for patch in block.patches]


def reads_image(text: str, name: str) -> bool:
    """Tell whether an expression in a text may read an image: it says the name, or takes all of them."""
    said = re.findall(r"\bimages\b(.{0,3})", text, re.DOTALL) if "{{" in text else []
    return bool(said) and (name in text or any(after[:1] not in (".", "[") for after in said))


def _texts(value: Json) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _texts(item)
