"""What specs say without effect: settings, patches and images that nothing takes up."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.findings import Finding, Origin
from kitgen.load.rules import SETTING_UNUSED
from kitgen.model import Component, Kit, Settings, Target
from kitgen.model.usage import uses_image
from kitgen.schema.wording import choice
from kitgen.semver import in_range
from kitgen.yamlio import Json


def check_unused(kit: Kit) -> list[Finding]:
    """Return a finding for everything that nothing in the kit takes up, whatever a target ships."""
    of_targets = (finding for target in kit.targets.values() for finding in _target(kit, target))
    return [*of_targets, *(finding for each in kit.every_component for finding in _component(kit, each))]


def unused(message: str, origin: Origin, hint: str = "remove it") -> Finding:
    """Say that something has no effect."""
    return SETTING_UNUSED(message, hint=hint).at(origin)


def _target(kit: Kit, target: Target) -> Iterator[Finding]:
    built = {name for release in kit.releases.values() for name in release.components}
    for name, blocks in target.settings.items():
        at = target.origin.at("components", name)
        if name in kit.versions and name not in built:
            yield unused(f"found settings of {name!r}, which no release builds", at, _add(name))
        for wanted, settings in blocks:
            place = settings.namespace
            if place is not None and place.value.labels and not place.value.create:
                message = "found labels of a namespace that is not created"
                yield unused(message, place.origin.at("labels"), "say create: true, or remove them")
            yield from _versions(list(kit.versions.get(name, ())), wanted, settings)
    cluster = target.data_science_cluster
    for key, name in cluster.components.items() if cluster else ():
        if cluster and name in kit.versions and name not in built:
            message = f"found the component {name!r}, which no release builds"
            yield unused(message, cluster.origin.at("components", key), _add(name))


def _add(name: str) -> str:
    return f"add {name} to a release, or remove it here"


def _versions(known: list[str], wanted: str, settings: Settings) -> Iterator[Finding]:
    """Yield a finding for settings and patches that are for versions which the kit does not have."""
    fitting = [version for version in known if in_range(version, wanted)]
    if known and not fitting:
        message = f"found settings for {wanted!r}, where the kit has {choice(known, last='and')}"
        yield unused(message, settings.origin)
    for layer in (patch.layers[0] for patch in settings.patches if fitting):
        wanted = layer.data.get("versions", "")
        if not any(in_range(version, wanted) for version in fitting):
            message = f"found a patch for {wanted!r}, where the kit has {choice(fitting, last='and')}"
            yield unused(message, layer.origin.at("versions"))


def _component(kit: Kit, component: Component) -> Iterator[Finding]:
    for part in component.parts:
        for layer in part.layers("patches"):
            wanted = layer.data.get("versions", "")
            if not in_range(component.version, wanted):
                message = f"found a patch for {wanted!r}, where the component is {component.version}"
                yield unused(message, layer.origin.at("versions"))
        for layer in part.layers("roles"):
            if "binding" in layer.data and layer.data.get("bind") == "none":
                message = "found the name of a binding that is not made"
                yield unused(message, layer.origin.at("binding"), "remove it, or say bind: operator")
        for layer in part.layers("deployment"):
            for name, content in layer.data.get("containers", {}).items():
                if {"health", "livenessProbe", "readinessProbe"} <= content.keys():
                    message = "found a port for probes that are both written out"
                    yield unused(message, layer.origin.at("containers", name, "health"))
    for name, feature in component.features.items():
        if not feature.part.sections:
            message = f"found the feature {name!r}, which changes nothing"
            yield unused(message, component.origin.at("features", name))
    values = _target_values(kit, component.name)
    for name in component.images:
        if not uses_image(name, component.parts, values):
            message = f"found the image {name!r}, which nothing runs, holds or reads"
            yield unused(message, component.origin.at("images", name))


def _target_values(kit: Kit, component: str) -> list[Json]:
    """Return what targets say of a component where expressions are computed."""
    blocks = [block for target in kit.targets.values() for _, block in target.settings.get(component, ())]
    values: list[Json] = [layer.data for block in blocks for layer in block.config]
    return values + [patch.layers[0].data for block in blocks for patch in block.patches]
