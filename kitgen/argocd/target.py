"""Put together what Argo CD needs of a target."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from kitgen.argocd.application_set import build_fleet_part
from kitgen.argocd.applications import build_applications
from kitgen.argocd.layers import (
    OverlayFolder,
    SyncedTarget,
    build_overlay_folder,
    build_overlay_folders,
    build_sync_layers,
    find_synced_target,
)
from kitgen.files.root import ARGOCD, CRDS, FLEET
from kitgen.kube.manifest import Manifest
from kitgen.render.plan import Extra, SeparateObjects, TargetPlan
from kitgen.text.yaml import JsonObject

if TYPE_CHECKING:
    from kitgen.render.placement import Placement
    from kitgen.render.session import Session


def build_synced_extra(session: Session, _placement: Placement, plan: TargetPlan) -> Extra | None:
    """Return what Argo CD needs, if the target is for it."""
    kit, target, said = session.kit, plan.target, plan.target.argocd
    if said is None:
        return None
    crds = tuple(crd for each in plan.bundled for crd in each.crds)
    made = tuple(build_sync_layers([*build_overlay_folders(plan.units, crds, said)], said))
    apps = tuple(build_applications(f"{kit.name}-{target.name}", target.name, said, made))
    fleet = build_fleet_part(kit.name, kit.fleet, target, made) if kit.fleet else None
    synced = SyncedTarget(said=said, layers=made, applications=apps, fleet=fleet)
    return Extra(
        made=synced,
        apart=SeparateObjects(name=f"{target.name}/{ARGOCD}", objects=synced.argocd_objects),
        shared=SeparateObjects(name=f"{ARGOCD}/{FLEET}", objects=fleet.root) if fleet else None,
        findings=fleet.findings if fleet else (),
    )


def list_synced_objects(plan: TargetPlan) -> Iterator[Manifest]:
    """Yield what Argo CD gets of a target: its objects with annotations, and what tells Argo CD of them."""
    found = find_synced_target(plan)
    for layer in found.layers if found else ():
        yield from (each.annotated_manifest for each in layer.noted)
    yield from found.applications if found else ()


def build_application_set(session: Session, placement: Placement) -> JsonObject | None:
    """Return the ApplicationSet of a target in the fleet, without what follows from objects alone.

    Those are the fields that are left to others. What comes to which cluster does not depend on them, and no
    object is made.
    """
    kit, target = session.kit, placement.target
    said, fleet = target.argocd, kit.fleet
    if said is None or fleet is None:
        return None
    contexts = (session.context_for(each, placement).value for each in placement.overlay_components)
    apart = [OverlayFolder(name=CRDS, objects=(), origin=said.origin)] if placement.bundled_components else []
    made = build_fleet_part(
        kit.name, fleet, target, [*build_sync_layers([*apart, *map(build_overlay_folder, contexts)], said)]
    )
    return made.sets[-1].body if made and made.sets else None
