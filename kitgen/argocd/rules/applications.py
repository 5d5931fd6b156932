"""Applications: which cluster they go to, which folders they name, and what these bring.

Addresses of repositories and clusters, in a form in which the same ones are equal.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from kitgen.check.context import CheckContext, Place
from kitgen.kit.model.argocd import HERE
from kitgen.kube.manifest import Manifest
from kitgen.text.patterns import compile_late
from kitgen.text.values import entries_at, map_at, text_at, value_at
from kitgen.text.yaml import Json, JsonObject

NAME_HERE = "in-cluster"
"""What Argo CD calls the cluster that it runs on, if nobody calls it otherwise."""
SHORT = compile_late(r"(?:[^@/:]+@)?([^@/:]+):(?!//)(.*)", re.DOTALL)
"""How git writes an address of SSH: host:path."""
PARTS = compile_late(r"([a-z][a-z0-9+.-]*)://(?:[^@/]*@)?([^/]*)(.*)", re.DOTALL | re.IGNORECASE)
PORTS = {"https": ":443", "http": ":80", "ssh": ":22"}


def normalize_repository(address: str) -> str:
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


def normalize_cluster(server: str, name: str) -> str:
    """Return what to call a cluster; the one that Argo CD runs on has an address and a name."""
    return HERE if name == NAME_HERE else server.rstrip("/") or name


def normalize_folder(path: str) -> str:
    """Return a path in a repository without what makes no difference; empty for its top."""
    return "/".join(step for step in path.split("/") if step not in ("", "."))


GROUP = "argoproj.io"
TEMPLATED = "{{"
HARMLESS = frozenset({"commonAnnotations", "commonLabels", "images", "replicas", "version"})
"""What an Application may tell kustomize without making other objects of those that it builds."""


class App(Struct, frozen=True, kw_only=True):
    """What is known of an Application."""

    target: str
    manifest: Manifest
    cluster: str
    """Its address, or its name; empty if the Application says neither."""
    brought: tuple[Manifest, ...]
    """The objects that are known."""


def list_applications(context: CheckContext) -> list[App]:
    """Return the Applications of all targets, with what they bring."""
    return [
        App(
            target=target,
            manifest=each,
            cluster=normalize_cluster(
                *(text_at(each.body, "spec", "destination", key) for key in ("server", "name"))
            ),
            brought=tuple(
                one
                for place, source in list_source_folders(each)
                if _is_unmodified_source(source)
                for one in context.folders.get(place, ())
            ),
        )
        for target in context.targets
        for each in context.get_index(target).objects_of(GROUP, "Application")
    ]


def _is_unmodified_source(source: JsonObject) -> bool:
    """Tell whether an Application brings the objects of a folder under the names that they have there."""
    choosing = any(value_at(source, "directory", key) for key in ("include", "exclude", "jsonnet"))
    return not (choosing or source.get("plugin") or source.get("helm")) and HARMLESS.issuperset(
        map_at(source, "kustomize")
    )


def list_source_folders(application: Manifest) -> Iterator[tuple[Place, JsonObject]]:
    """Yield the folders that an Application names, with the sources that do."""
    spec: Json = application.body.get("spec")
    several = [source for _, source in entries_at(spec, "sources")]
    for source in several or [map_at(spec, "source")]:
        if place := _find_source_folder(source):
            yield place, source


def _find_source_folder(source: JsonObject) -> Place | None:
    """Return the folder that a source names, if it is one in a Git repository."""
    address, path = text_at(source, "repoURL"), text_at(source, "path")
    if not (address and path) or address.startswith("oci://") or source.get("chart"):
        return None
    return None if TEMPLATED in path + address else (normalize_repository(address), normalize_folder(path))
