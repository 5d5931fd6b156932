"""Put together what Argo CD needs of a target."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from kitgen.argocd.application_set import fleet_part
from kitgen.argocd.applications import applications
from kitgen.argocd.layers import OverlayFolder, SyncedTarget, layers, part_of, parts, synced_of
from kitgen.files.root import ARGOCD, CRDS, FLEET
from kitgen.kube.manifest import Manifest
from kitgen.render.plan import Extra, SeparateObjects, TargetPlan
from kitgen.text.yaml import JsonObject

if TYPE_CHECKING:
    from kitgen.render.placement import Placement
    from kitgen.render.session import Session


def synced_extra(session: Session, _placement: Placement, plan: TargetPlan) -> Extra | None:
    """Return what Argo CD needs, if the target is for it."""
    kit, target, said = session.kit, plan.target, plan.target.argocd
    if said is None:
        return None
    crds = tuple(crd for each in plan.bundled for crd in each.crds)
    made = tuple(layers([*parts(plan.units, crds, said)], said))
    apps = tuple(applications(f"{kit.name}-{target.name}", target.name, said, made))
    fleet = fleet_part(kit.name, kit.fleet, target, made) if kit.fleet else None
    synced = SyncedTarget(said=said, layers=made, applications=apps, fleet=fleet)
    return Extra(
        made=synced,
        apart=SeparateObjects(name=f"{target.name}/{ARGOCD}", objects=synced.told),
        shared=SeparateObjects(name=f"{ARGOCD}/{FLEET}", objects=fleet.root) if fleet else None,
        findings=fleet.findings if fleet else (),
    )


def synced_objects(plan: TargetPlan) -> Iterator[Manifest]:
    """Yield what Argo CD gets of a target: its objects with annotations, and what tells Argo CD of them."""
    found = synced_of(plan)
    for layer in found.layers if found else ():
        yield from (each.annotated for each in layer.noted)
    yield from found.applications if found else ()


def fleet_set(session: Session, placement: Placement) -> JsonObject | None:
    """Return the ApplicationSet of a target in the fleet, without what follows from objects alone.

    Those are the fields that are left to others. What comes to which cluster does not depend on them, and no
    object is made.
    """
    kit, target = session.kit, placement.target
    said, fleet = target.argocd, kit.fleet
    if said is None or fleet is None:
        return None
    contexts = (session.context(each, placement).value for each in placement.units)
    apart = [OverlayFolder(name=CRDS, objects=(), origin=said.origin)] if placement.bundled else []
    made = fleet_part(kit.name, fleet, target, [*layers([*apart, *map(part_of, contexts)], said)])
    return made.sets[-1].body if made and made.sets else None
