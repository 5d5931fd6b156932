"""Put together what Argo CD needs of a target."""

from __future__ import annotations

from collections.abc import Iterable

from kitgen.argocd.application_set import fleet_part
from kitgen.argocd.applications import applications
from kitgen.argocd.layers import Part, Synced, layers, part_of, parts
from kitgen.files.root import CRDS
from kitgen.kit.model import Kit, Target
from kitgen.kube.manifest import Manifest
from kitgen.render.context import Context
from kitgen.render.unit import Unit
from kitgen.text.yaml import JsonObject


def synced(kit: Kit, target: Target, units: Iterable[Unit], crds: tuple[Manifest, ...]) -> Synced | None:
    """Return what Argo CD needs, if the target is for it; CRDs are those that the target keeps apart."""
    said = target.argocd
    if said is None:
        return None
    made = tuple(layers([*parts(units, crds, said)], said))
    apps = tuple(applications(f"{kit.name}-{target.name}", target.name, said, made))
    fleet = fleet_part(kit.name, kit.fleet, target, made) if kit.fleet else None
    return Synced(said=said, layers=made, applications=apps, fleet=fleet)


def fleet_set(kit: Kit, target: Target, contexts: Iterable[Context], *, crds: bool) -> JsonObject | None:
    """Return the ApplicationSet of a target in the fleet, without what follows from objects alone.

    Those are the fields that are left to others. What comes to which cluster does not depend on them.
    """
    said, fleet = target.argocd, kit.fleet
    if said is None or fleet is None:
        return None
    apart = [Part(name=CRDS, objects=(), origin=said.origin)] if crds else []
    made = fleet_part(kit.name, fleet, target, [*layers([*apart, *map(part_of, contexts)], said)])
    return made.sets[-1].body if made and made.sets else None
