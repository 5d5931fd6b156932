"""Compile the targets of a kit, and do shared work only once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from msgspec.structs import replace

from kitgen.findings import Finding, in_chain
from kitgen.kit.crd_names import declarations, resources
from kitgen.kit.model import Component, Kit, Settings
from kitgen.kube.manifest import Manifest
from kitgen.render.context import ComputedValue, RenderContext, together
from kitgen.render.crds import CrdExpander
from kitgen.render.data_science_cluster import data_science_cluster
from kitgen.render.images import images_of, unlocked
from kitgen.render.labels import final_objects, overlay_labels, spared
from kitgen.render.outputs import extras_of
from kitgen.render.patches import apply_patches
from kitgen.render.placement import Placement
from kitgen.render.plan import PlatformCrds, TargetPlan
from kitgen.render.settings import resolve
from kitgen.render.size import RenderedSize
from kitgen.render.unit import Base, Unit, compile_base, compile_unit, near
from kitgen.render.unused_settings import unused_of_carried


class Session:
    """One run over a kit; expanded CRDs and bases are kept."""

    def __init__(self, kit: Kit) -> None:
        self.kit = kit
        self._forms = CrdExpander()
        self._bases: dict[tuple[str, str], Base] = {}
        self._rendered = RenderedSize()
        self._resources = resources(declarations(kit))

    def plan(self, placement: Placement) -> TargetPlan:
        """Compile a target, with all that files are made from."""
        return self._plan(placement, placement.units, whole=True)

    def objects(self, placement: Placement, only: Iterable[Component], *, checked: bool = True) -> TargetPlan:
        """Compile some components of a target, for their objects alone.

        What is not to be checked needs no CRDs of the components beside it.
        """
        return self._plan(placement, only, whole=False, beside=checked)

    def _plan(
        self, placement: Placement, only: Iterable[Component], *, whole: bool, beside: bool = True
    ) -> TargetPlan:
        units = tuple(self.unit(placement, each) for each in only)
        crds, broken = together(self.crds(each, placement) for each in placement.components if beside)
        plan = TargetPlan(
            target=placement.target,
            release=placement.release,
            units=units,
            bases={each.name: self.base(each) for each in placement.managed if whole},
            bundled=tuple(self._bundled(placement, each) for each in placement.bundled if whole),
            cluster=data_science_cluster(placement) if whole else None,
            crds=tuple(chain.from_iterable(crds)),
            findings=(*(finding for unit in units for finding in unit.findings), *broken),
        )
        extras = extras_of(self, placement, plan) if whole else {}
        plan = replace(plan, extras=extras)
        also = [finding for each in extras.values() for finding in each.findings]
        also += unlocked(plan.target, plan.release, images_of(plan)) if plan.target.digests else ()
        return replace(plan, findings=(*plan.findings, *also))

    def unit(self, placement: Placement, component: Component) -> Unit:
        """Compile one component for a target."""
        beside = placement.with_crds(component)
        crds, broken = together(self.crds(each, placement) for each in beside)
        plain = (crd for each in beside for crd in self.crds(each).value)
        unused = (
            finding
            for other in placement.components
            if other.name in component.carries and placement.carrier(other) is component
            for finding in unused_of_carried(other, placement.settings(other), component.name)
        )
        made = compile_unit(
            self.context(component, placement),
            zip(plain, chain.from_iterable(crds), strict=True),
            beside,
            (*broken, *unused),
        )
        self._rendered.add(made.final)
        return replace(made, findings=tuple(_told(made, component, placement)))

    def base(self, component: Component, *, crds: bool = True) -> Base:
        """Compile what all targets start from: the component by itself, with its CRDs if they are wanted."""
        key = (component.name, component.version)
        parent = self.kit.parent(component)
        also = parent is not None and crds and near(component, parent)
        if key not in self._bases:
            below = self.base(parent, crds=also) if parent else None
            self._bases[key] = compile_base(self.context(component).value, below)
            self._rendered.add(self._bases[key].assembled)
        made = self._bases[key]
        if crds and component.crds and not made.crds:
            below = self.base(parent, crds=True) if parent and also else made.parent
            made = self._bases[key] = replace(made, crds=self.crds(component).value, parent=below)
        return made

    def alone(self, component: Component) -> Unit:
        """Compile a component by itself, its CRDs included, with all that is wrong with it."""
        crds, broken = self.crds(component)
        made = compile_unit(self.context(component), zip(crds, crds, strict=True), (component,), broken)
        return replace(made, findings=tuple(_told(made, component)))

    def _bundled(self, placement: Placement, component: Component) -> PlatformCrds:
        carrier = placement.carrier(component)
        context = self.context(carrier, placement).value
        bare, own = self.crds(component).value, self.crds(component, placement).value
        here = apply_patches(context, own, crds=True).value
        return PlatformCrds(
            component=component,
            carrier=carrier,
            labels=tuple(overlay_labels(context)),
            spared=spared(context),
            changed_crds=tuple(pair for pair in zip(bare, here, strict=True) if pair[0] is not pair[1]),
            crds=tuple(final_objects(context, here)),
        )

    def context(
        self, component: Component, placement: Placement | None = None
    ) -> ComputedValue[RenderContext]:
        """Return what the families work on: a component in a target, or by itself."""
        if placement is None:
            return resolve(component, Settings(origin=component.origin), None, self._resources)
        of = (placement.target, placement.release)
        return resolve(component, placement.settings(component), of, self._resources)

    def labelled_crds(self, placement: Placement, component: Component) -> list[Manifest]:
        """Return a component's CRDs with the labels of the component that carries them."""
        context = self.context(placement.carrier(component), placement).value
        patched = apply_patches(context, self.crds(component, placement).value, crds=True)
        return final_objects(context, patched.value)

    def crds(
        self, component: Component, placement: Placement | None = None
    ) -> ComputedValue[tuple[Manifest, ...]]:
        """Return a component's CRDs, by itself or as a target's features make them, and what is wrong."""
        said = placement.settings(component) if placement else Settings(origin=component.origin)
        crds, findings = self._forms.crds(component, said)
        who = component.chain or f"{component.name}@{component.version}"
        where = f"{who} in {placement.target.name}" if placement else component.chain
        # What is wrong with a feature is wrong where a target turns it on, perhaps with others.
        told = (
            replace(each, subject=where) if each.origin.path[:1] == ("features",) else each
            for each in findings
        )
        return ComputedValue(crds, tuple(in_chain(told, f"components/{component.name}/", component.chain)))


def _told(unit: Unit, component: Component, placement: Placement | None = None) -> Iterator[Finding]:
    """Yield what is wrong with a component, with the chains of specs that make it so."""
    found = in_chain(unit.findings, f"components/{component.name}/", component.chain)
    return in_chain(found, "targets/", placement.target.chain if placement else "")
