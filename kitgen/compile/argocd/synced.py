"""Put together what Argo CD needs of a target."""

from __future__ import annotations

from collections.abc import Iterable

from kitgen.compile.argocd.apps import applications
from kitgen.compile.argocd.layers import Synced, layers, parts
from kitgen.compile.unit import Unit
from kitgen.model import Target
from kitgen.objects import Manifest


def synced(kit: str, target: Target, units: Iterable[Unit], crds: tuple[Manifest, ...]) -> Synced | None:
    """Return what Argo CD needs, if the target is for it; CRDs are those that the target keeps apart."""
    said = target.argocd
    if said is None:
        return None
    made = tuple(layers([*parts(units, crds, said)], said))
    apps = tuple(applications(f"{kit}-{target.name}", target.name, said, made))
    return Synced(said=said, layers=made, applications=apps)
