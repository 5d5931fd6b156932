"""Placement: what a release builds, what a target manages, where CRDs go, for which minors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct

from kitgen.crd.definition import is_crd
from kitgen.kit.model import Component, CrdPlace, Kit, Release, Settings, Target
from kitgen.kube.manifest import Manifest
from kitgen.render.plan import TargetPlan
from kitgen.render.settings import computed, settle


class Placement(Struct, frozen=True, kw_only=True):
    """What a target does with the components of a release."""

    target: Target
    release: Release
    components: tuple[Component, ...]
    """What the release builds, in the order in which a cluster should get it."""

    def settings(self, component: Component) -> Settings:
        """Return what the target says of a component."""
        return settle(self.target, component, self.release.name)

    def computed(self, component: Component, settings: Settings | None = None) -> Settings:
        """Return the same, or other settings of it, with images and source computed where that works."""
        return computed(component, settings or self.settings(component), (self.target, self.release)).value

    @property
    def managed(self) -> list[Component]:
        """Return what the target renders."""
        return [each for each in self.components if self.settings(each).managed]

    @property
    def units(self) -> list[Component]:
        """Return what gets an overlay: what is managed, and not carried by another component."""
        return [each for each in self.managed if self.carrier(each) is each]

    def carrier(self, component: Component) -> Component:
        """Return the managed component that carries this one; itself when there is none to carry."""
        if not self.settings(component).managed:
            return component
        return next((each for each in self.managed if component.name in each.carries), component)

    def with_crds(self, component: Component) -> tuple[Component, ...]:
        """Return the components whose CRDs stand beside this one, itself last."""
        built = {each.name: each for each in self.components}
        found = (*(built[name] for name in component.carries if name in built), component)
        return tuple(
            each
            for each in found
            if each.crds
            and (settings := self.settings(each)).managed
            and settings.crd_place is CrdPlace.BESIDE
            and self.carrier(each) is component
        )

    @property
    def bundled(self) -> list[Component]:
        """Return the components whose CRDs are for the bundle of the ODH operator."""
        return [c for c in self.managed if c.crds and self.settings(c).crd_place is CrdPlace.BUNDLE]


def place(kit: Kit, target: Target, release: Release) -> Placement:
    """Return what a target does with a release."""
    return Placement(target=target, release=release, components=tuple(components(kit, target.takes(release))))


def components(kit: Kit, versions: Mapping[str, str]) -> list[Component]:
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


def shipped(kit: Kit, target: Target) -> list[Release]:
    """Return every release that a target ships, the pinned one first.

    A target that does not list them ships those whose components it names, if it manages any. What builds
    a component that it says nothing of was hardly made for it.
    """
    names = target.releases or [n for n, release in kit.releases.items() if _is_for(kit, target, release)]
    return [kit.releases[name] for name in dict.fromkeys([target.release, *names])]


def _is_for(kit: Kit, target: Target, release: Release) -> bool:
    placement = place(kit, target, release)
    carried = {name for component in placement.components for name in component.carries}
    built = {component.name for component in placement.components}
    return built - carried <= target.settings.keys() and bool(placement.managed)


def plan_ranges(kit: Kit, plan: TargetPlan) -> dict[int, tuple[int, ...]]:
    """Return the minors of every object of a plan that are not the kit's, by the id of its body."""
    found = ranges_of(kit, plan.release, (), plan.outside)
    for unit in plan.units:
        crds = [each for each in unit.final if is_crd(each.body)]
        found |= ranges_of(kit, plan.release, (unit.context.component,), unit.final)
        found |= ranges_of(kit, plan.release, (unit.context.component, *unit.with_crds), crds)
    for bundled in plan.bundled:
        found |= ranges_of(kit, plan.release, (bundled.component,), bundled.crds)
    return found


def ranges_of(
    kit: Kit, release: Release | None, components: Iterable[Component], objects: Iterable[Manifest]
) -> dict[int, tuple[int, ...]]:
    """Return the minors that objects of some components are for in a release, if not the kit's."""
    wanted = kit.minors_for(release, components) or kit.minors_for(release)
    said = wanted != kit.minors or (release is not None and release.minors)
    return {id(each.body): wanted for each in objects} if said else {}
