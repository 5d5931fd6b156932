"""Compile the targets of a kit, and do shared work only once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import copy
from itertools import chain

from msgspec.structs import replace

from kitgen.findings import Finding, attach_chain
from kitgen.kit.crd_names import collect_resource_names, list_declared_crds
from kitgen.kit.model import Component, Kit, Settings
from kitgen.kube.manifest import Manifest
from kitgen.render.context import ComputedValue, RenderContext, join_computed
from kitgen.render.crds import CrdExpander
from kitgen.render.data_science_cluster import build_data_science_cluster
from kitgen.render.images import check_locked_digests, list_image_uses
from kitgen.render.labels import finalize_objects, find_unlabelled, select_overlay_labels
from kitgen.render.outputs import build_extras
from kitgen.render.patches import apply_patches
from kitgen.render.placement import Placement
from kitgen.render.plan import PlatformCrds, TargetPlan
from kitgen.render.settings import build_context
from kitgen.render.size import RenderedSize, measure_objects
from kitgen.render.unit import Base, Unit, compile_base, compile_unit, has_same_minor
from kitgen.render.unused_settings import check_carried_settings


class Session:
    """One run over a kit; expanded CRDs and bases are kept."""

    def __init__(self, kit: Kit) -> None:
        self.kit = kit
        self._forms = CrdExpander()
        self._bases: dict[tuple[str, str], Base] = {}
        self.rendered = RenderedSize(len(kit.targets))
        self.resources = collect_resource_names(list_declared_crds(kit))

    def share_components(self, kit: Kit) -> Session:
        """Return what compiles a kit with the same components, and makes nothing of them again."""
        other = copy(self)
        other.kit, other.rendered = kit, RenderedSize(len(kit.targets))
        return other

    def compile_plan(self, placement: Placement) -> TargetPlan:
        """Compile a target, with all that files are made from."""
        every = placement.components
        return self._compile(placement, placement.overlay_components, whole=True, expanded=every)

    def compile_objects(
        self, placement: Placement, only: Iterable[Component], expanded: Iterable[Component] | None = None
    ) -> TargetPlan:
        """Compile some components of a target, for their objects alone.

        What is to be checked needs the CRDs of all components of the release: some are surely expanded, the
        others only if an object is of a kind of their groups. What is not checked needs none.
        """
        return self._compile(placement, only, whole=False, expanded=expanded)

    def _compile(
        self,
        placement: Placement,
        only: Iterable[Component],
        *,
        whole: bool,
        expanded: Iterable[Component] | None,
    ) -> TargetPlan:
        bases = {each.name: self.get_base(each) for each in placement.managed_components if whole}
        units = tuple(self.compile_component(placement, each) for each in only)
        crds, broken = join_computed(self._list_crds(placement, units, expanded))
        plan = TargetPlan(
            target=placement.target,
            release=placement.release,
            units=units,
            bases=bases,
            bundled=tuple(
                self._compile_bundled_crds(placement, each) for each in placement.bundled_components if whole
            ),
            cluster=build_data_science_cluster(placement) if whole else None,
            crds=tuple(chain.from_iterable(crds)),
            findings=(*(finding for unit in units for finding in unit.findings), *broken),
        )
        extras = build_extras(self, placement, plan) if whole else {}
        plan = replace(plan, extras=extras)
        also = [finding for each in extras.values() for finding in each.findings]
        also += (
            check_locked_digests(plan.target, plan.release, list_image_uses(plan))
            if plan.target.digests
            else ()
        )
        return replace(plan, findings=(*plan.findings, *also))

    def _list_crds(
        self, placement: Placement, units: Iterable[Unit], expanded: Iterable[Component] | None
    ) -> Iterator[ComputedValue[tuple[Manifest, ...]]]:
        """Yield the CRDs of each component of a release; those that no object needs go without schemas."""
        if expanded is None:
            return
        names = {each.name for each in expanded}
        groups = {each.id.group for unit in units for each in unit.final}
        for each in placement.components:
            if each.name in names or any(data["group"] in groups for _, data in each.crds):
                yield self.expand_crds(each, placement)
            else:
                described = self._forms.describe(each, placement.settings_for(each))
                yield ComputedValue(described, ())

    def compile_component(self, placement: Placement, component: Component) -> Unit:
        """Compile one component for a target."""
        beside = placement.components_with_crds(component)
        crds, broken = join_computed(self.expand_crds(each, placement) for each in beside)
        plain = (crd for each in beside for crd in self.expand_crds(each).value)
        unused = (
            finding
            for other in placement.components
            if other.name in component.carries and placement.carrier_of(other) is component
            for finding in check_carried_settings(other, placement.settings_for(other), component.name)
        )
        made = compile_unit(
            self.context_for(component, placement),
            zip(plain, chain.from_iterable(crds), strict=True),
            beside,
            (*broken, *unused),
            self._bases.get((component.name, component.version)),
        )
        where = (placement.target.name, placement.release.name, component.name)
        self.rendered.add(where, measure_objects(made.final))
        return replace(made, findings=tuple(_add_spec_chains(made, component, placement)))

    def get_base(self, component: Component, *, crds: bool = True) -> Base:
        """Compile what all targets start from: the component by itself, with its CRDs if they are wanted."""
        key = (component.name, component.version)
        parent = self.kit.parent(component)
        also = parent is not None and crds and has_same_minor(component, parent)
        if key not in self._bases:
            below = self.get_base(parent, crds=also) if parent else None
            self._bases[key] = compile_base(self.context_for(component).value, below)
        made = self._bases[key]
        if crds and component.crds and not made.crds:
            below = self.get_base(parent, crds=True) if parent and also else made.parent
            made = self._bases[key] = replace(made, crds=self.expand_crds(component).value, parent=below)
        return made

    def compile_alone(self, component: Component) -> Unit:
        """Compile a component by itself, its CRDs included, with all that is wrong with it."""
        crds, broken = self.expand_crds(component)
        made = compile_unit(self.context_for(component), zip(crds, crds, strict=True), (component,), broken)
        return replace(made, findings=tuple(_add_spec_chains(made, component)))

    def _compile_bundled_crds(self, placement: Placement, component: Component) -> PlatformCrds:
        carrier = placement.carrier_of(component)
        context = self.context_for(carrier, placement).value
        bare, own = self.expand_crds(component).value, self.expand_crds(component, placement).value
        here = apply_patches(context, own, crds=True).value
        return PlatformCrds(
            component=component,
            carrier=carrier,
            labels=tuple(select_overlay_labels(context)),
            spared=find_unlabelled(context),
            changed_crds=tuple(pair for pair in zip(bare, here, strict=True) if pair[0] is not pair[1]),
            crds=tuple(finalize_objects(context, here)),
        )

    def context_for(
        self, component: Component, placement: Placement | None = None
    ) -> ComputedValue[RenderContext]:
        """Return what the families work on: a component in a target, or by itself."""
        if placement is None:
            return build_context(component, Settings(origin=component.origin), None, self.resources)
        of = (placement.target, placement.release)
        return build_context(component, placement.settings_for(component), of, self.resources)

    def compile_labelled_crds(self, placement: Placement, component: Component) -> list[Manifest]:
        """Return a component's CRDs with the labels of the component that carries them."""
        context = self.context_for(placement.carrier_of(component), placement).value
        patched = apply_patches(context, self.expand_crds(component, placement).value, crds=True)
        return finalize_objects(context, patched.value)

    def expand_crds(
        self, component: Component, placement: Placement | None = None
    ) -> ComputedValue[tuple[Manifest, ...]]:
        """Return a component's CRDs, by itself or as a target's features make them, and what is wrong."""
        said = placement.settings_for(component) if placement else Settings(origin=component.origin)
        crds, findings = self._forms.expand(component, said)
        who = component.chain or f"{component.name}@{component.version}"
        where = f"{who} in {placement.target.name}" if placement else component.chain
        # What is wrong with a feature is wrong where a target turns it on, perhaps with others.
        told = (
            replace(each, subject=where) if each.origin.path[:1] == ("features",) else each
            for each in findings
        )
        return ComputedValue(
            crds, tuple(attach_chain(told, f"components/{component.name}/", component.chain))
        )


def _add_spec_chains(
    unit: Unit, component: Component, placement: Placement | None = None
) -> Iterator[Finding]:
    """Yield what is wrong with a component, with the chains of specs that make it so."""
    found = attach_chain(unit.findings, f"components/{component.name}/", component.chain)
    return attach_chain(found, "targets/", placement.target.chain if placement else "")
