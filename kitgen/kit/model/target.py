"""A target: what a downstream changes in each component, and the releases that it ships."""

from __future__ import annotations

from enum import StrEnum
from typing import Generic, TypeVar

from msgspec import Struct, field

from kitgen.findings import AcceptedException, Origin
from kitgen.kit.model.argocd import ArgoCd
from kitgen.kit.model.component import LabelRule, Layer, SectionItem
from kitgen.kit.model.release import ITSELF, Export, Lock, PlatformSource
from kitgen.text.semver import is_in_range
from kitgen.text.yaml import JsonObject

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


class WithheldPermissions(Struct, frozen=True, kw_only=True):
    """Permissions that a component grants and a target does not."""

    permissions: dict[str, str]
    role: str = ""
    """The one that loses them; all that grant them when empty."""
    keep: tuple[str, ...] = ()
    """Names of objects for which it keeps them."""
    why: str
    origin: Origin


class VersionOverride(Struct, frozen=True, kw_only=True):
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
    patches: tuple[SectionItem, ...] = ()
    withheld: tuple[WithheldPermissions, ...] = ()
    source: Setting[PlatformSource] | None = None
    export: Export | None = None

    @property
    def has_values(self) -> bool:
        """Return whether anything is set at all."""
        return self != Settings(origin=self.origin)

    @property
    def is_managed(self) -> bool:
        """Return whether the component is rendered."""
        return self.state in (None, ManagementState.MANAGED)

    @property
    def crd_place(self) -> CrdPlace:
        """Return where its CRDs go."""
        return self.crds.value if self.crds else CrdPlace.BESIDE


class SettingsBlock(Struct, frozen=True, kw_only=True):
    """Settings, and what they are for; empty ranges take all."""

    settings: Settings
    versions: str = ""
    releases: str = ""

    def applies_to(self, version: str, release: str) -> bool:
        """Return whether they are for a version of the component, in a release."""
        return is_in_range(version, self.versions) and (
            not self.releases or is_in_range(release, self.releases)
        )


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
    skips: tuple[str, ...] = ()
    """Releases that an upgrade to it leaves out."""
    skip_range: str = ""
    """Releases from which an upgrade to it may start."""
    components: dict[str, str]
    """Nothing, if it is only there to be remembered."""
    records: dict[str, str]
    related_images: dict[str, str] = field(default_factory=dict)
    """Key of params.env → the variable from which the platform's operator takes that image."""
    done: dict[str, str] = field(default_factory=dict)
    """Step that no file can show → when it was done, or where that is to be seen."""
    lock: Lock | None = None
    """The digests of its images, if somebody found them."""
    minors: tuple[int, ...] = ()
    """Minors of Kubernetes that it is for instead of the kit's, if it says them."""
    origin: Origin

    def version_of(self, name: str) -> str:
        """Return the version of a component or record, or its own; empty if it knows none."""
        return self.name if name == ITSELF else self.components.get(name) or self.records.get(name, "")


class WebhookOwner(StrEnum):
    """Who makes the webhook configurations of an operator that OLM installs."""

    OLM = "olm"
    OPERATOR = "operator"


class Community(Struct, frozen=True, kw_only=True):
    """What the community catalog requires beside the bundles."""

    reviewers: tuple[str, ...]
    update_graph: str = "replaces-mode"
    template: str = "basic.yaml"
    catalogs: tuple[str, ...] = ()


class BundleSettings(Struct, frozen=True, kw_only=True):
    """An OLM bundle of one component, and of what that carries."""

    component: str
    package: str
    channels: tuple[str, ...]
    default_channel: str = ""
    settings: Settings
    """What it changes in the component, besides what the target does."""
    install_modes: tuple[str, ...] = ("AllNamespaces",)
    webhooks: WebhookOwner = WebhookOwner.OLM
    requires: tuple[str, ...] = ()
    """Kinds of others that the operator cannot do without, each group/version/Kind."""
    openshift: str | None = ""
    """Versions of OpenShift that it is for; computed from minors of Kubernetes if empty, None for none."""
    min_kube_version: bool = True
    """Whether it says the oldest Kubernetes that it is for."""
    annotations: dict[str, str] = field(default_factory=dict)
    scorecard: str
    """The image of the scorecard's tests."""
    community: Community | None = None
    origin: Origin


