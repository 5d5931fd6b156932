"""Which minors of Kubernetes objects are for, where a release or a component says others than the kit."""

from __future__ import annotations

from collections.abc import Iterable

from kitgen.compile.plan import Plan
from kitgen.crds.schema.crd import is_crd
from kitgen.model import Component, Kit, Release
from kitgen.objects import Manifest


def plan_ranges(kit: Kit, plan: Plan) -> dict[int, tuple[int, ...]]:
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
