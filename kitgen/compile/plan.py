"""The plan: all that is rendered of one release for one target. Emitters need nothing else."""

from __future__ import annotations

from msgspec import Struct, field

from kitgen.compile.unit import Unit
from kitgen.findings import Finding
from kitgen.model import Component, LabelRule, Release, Target
from kitgen.objects import Manifest


class Bundled(Struct, frozen=True, kw_only=True):
    """CRDs that are for the bundle of the ODH operator, and not in what the target builds."""

    component: Component
    carrier: Component
    labels: tuple[LabelRule, ...]
    """The carrier's."""


class Plan(Struct, frozen=True, kw_only=True):
    """One target with the release that it gets and what was compiled for it."""

    target: Target
    release: Release
    units: tuple[Unit, ...]
    bases: dict[str, Unit] = field(default_factory=dict)
    """Component → itself without a target, which its overlay builds on; those included that others carry."""
    bundled: tuple[Bundled, ...] = ()
    outside: tuple[Manifest, ...] = ()
    """What stands beside the kustomization: the DataScienceCluster, and CRDs for a bundle."""
    crds: tuple[Manifest, ...]
    """Those of all components of the release, whether or not the target manages them."""
    findings: tuple[Finding, ...]
