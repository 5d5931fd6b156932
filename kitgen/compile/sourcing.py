"""Where the platform's operator takes manifests and images from: the source of each component."""

from __future__ import annotations

from msgspec import Struct

from kitgen.compile.unit import Unit
from kitgen.model import Release, Source


class ParamImage(Struct, frozen=True, kw_only=True):
    """An image in params.env, and the variable from which the operator takes another one."""

    key: str
    variable: str
    """Empty where the release knows none."""
    image: str


class ManifestSource(Struct, frozen=True, kw_only=True):
    """Where the manifests of a component come from, and where they go."""

    component: str
    version: str
    folder: str
    """Below the manifests of the operator, which knows the component by it."""
    source: Source
    images: tuple[ParamImage, ...]


def manifest_source(unit: Unit, release: Release) -> ManifestSource | None:
    """Return the source of a component; None if the target does not say it, or not its folder."""
    component, settings = unit.context.component, unit.context.settings
    if settings.source is None or settings.export is None:
        return None
    images = unit.params.images if unit.params else {}
    return ManifestSource(
        component=component.name,
        version=component.version,
        folder=settings.export.folder,
        source=settings.source.value,
        images=tuple(
            ParamImage(key=key, variable=release.related_images.get(key, ""), image=image)
            for key, image in images.items()
        ),
    )
