"""Where the platform's operator takes the manifests and images of a target from."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from kitgen.kit.model import Kit, PlatformSource, Release
from kitgen.render.placement import place
from kitgen.render.plan import TargetPlan
from kitgen.render.unit import Unit
from kitgen.text.semver import in_range


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
    source: PlatformSource
    images: tuple[ParamImage, ...]


class Tested(Struct, frozen=True, kw_only=True):
    """What a release was tested with and does not build, and the images that have its version."""

    name: str
    """What the release calls it."""
    version: str
    """Its version."""
    images: tuple[str, ...]
    """Images that have its version as their tag."""


class TargetSources(Struct, frozen=True, kw_only=True):
    """The sources of one target in one release."""

    target: str
    platform: str
    release: str
    sources: tuple[ManifestSource, ...]
    left_out: tuple[str, ...]
    """Why components are not among them."""
    tested: tuple[Tested, ...]


def target_sources(kit: Kit, plan: TargetPlan) -> TargetSources:
    """Return the sources of what a target builds; a component that has none is left out, with the reason."""
    made = (_source(unit, plan.release) for unit in plan.units)
    return TargetSources(
        target=plan.target.name,
        platform=plan.target.platform,
        release=plan.release.name,
        sources=tuple(each for each in made if each is not None),
        left_out=tuple(_left_out(kit, plan)),
        tested=tuple(_tested(kit, plan.release)),
    )


def _source(unit: Unit, release: Release) -> ManifestSource | None:
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


def _left_out(kit: Kit, plan: TargetPlan) -> Iterator[str]:
    """Yield why a component has no source, though the target says of it where manifests come from or go."""
    placement = place(kit, plan.target, plan.release)
    units = {unit.context.component.name: unit.context.settings for unit in plan.units}
    built = {each.name: each for each in placement.components}
    for name, blocks in plan.target.settings.items():
        if not any(block.settings.source or block.settings.export for block in blocks):
            continue
        if name not in built:
            yield f"release {plan.release.name} builds no {name}"
        elif name not in units:
            yield f"{name} is {placement.settings(built[name]).state or 'part of another component'}"
        elif units[name].source is None:
            yield f"{name} has no source"
        elif units[name].export is None:
            yield f"{name} has no export, which says its folder"


def _tested(kit: Kit, release: Release) -> Iterator[Tested]:
    for name, version in release.records.items():
        own = (each for each in kit.publishing.images if each.of == name)
        images = (each.image for each in own if not each.releases or in_range(release.name, each.releases))
        yield Tested(name=name, version=version, images=tuple(images))
