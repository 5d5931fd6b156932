"""Placement: what a release builds, what a target manages, where CRDs go, for which minors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec import Struct

from kitgen.crd.definition import is_crd
from kitgen.kit.model import Component, CrdPlace, Kit, Release, Settings, Target
from kitgen.kube.manifest import Manifest
from kitgen.render.settings import compute_settings, resolve_settings

if TYPE_CHECKING:
    from kitgen.render.plan import TargetPlan


class Placement(Struct, frozen=True, kw_only=True, dict=True):
    """What a target does with the components of a release."""

    target: Target
    release: Release
    components: tuple[Component, ...]
    """What the release builds, in the order in which a cluster should get it."""

    def settings_for(self, component: Component) -> Settings:
        """Return what the target says of a component."""
        return resolve_settings(self.target, component, self.release.name)

    def computed_settings_for(self, component: Component, settings: Settings | None = None) -> Settings:
        """Return the same, or other settings of it, with images and source computed where that works."""
        return compute_settings(
            component, settings or self.settings_for(component), (self.target, self.release)
        ).value

    @cached_property
    def managed_components(self) -> list[Component]:
        """Return what the target renders."""
        return [each for each in self.components if self.settings_for(each).is_managed]

    @property
    def overlay_components(self) -> list[Component]:
        """Return what gets an overlay: what is managed, and not carried by another component."""
        return [each for each in self.managed_components if self.carrier_of(each) is each]

    def carrier_of(self, component: Component) -> Component:
        """Return the managed component that carries this one; itself when there is none to carry."""
        if not self.settings_for(component).is_managed:
            return component
        return next((each for each in self.managed_components if component.name in each.carries), component)

    def components_with_crds(self, component: Component) -> tuple[Component, ...]:
        """Return the components whose CRDs stand beside this one, itself last."""
        built = {each.name: each for each in self.components}
        found = (*(built[name] for name in component.carries if name in built), component)
        return tuple(
            each
            for each in found
            if each.crds
            and (settings := self.settings_for(each)).is_managed
            and settings.crd_place is CrdPlace.BESIDE
            and self.carrier_of(each) is component
        )

    @property
    def bundled_components(self) -> list[Component]:
        """Return the components whose CRDs are for the bundle of the ODH operator."""
        return [
            c for c in self.managed_components if c.crds and self.settings_for(c).crd_place is CrdPlace.BUNDLE
        ]


def build_placement(kit: Kit, target: Target, release: Release) -> Placement:
    """Return what a target does with a release."""
    return Placement(
        target=target,
        release=release,
        components=tuple(sort_components(kit, target.component_versions(release))),
    )


def sort_components(kit: Kit, versions: Mapping[str, str]) -> list[Component]:
    """Return components in some versions, in the order in which a cluster should get them."""
    names = sorted(versions)
    found = {name: kit.components[name][versions[name]] for name in names}
    ordered: dict[str, Component] = {}

    def visit(name: str) -> None:
        for other in sorted(found[name].after):
            if other in found:
                visit(other)
        ordered.setdefault(name, found[name])

    for name in names:
        visit(name)
    return list(ordered.values())


def list_shipped_releases(kit: Kit, target: Target) -> list[Release]:
    """Return every release that a target ships, the pinned one first.

    A target that does not list them ships those whose components it names, if it manages any. What builds
    a component that it says nothing of was hardly made for it.
    """
    names = target.releases or [
        n for n, release in kit.releases.items() if _is_for_target(kit, target, release)
    ]
    return [kit.releases[name] for name in dict.fromkeys([target.release, *names])]


def _is_for_target(kit: Kit, target: Target, release: Release) -> bool:
    placement = build_placement(kit, target, release)
    carried = {name for component in placement.components for name in component.carries}
    built = {component.name for component in placement.components}
    return built - carried <= target.settings.keys() and bool(placement.managed_components)


def find_plan_minors(kit: Kit, plan: TargetPlan) -> dict[int, tuple[int, ...]]:
    """Return the minors of every object of a plan that are not the kit's, by the id of its body."""
    found = find_object_minors(kit, plan.release, (), plan.outside_objects)
    for unit in plan.units:
        crds = [each for each in unit.final if is_crd(each.body)]
        found |= find_object_minors(kit, plan.release, (unit.context.component,), unit.final)
        found |= find_object_minors(kit, plan.release, (unit.context.component, *unit.with_crds), crds)
    for bundled in plan.bundled:
        found |= find_object_minors(kit, plan.release, (bundled.component,), bundled.crds)
    return found


def find_object_minors(
    kit: Kit, release: Release | None, components: Iterable[Component], objects: Iterable[Manifest]
) -> dict[int, tuple[int, ...]]:
    """Return the minors that objects of some components are for in a release, if not the kit's."""
    wanted = kit.minors_for(release, components) or kit.minors_for(release)
    said = wanted != kit.minors or (release is not None and release.minors)
    return {id(each.body): wanted for each in objects} if said else {}
