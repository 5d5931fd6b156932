"""Find settings of a target that the shipped version of a component does not use."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.findings import Finding
from kitgen.kit.model import Component, ComponentPart, Settings
from kitgen.kit.model.component import uses_image
from kitgen.kit.unused_settings import report_unused


def check_unused_settings(component: Component, settings: Settings, part: ComponentPart) -> Iterator[Finding]:
    """Yield a finding for every setting that changes nothing; the part has the target's features."""
    who = f"{component.name} {component.version}"
    if settings.replicas is not None and not part["deployment"]:
        yield report_unused(f"found replicas, but {who} has no Deployment", settings.replicas.origin)
    if settings.crds is not None and not component.crds:
        carried = ", ".join(component.carries)
        yield report_unused(
            f"found a place for CRDs, but {who} has none",
            settings.crds.origin,
            f"say it of {carried}, whose CRDs it carries" if carried else "remove it",
        )
    layers = (*settings.config, *settings.env.values(), *(each.layers[0] for each in settings.patches))
    values = [layer.data for layer in layers]
    for name, setting in settings.images.items():
        if name in component.images and not uses_image(name, [part], values):
            yield report_unused(
                f"found the image {name!r}, but nothing of {who} runs it here",
                setting.origin,
                "turn on the feature that runs it, or remove it",
            )


def check_carried_settings(component: Component, settings: Settings, carrier: str) -> Iterator[Finding]:
    """Yield a finding for what a target says of a component whose CRDs another one carries.

    The carrier gives them their labels, and there is nothing else of it.
    """
    of_crds = [name for name, feature in component.features.items() if feature.crds]
    named = (settings.images, settings.resources, settings.role_labels)
    single = (settings.replicas, settings.source, settings.export)
    places = [
        *(each.origin for some in named for each in some.values()),
        *(each.origin for name, each in settings.features.items() if name not in of_crds),
        *(each.origin_at((name,)) for (_, name), each in settings.env.items()),
        *(each.origin for each in settings.config),
        *(each.origin for each in settings.labels),
        *(each.origin for each in settings.withheld),
        *(each.layers[0].origin for each in settings.patches),
        *(each.origin for each in single if each is not None),
    ]
    if settings.namespace is not None and settings.namespace.origin.path[:1] == ("components",):
        places.append(settings.namespace.origin)  # not the one that all components have in common
    for origin in places:
        yield report_unused(
            f"found a setting, but its CRDs stand beside {carrier}, and there is nothing else of it",
            origin,
            f"say it of {carrier}, or remove it",
        )
