"""Applications: where they take their objects from, where they bring them, and what these are.

Addresses of repositories and clusters, in a form in which the same ones are equal.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from kitgen.check.context import CheckContext, Place, SyncedFolder
from kitgen.findings import Path
from kitgen.kit.model.argocd import HERE
from kitgen.kube.identity import ObjectId, is_namespaced
from kitgen.kube.manifest import Manifest
from kitgen.text.values import entries_at, map_at, text_at, value_at
from kitgen.text.yaml import Json, JsonObject

NAME_HERE = "in-cluster"
"""What Argo CD calls the cluster that it runs on, if nobody calls it otherwise."""
SHORT = re.compile(r"(?:[^@/:]+@)?([^@/:]+):(?!//)(.*)", re.DOTALL)
"""How git writes an address of SSH: host:path."""
PARTS = re.compile(r"([a-z][a-z0-9+.-]*)://(?:[^@/]*@)?([^/]*)(.*)", re.DOTALL | re.IGNORECASE)
PORTS = {"https": ":443", "http": ":80", "ssh": ":22"}


def repository(address: str) -> str:
    """Return host and path of a repository; whoever reads it, and how, makes no difference."""
    text = address.strip()
    if match := PARTS.fullmatch(text):
        scheme, host, path = match[1].lower(), match[2].lower(), match[3]
        host = host.removesuffix(PORTS.get(scheme, ":0"))
    elif match := SHORT.fullmatch(text):
        host, path = match[1].lower(), match[2]
    else:
        host, path = "", text
    path = path.rstrip("/").removesuffix(".git").strip("/")
    return f"{host}/{path}" if host else path


def cluster(server: str, name: str) -> tuple[str, str]:
    """Return address and name of a cluster; the one that Argo CD runs on has both."""
    server = server.rstrip("/")
    if server == HERE or name == NAME_HERE:
        return HERE, NAME_HERE
    return server, name


def folder(path: str) -> str:
    """Return a path in a repository without what makes no difference; empty for its top."""
    return "/".join(step for step in path.split("/") if step not in ("", "."))


GROUP = "argoproj.io"
TEMPLATED = "{{"
HARMLESS = frozenset({"commonAnnotations", "commonLabels", "images", "replicas", "version"})
"""What an Application may tell kustomize without making other objects of those that it builds."""


class AppSource(Struct, frozen=True):
    """One source of an Application."""

    path: Path
    """Where it stands."""
    body: JsonObject
    place: Place | None
    """The folder that it names; None for a chart, a reference, or an artifact of a registry."""


class App(Struct, frozen=True, kw_only=True):
    """What is known of an Application."""

    target: str
    manifest: Manifest
    sources: tuple[AppSource, ...]
    server: str
    cluster_name: str
    namespace: str
    """Where objects go that say none."""
    brought: tuple[Manifest, ...]
    """The objects that are known."""

    @property
    def cluster(self) -> str:
        """Return what to call the cluster."""
        return self.server or self.cluster_name

    def identity(self, manifest: Manifest) -> ObjectId:
        """Return what the cluster calls an object that it brings."""
        found = manifest.id
        if found.namespace or not self.namespace or not is_namespaced(found.group, found.kind):
            return found
        return ObjectId(found.group, found.kind, self.namespace, found.name)


def applications(context: CheckContext) -> list[App]:
    """Return the Applications of all targets, with what they bring."""
    return [
        _application(context, target, each)
        for target in context.targets
        for each in context.index(target).of(GROUP, "Application")
    ]


def _application(context: CheckContext, target: str, manifest: Manifest) -> App:
    spec = manifest.body.get("spec")
    sources = tuple(_sources(spec))
    server, name = cluster(text_at(spec, "destination", "server"), text_at(spec, "destination", "name"))
    return App(
        target=target,
        manifest=manifest,
        sources=sources,
        server=server,
        cluster_name=name,
        namespace=text_at(spec, "destination", "namespace"),
        brought=tuple(
            each
            for source in sources
            if _is_kept(source.body) and (found := found_in(context, source))
            for each in found.objects
        ),
    )


def _is_kept(source: JsonObject) -> bool:
    """Tell whether an Application brings the objects of a folder under the names that they have there."""
    choosing = any(value_at(source, "directory", key) for key in ("include", "exclude", "jsonnet"))
    return not (choosing or source.get("plugin") or source.get("helm")) and HARMLESS.issuperset(
        map_at(source, "kustomize")
    )


def found_in(context: CheckContext, source: AppSource) -> SyncedFolder | None:
    """Return the folder that a source leads to, if it is known."""
    return context.folders.get(source.place) if source.place is not None else None


def _sources(spec: Json) -> Iterator[AppSource]:
    """Yield the sources; several take the place of a single one."""
    several = entries_at(spec, "sources")
    one = value_at(spec, "source")
    if several:
        yield from (AppSource(("spec", "sources", index), each, place_of(each)) for index, each in several)
    elif isinstance(one, dict):
        yield AppSource(("spec", "source"), one, place_of(one))
    if isinstance(hydrated := value_at(spec, "sourceHydrator", "drySource"), dict):
        yield AppSource(("spec", "sourceHydrator", "drySource"), hydrated, place_of(hydrated))


def place_of(source: JsonObject) -> Place | None:
    """Return the folder that a source names, if it is one in a Git repository."""
    address, path = text_at(source, "repoURL"), source.get("path")
    if not address or address.startswith("oci://") or source.get("chart") or not isinstance(path, str):
        return None
    if not path or TEMPLATED in path or TEMPLATED in address:
        return None
    return repository(address), folder(path)


def named_places(manifests: Sequence[Manifest]) -> Iterator[tuple[Manifest, AppSource]]:
    """Yield every source of Applications that names a folder."""
    for each in manifests:
        if (each.id.group, each.id.kind) == (GROUP, "Application"):
            yield from ((each, source) for source in _sources(each.body.get("spec")) if source.place)
