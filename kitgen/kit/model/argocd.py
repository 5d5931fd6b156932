"""How Argo CD deploys a target: settings of one Application, and of ApplicationSets for many clusters."""

from __future__ import annotations

from msgspec import Struct

from kitgen.findings import Origin
from kitgen.kube.selectors import LabelSelector

HERE = "https://kubernetes.default.svc"
"""What Argo CD calls the cluster that it runs on."""
SECRET_TYPE = "argocd.argoproj.io/secret-type"
"""The label that tells Argo CD that a Secret is a cluster."""


class Destination(Struct, frozen=True, kw_only=True):
    """A cluster, by its address or by its name in Argo CD: one of the two."""

    server: str = ""
    name: str = ""


class Automated(Struct, frozen=True, kw_only=True):
    """What Argo CD does automatically, once it syncs by itself."""

    prune: bool = False
    self_heal: bool = False


class SyncedRepository(Struct, frozen=True, kw_only=True):
    """Where Argo CD finds what is rendered."""

    repository: str
    revision: str = "HEAD"
    folder: str = ""
    """The kit's folder in the repository; empty for its top."""
    namespace: str = "argocd"
    automated: Automated | None = None
    """Syncs wait for somebody to ask for them when absent; of a fleet, those of the fleet itself."""
    origin: Origin


class ArgoCd(SyncedRepository, frozen=True, kw_only=True):
    """Where Argo CD finds what is rendered, and where it takes it."""

    destination: Destination = Destination(server=HERE)
    says_destination: bool = False
    """Whether the target says it, and does not leave it to what is usual."""
    project: str = ""
    """A name of kit and target when empty."""
    whole: bool = False
    """One Application for the target, and not one a component."""
    guard: bool = True
    """CRDs and namespaces are deleted only once somebody confirms it."""


TARGET_LABEL = "kitgen.target"
"""What says on a cluster which target it gets, unless the fleet says otherwise."""
EVERYWHERE = "all"
"""The wave of all clusters, where the fleet says none."""


class FleetTarget(Struct, frozen=True, kw_only=True):
    """A target, and the clusters that get it."""

    name: str
    clusters: LabelSelector
    origin: Origin


class FleetWave(Struct, frozen=True, kw_only=True):
    """Clusters that change together, once those of earlier waves are healthy."""

    name: str
    clusters: LabelSelector = ()
    """All that are in no earlier wave when empty."""
    at_once: int | str | None = None
    """How many clusters change at a time, as a number or a percentage; all when absent."""
    origin: Origin


class Fleet(SyncedRepository, frozen=True, kw_only=True):
    """Targets, clusters and waves."""

    targets: tuple[FleetTarget, ...]
    waves: tuple[FleetWave, ...]
    leaves_others: bool = False
    """Whether clusters without any label that a target asks for are meant to get nothing."""
    says_namespace: bool = False
    """Whether the fleet says it, and does not take that of its first target."""
    keep: bool = True
    """Whether a cluster keeps what Argo CD brought, once no label asks for it any more."""


class Cluster(Struct, frozen=True, kw_only=True):
    """A cluster as Argo CD knows it."""

    name: str
    server: str | None = None
    """The address of its API server, where it is said."""
    labels: dict[str, str]
    origin: Origin
    """The entry; `origin.at("labels", key)` leads to a label, whatever the form of the list."""
