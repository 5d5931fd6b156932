"""How Argo CD brings a target to a cluster."""

from __future__ import annotations

from msgspec import Struct

from kitgen.findings import Origin

HERE = "https://kubernetes.default.svc"
"""What Argo CD calls the cluster that it runs on."""
SECRET_TYPE = "argocd.argoproj.io/secret-type"
"""The label that tells Argo CD that a Secret is a cluster."""


class Destination(Struct, frozen=True, kw_only=True):
    """A cluster, by its address or by its name in Argo CD: one of the two."""

    server: str = ""
    name: str = ""


class Automated(Struct, frozen=True, kw_only=True):
    """What Argo CD does without being asked, once it syncs by itself."""

    prune: bool = False
    self_heal: bool = False


class ArgoCd(Struct, frozen=True, kw_only=True):
    """Where Argo CD finds what is rendered, and where it takes it."""

    repository: str
    revision: str = "HEAD"
    folder: str = ""
    """The kit's folder in the repository; empty for its top."""
    destination: Destination = Destination(server=HERE)
    says_destination: bool = False
    """Whether the target says it, and does not leave it to what is usual."""
    project: str = ""
    """A name of kit and target when empty."""
    namespace: str = "argocd"
    whole: bool = False
    """One Application for the target, and not one a component."""
    automated: Automated | None = None
    """Syncs wait for somebody to ask for them when absent."""
    guard: bool = True
    """CRDs and namespaces are deleted only once somebody confirms it."""
    origin: Origin
