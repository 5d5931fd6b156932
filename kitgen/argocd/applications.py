"""The AppProject and the Applications of a target."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kitgen.argocd.layers import SyncLayer
from kitgen.argocd.manifests import PROJECT_WAVE, build_application_spec, build_manifest, build_project_spec
from kitgen.files.root import ARGOCD, OVERLAYS
from kitgen.findings import Path
from kitgen.kit.model import ArgoCd
from kitgen.kube.manifest import Manifest
from kitgen.text.yaml import JsonObject

SAID: tuple[tuple[str, Path], ...] = (
    ("project", ("spec", "project")),
    ("repository", ("spec", "source", "repoURL")),
    ("revision", ("spec", "source", "targetRevision")),
    ("folder", ("spec", "source", "path")),
    ("destination", ("spec", "destination")),
    ("sync", ("spec", "syncPolicy")),
)
"""What a target says, and where an Application has it."""


def build_applications(name: str, target: str, said: ArgoCd, some: Sequence[SyncLayer]) -> Iterator[Manifest]:
    """Yield the AppProject, then an Application for each layer, or one for all; they are called by a name."""
    project = said.project or name
    yield _build_project(project, said, some)
    folder = synced_folder_of(target, said)
    if said.whole and some:
        yield _build_application(name, project, folder, some, said, 0)
        return
    for index, layer in enumerate(some):
        part = layer.part.name
        yield _build_application(f"{name}-{part}", project, f"{folder}/{part}", [layer], said, index)


def synced_folder_of(target: str, said: ArgoCd) -> str:
    """Return where the repository has what Argo CD syncs of a target."""
    return "/".join(filter(None, (said.folder, OVERLAYS, ARGOCD, target)))


def _build_project(name: str, said: ArgoCd, some: Sequence[SyncLayer]) -> Manifest:
    spec = build_project_spec(said.repository, _build_destination(said), some)
    at = said.origin.at
    told = [
        ((), said.origin),
        (("metadata", "name"), at("project")),
        (("spec", "sourceRepos", 0), at("repository")),
    ]
    return build_manifest("AppProject", name, said.namespace, PROJECT_WAVE, spec, told)


def _build_destination(said: ArgoCd) -> JsonObject:
    at = said.destination
    return {"server": at.server} if at.server else {"name": at.name}


def _build_application(
    name: str, project: str, path: str, some: Sequence[SyncLayer], said: ArgoCd, wave: int
) -> Manifest:
    source: JsonObject = {"repoURL": said.repository, "targetRevision": said.revision, "path": path}
    destination: JsonObject = {**_build_destination(said), "namespace": some[0].default_namespace}
    spec, found = build_application_spec(project, source, destination, said.automated, some)
    told = [((), said.origin), *((path, said.origin.at(key)) for key, path in SAID)]
    return build_manifest("Application", name, said.namespace, wave, spec, told, found)
