"""A target: what a downstream changes in each component, and the releases that it ships."""

from __future__ import annotations

from enum import StrEnum
from typing import Generic, TypeVar

from msgspec import Struct, field

from kitgen.findings import Origin
from kitgen.model.component import Item, LabelRule, Layer
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


class Settings(Struct, frozen=True, kw_only=True):
    """What a target says of one component in the version that it ships."""

    origin: Origin
    state: ManagementState | None = None
    crds: Setting[CrdPlace] | None = None
    namespace: Setting[NamespaceSetting] | None = None
    images: dict[str, Setting[str]] = field(default_factory=dict)
    replicas: Setting[int] | None = None
    resources: dict[str, Setting[JsonObject]] = field(default_factory=dict)
    labels: tuple[LabelRule, ...] = ()
    features: dict[str, Setting[bool]] = field(default_factory=dict)
    config: tuple[Layer, ...] = ()
    patches: tuple[Item, ...] = ()
    export: Export | None = None

    @property
    def managed(self) -> bool:
        """Tell whether the component is rendered."""
        return self.state in (None, ManagementState.MANAGED)

    @property
    def crd_place(self) -> CrdPlace:
        """Return where its CRDs go."""
        return self.crds.value if self.crds else CrdPlace.BESIDE


class DataScienceCluster(Struct, frozen=True, kw_only=True):
    """The resource through which the ODH operator installs the components."""

    name: str
    components: dict[str, str]
    """Key in the resource → component."""
    origin: Origin


class Target(Struct, frozen=True, kw_only=True):
    """One downstream."""

    name: str
    about: str
    release: str
    """What is rendered."""
    releases: tuple[str, ...]
    """Every release that it says it ships; empty when it does not say."""
    settings: dict[str, tuple[tuple[str, Settings], ...]]
    """Component → settings, each with the range of versions that it is for, in order."""
    data_science_cluster: DataScienceCluster | None
    origin: Origin
