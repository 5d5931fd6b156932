"""The plan: all that is rendered of one release for one target. Emitters need nothing else."""

from __future__ import annotations

from msgspec import Struct

from kitgen.argocd.layers import Synced
from kitgen.findings import Finding
from kitgen.kit.model import Component, LabelRule, Release, Target
from kitgen.kube.manifest import Manifest
from kitgen.olm.bundle import Package
from kitgen.render.unit import Base, Unit


class Bundled(Struct, frozen=True, kw_only=True):
    """CRDs that are for the bundle of the ODH operator, and not in what the target builds."""

    component: Component
    carrier: Component
    labels: tuple[LabelRule, ...]
    """The carrier's."""
    spared: frozenset[str]
    """CRDs that they leave alone."""
    changed_crds: tuple[tuple[Manifest, Manifest], ...]
    """Those that features and patches change: as the base holds them, and as they are here."""
    crds: tuple[Manifest, ...]
    """With the labels."""


class Plan(Struct, frozen=True, kw_only=True):
    """One target with the release that it gets and what was compiled for it."""

    target: Target
    release: Release
    units: tuple[Unit, ...]
    bases: dict[str, Base]
    """Component → itself without a target, which its overlay builds on; those included that others carry."""
    bundled: tuple[Bundled, ...]
    cluster: Manifest | None
    """The DataScienceCluster, if the target has one."""
    package: Package | None = None
    """The OLM bundle, if the target makes one."""
    subscribed: tuple[Manifest, ...] = ()
    """What has OLM install it."""
    synced: Synced | None = None
    """What Argo CD needs, if the target is for it."""
    crds: tuple[Manifest, ...]
    """Those of all components of the release, whether or not the target manages them."""
    findings: tuple[Finding, ...]

    @property
    def outside(self) -> tuple[Manifest, ...]:
        """Return what stands beside the kustomization: the DataScienceCluster, and CRDs for a bundle."""
        bundled = (crd for each in self.bundled for crd in each.crds)
        return (*([self.cluster] if self.cluster else ()), *bundled)
