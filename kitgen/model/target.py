"""A target: what a downstream changes in each component, and the releases that it ships."""

from __future__ import annotations

from enum import StrEnum
from typing import Generic, TypeVar

from msgspec import Struct, field

from kitgen.findings import Origin
from kitgen.model.component import Item, LabelRule, Layer
from kitgen.semver import in_range
from kitgen.yamlio import JsonObject

T = TypeVar("T")


class ManagementState(StrEnum):
    """Who looks after a component; only a managed one is rendered."""

    MANAGED = "Managed"
    UNMANAGED = "Unmanaged"
    REMOVED = "Removed"


class CrdPlace(StrEnum):
    """Where a component's CRDs go."""

    BESIDE = "beside"
    BUNDLE = "bundle"
    NONE = "none"


class Setting(Struct, Generic[T], frozen=True, kw_only=True):
    """A value that a target sets, and where it does."""

    value: T
    origin: Origin


class NamespaceSetting(Struct, frozen=True, kw_only=True):
    """The namespace that a component runs in; a created one is rendered too."""

    name: str
    create: bool = False
    labels: JsonObject = field(default_factory=dict)


class Export(Struct, frozen=True, kw_only=True):
    """Where the ODH operator expects a component: its folder, what it builds, where params.env is."""

    folder: str
    build: str
    params: str
    origin: Origin


class Withheld(Struct, frozen=True, kw_only=True):
    """Permissions that a component grants and a target does not."""

    permissions: dict[str, str]
    role: str = ""
    """The one that loses them; all that grant them when empty."""
    keep: tuple[str, ...] = ()
    """Names of objects for which it keeps them."""
    why: str
    origin: Origin


class Override(Struct, frozen=True, kw_only=True):
    """Another version of a component than releases in a range say."""

    version: str
    releases: str
    why: str
    origin: Origin


class Settings(Struct, frozen=True, kw_only=True):
    """What a target says of one component in the version that it ships."""

    origin: Origin
    state: ManagementState | None = None
    crds: Setting[CrdPlace] | None = None
    namespace: Setting[NamespaceSetting] | None = None
    images: dict[str, Setting[str]] = field(default_factory=dict)
    replicas: Setting[int] | None = None
    resources: dict[str, Setting[JsonObject]] = field(default_factory=dict)
    env: dict[tuple[str, str], Layer] = field(default_factory=dict)
    """Container and name of a variable → what it is set to; None takes it away."""
    role_labels: dict[tuple[str, str], Setting[str | None]] = field(default_factory=dict)
    """Role and key of a label → its value; None takes it away."""
    labels: tuple[LabelRule, ...] = ()
    features: dict[str, Setting[bool]] = field(default_factory=dict)
    config: tuple[Layer, ...] = ()
    patches: tuple[Item, ...] = ()
    withheld: tuple[Withheld, ...] = ()
    export: Export | None = None

    @property
    def managed(self) -> bool:
        """Tell whether the component is rendered."""
        return self.state in (None, ManagementState.MANAGED)

    @property
    def crd_place(self) -> CrdPlace:
        """Return where its CRDs go."""
        return self.crds.value if self.crds else CrdPlace.BESIDE


class Block(Struct, frozen=True, kw_only=True):
    """Settings, and what they are for; empty ranges take all."""

    settings: Settings
    versions: str = ""
    releases: str = ""

    def fits(self, version: str, release: str) -> bool:
        """Tell whether they are for a version of the component, in a release."""
        return in_range(version, self.versions) and (not self.releases or in_range(release, self.releases))


class DataScienceCluster(Struct, frozen=True, kw_only=True):
    """The resource through which the ODH operator installs the components."""

    name: str
    components: dict[str, str]
    """Key in the resource → component."""
    origin: Origin


class Release(Struct, frozen=True, kw_only=True):
    """Versions that belong together: those it builds, and those it only records."""

    name: str
    date: str
    replaces: str = ""
    """The one before it in its channel, which the kit need not have."""
    components: dict[str, str]
    """Nothing, if it is only there to be remembered."""
    records: dict[str, str]
    minors: tuple[int, ...] = ()
    """Minors of Kubernetes that it is for instead of the kit's, if it says them."""
    origin: Origin


class Target(Struct, frozen=True, kw_only=True):
    """One downstream."""

    name: str
    about: str
    release: str
    """What is rendered."""
    releases: tuple[str, ...]
    """Every release that it says it ships; empty when it does not say."""
    upgrades_from: str = ""
    """What is there before it: a release, or a source; empty when it does not say."""
    settings: dict[str, tuple[Block, ...]]
    """Component → settings, in order; the first ones are for all versions and releases."""
    overrides: dict[str, tuple[Override, ...]]
    """Component → versions of it that the target takes instead; the last one that fits counts."""
    data_science_cluster: DataScienceCluster | None
    origin: Origin
    chain: str = ""
    """What it builds on, for people: dev from staging from odh; empty when that is nothing."""

    def override(self, component: str, release: str) -> Override | None:
        """Return what makes the target take another version of a component than a release says."""
        fitting = [each for each in self.overrides.get(component, ()) if in_range(release, each.releases)]
        return fitting[-1] if fitting else None

    def takes(self, release: Release) -> dict[str, str]:
        """Return the components of a release in the versions that the target takes."""
        return {
            name: own.version if (own := self.override(name, release.name)) else version
            for name, version in release.components.items()
        }