class TargetCatalog(Struct, frozen=True, kw_only=True):
    """A catalog on a cluster; one with an image is rendered too."""

    name: str = "community-operators"
    namespace: str = "openshift-marketplace"
    image: str = ""


class Install(Struct, frozen=True, kw_only=True):
    """How a cluster installs a bundle by OLM."""

    approval: str = "Manual"
    channel: str = ""
    """The bundle's first one when empty."""
    namespace: str = ""
    """That of the component when empty."""
    watches: tuple[str, ...] = ()
    """Namespaces that it looks after; all, or its own, when empty."""
    catalog: TargetCatalog = TargetCatalog()
    origin: Origin


REAL = "real"
"""What the real thing is called among the targets that one is held against."""


class DeclaredDifference(Struct, frozen=True, kw_only=True):
    """A difference to another target, or to the real thing, that is meant."""

    origin: Origin
    reason: str
    object: str = ""
    """Kind and name of the objects that are meant, such as Role/*; a star stands for any text."""
    field: str = ""
    """The places in them, as `kitgen drift` names them; empty for all, and for the object itself."""
    component: str = ""
    """The component that the objects are of; empty for all."""
    namespace: bool = False
    """Means that objects are in another namespace, and all that follows from that."""
    expires: str = ""


class Target(Struct, frozen=True, kw_only=True):
    """One downstream."""

    name: str
    about: str
    platform: str
    """What the platform's operator calls it: of those that build on one, all have the same."""
    release: str
    """What is rendered."""
    releases: tuple[str, ...]
    """Every release that it says it ships; empty when it does not say."""
    upgrades_from: str = ""
    """What is there before it: a release, or a source; empty when it does not say."""
    settings: dict[str, tuple[SettingsBlock, ...]]
    """Component → settings, in order; the first ones are for all versions and releases."""
    overrides: dict[str, tuple[VersionOverride, ...]]
    """Component → versions of it that the target takes instead; the last one that fits counts."""
    data_science_cluster: DataScienceCluster | None
    bundle: BundleSettings | None = None
    install: Install | None = None
    argocd: ArgoCd | None = None
    digests: bool = False
    """Whether images are rendered by their digests."""
    mirrored: dict[str, str] = field(default_factory=dict)
    """Image → its name in a mirror, where a command asks for that; no file says it."""
    drift: dict[str, tuple[DeclaredDifference, ...]] = field(default_factory=dict)
    """What it is held against (a target, or the real thing) → the differences that are meant."""
    exceptions: tuple[AcceptedException, ...] = ()
    """What moves from one release to another may break, with reasons."""
    origin: Origin
    chain: str = ""
    """What it builds on, for people: dev from staging from odh; empty when that is nothing."""

    def list_accepted_rules(self, before: str, after: str) -> dict[str, str]:
        """Return the rules that may be broken from what is there before to a release, with the reasons."""
        return {
            each.rule: each.reason for each in self.exceptions if (each.before, each.after) == (before, after)
        }

    def find_override(self, component: str, release: str) -> VersionOverride | None:
        """Return what makes the target take another version of a component than a release says."""
        last_first = reversed(self.overrides.get(component, ()))
        return next((each for each in last_first if is_in_range(release, each.releases)), None)

    def component_versions(self, release: Release) -> dict[str, str]:
        """Return the components of a release in the versions that the target takes."""
        return {
            name: own.version if (own := self.find_override(name, release.name)) else version
            for name, version in release.components.items()
        }
