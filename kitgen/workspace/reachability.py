"""Find what no target and no release reaches: versions, features, images, bases and settings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal, TypeAlias

from msgspec import Struct

from kitgen.files.root import OVERLAYS
from kitgen.findings import Origin
from kitgen.kit.model import Component, ComponentPart, Kit, Release, SettingsBlock, Target
from kitgen.kit.model.component import uses_image
from kitgen.render.overlays.base import Bases
from kitgen.render.placement import Placement, place, shipped
from kitgen.render.session import Session
from kitgen.render.settings import is_on
from kitgen.text.semver import in_range
from kitgen.text.wording import choice
from kitgen.text.yaml import Json

Versions = set[tuple[str, str]]
UnusedKind: TypeAlias = Literal["component", "release", "base", "feature", "image", "setting"]


class Unused(Struct, frozen=True, kw_only=True):
    """Something that nothing reaches."""

    kind: UnusedKind
    name: str
    why: str
    origin: Origin


def unused(kit: Kit) -> list[Unused]:
    """Return what no target or release reaches, in the order in which it would be removed."""
    ships = {name: shipped(kit, target) for name, target in kit.targets.items()}
    placements = [place(kit, kit.targets[name], each) for name, some in ships.items() for each in some]
    named = _named(kit)
    return [
        *_components(kit, named),
        *_releases(kit, ships),
        *_bases(kit, placements, named),
        *_parts(kit, placements),
        *(each for name, some in ships.items() for each in _settings(kit.targets[name], some)),
    ]


def with_chain(kit: Kit, component: Component) -> Iterator[Component]:
    """Yield a component, and the versions that it builds on."""
    found: Component | None = component
    while found is not None:
        yield found
        found = kit.parent(found)


def _named(kit: Kit) -> Versions:
    """Return the versions that releases and targets name, and those that they build on."""
    names = {pair for release in kit.releases.values() for pair in release.components.items()}
    for target in kit.targets.values():
        names |= {pair for release in kit.releases.values() for pair in target.takes(release).items()}
    built = (kit.components[name][version] for name, version in names)
    return {(each.name, each.version) for one in built for each in with_chain(kit, one)}


def _components(kit: Kit, named: Versions) -> Iterator[Unused]:
    for each in kit.every_component:
        if (each.name, each.version) not in named:
            yield Unused(
                kind="component",
                name=f"{each.name}@{each.version}",
                why="no release, target or version in use takes it",
                origin=each.origin,
            )


def _releases(kit: Kit, ships: dict[str, list[Release]]) -> Iterator[Unused]:
    known = {release.name for some in ships.values() for release in some}
    for name, release in kit.releases.items():
        if name not in known and release.components:  # one that builds nothing is there to be remembered
            yield Unused(kind="release", name=name, why="no target ships it", origin=release.origin)


def _bases(kit: Kit, placements: Iterable[Placement], named: Versions) -> Iterator[Unused]:
    """Yield the folders of bases and CRDs that would be rendered if a target took the version."""
    session, there, used = Session(kit), Bases(), Bases()
    for placement in placements:
        for unit in placement.units:
            used.objects(session.base(unit))
            for carried in placement.with_crds(unit):
                used.crds(session.base(carried))
        for bundled in placement.bundled:
            used.crds(session.base(bundled))
    for each in kit.every_component:
        if (each.name, each.version) in named:
            base = session.base(each)
            for ask in (there.objects, there.crds):
                ask(base)
    for folder in sorted(_folders(there) - _folders(used)):
        _, name, version, *_ = folder.split("/")
        why = "no target renders it in a release that it ships"
        origin = kit.components[name][version].origin
        yield Unused(kind="base", name=f"{OVERLAYS}/{folder}", why=why, origin=origin)


def _folders(bases: Bases) -> set[str]:
    end = "/kustomization.yaml"
    return {path.removesuffix(end) for path in bases.tree if path.endswith(end)}


def _parts(kit: Kit, placements: Iterable[Placement]) -> Iterator[Unused]:
    """Yield the features that no target turns on, and the images that no target runs."""
    # Of the versions that targets render and those that these build on: what they turn on and run is said in
    # one place for all versions that take it over.
    versions: Versions = set()
    seen: set[Origin] = set()
    for placement in placements:
        for component in placement.managed:
            settings = placement.settings(component)
            on = [name for name, feature in component.features.items() if is_on(feature, settings)]
            parts: list[ComponentPart] = [component.part, *(component.features[name].part for name in on)]
            values: list[Json] = [layer.data for layer in settings.config]
            values += [patch.layers[0].data for patch in settings.patches]
            run = [name for name in component.images if uses_image(name, parts, values)]
            for each in with_chain(kit, component):
                versions.add((each.name, each.version))
                seen |= {each.origin.at("features", name) for name in on if name in each.features}
                seen |= {each.origin.at("images", name) for name in run if name in each.images}
    for component in kit.every_component:
        if (component.name, component.version) in versions:
            whose = f"{component.name}@{component.version}"
            parts_of: list[tuple[UnusedKind, str, str]]
            parts_of = [("feature", name, "no target turns it on") for name in component.features]
            parts_of += [
                ("image", name, "no target turns on what runs or reads it") for name in component.images
            ]
            for kind, name, why in parts_of:
                origin = component.origin.at(f"{kind}s", name)
                # What is taken over is told of the version that says it.
                if origin not in seen and origin.file == component.origin.file:
                    yield Unused(kind=kind, name=f"{whose} {name}", why=why, origin=origin)


def _settings(target: Target, releases: list[Release]) -> Iterator[Unused]:
    """Yield what a target says for versions and releases that it does not ship."""
    for name in filter(None, target.settings):
        taken = [(target.takes(each)[name], each.name) for each in releases if name in each.components]
        whose = f"{target.name} {name}"
        if not taken:
            at = target.origin.at("components", name)
            ships = choice([each.name for each in releases], last="and")
            why = f"the target ships {ships}, which {'builds' if len(releases) == 1 else 'build'} no {name}"
            yield Unused(kind="setting", name=whose, why=why, origin=at)
            continue
        pairs = choice([f"{version} in {release}" for version, release in taken], last="and")
        why = f"the target ships {pairs}"
        for block in target.settings[name]:
            yield from _ranges(whose, block, taken, why)
        for own in target.overrides.get(name, ()):
            if not any(target.override(name, release) is own for _, release in taken):
                yield Unused(
                    kind="setting",
                    name=f"{whose} {own.version} for {own.releases}",
                    why=why,
                    origin=own.origin,
                )


def _ranges(whose: str, block: SettingsBlock, taken: list[tuple[str, str]], why: str) -> Iterator[Unused]:
    if not (fitting := [pair for pair in taken if block.fits(*pair)]):
        if block.settings.managed:  # where it is not managed, that may be why the target does not ship it
            yield Unused(
                kind="setting",
                name=f"{whose} {block.versions or block.releases}",
                why=why,
                origin=block.settings.origin,
            )
        return
    for layer in (patch.layers[0] for patch in block.settings.patches):
        ranges = [layer.data.get(key, "") for key in ("versions", "releases")]
        if not any(all(map(in_range, pair, ranges)) for pair in fitting):
            yield Unused(
                kind="setting", name=f"{whose} patch {layer.data['name']}", why=why, origin=layer.origin
            )
