"""The plan: everything that is rendered of one release for one target, and all that outputs need."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

from kitgen.findings import Finding
from kitgen.kit.model import Component, LabelRule, Release, Target
from kitgen.kube.manifest import Manifest
from kitgen.render.unit import Base, Unit


class PlatformCrds(Struct, frozen=True, kw_only=True):
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


class SeparateObjects(Struct, frozen=True, kw_only=True):
    """Objects that come to a cluster apart from those of their target."""

    name: str
    """What they are checked under: the folder that they are rendered into."""
    objects: tuple[Manifest, ...]
    component: str = ""
    """What they have installed instead of the target's objects; empty where they bring just these."""


class Extra(Struct, frozen=True, kw_only=True):
    """What a feature makes of a target besides its objects. No other part looks at what it is made as."""

    made: object
    """The feature's own, which its files are made of."""
    apart: SeparateObjects
    shared: SeparateObjects | None = None
    """The same of all targets that have it."""
    carried: tuple[Manifest, ...] = ()
    """Objects of the target that somebody makes from it on the cluster, and completes."""
    manifests: tuple[Manifest, ...] = ()
    """Objects that it holds in other forms than the target has them in."""
    findings: tuple[Finding, ...] = ()


class TargetPlan(Struct, frozen=True, kw_only=True):
    """One target with the release that it gets and what was compiled for it."""

    target: Target
    release: Release
    units: tuple[Unit, ...]
    bases: dict[str, Base]
    """Component → itself without a target, which its overlay builds on; those included that others carry."""
    bundled: tuple[PlatformCrds, ...]
    cluster: Manifest | None
    """The DataScienceCluster, if the target has one."""
    extras: Mapping[str, Extra] = field(default_factory=dict)
    """What features add, by the output that has files of it."""
    crds: tuple[Manifest, ...]
    """Those of all components of the release, whether or not the target manages them."""
    findings: tuple[Finding, ...]

    @property
    def objects(self) -> list[Manifest]:
        """Return everything that the target brings to a cluster."""
        return [*(each for unit in self.units for each in unit.final), *self.outside_objects]

    @property
    def outside_objects(self) -> tuple[Manifest, ...]:
        """Return what stands beside the kustomization: the DataScienceCluster, and CRDs for a bundle."""
        bundled = (crd for each in self.bundled for crd in each.crds)
        return (*([self.cluster] if self.cluster else ()), *bundled)
