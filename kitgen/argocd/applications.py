"""The AppProject and the Applications of a target."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from kitgen.argocd.layers import SyncLayer, synced_of
from kitgen.argocd.manifests import PROJECT_WAVE, permitted, stated, synced_from
from kitgen.files.root import ARGOCD, OVERLAYS
from kitgen.findings import Finding, Path, problem
from kitgen.kit.model import ArgoCd
from kitgen.kube.identity import ObjectId
from kitgen.kube.manifest import Manifest
from kitgen.render.plan import TargetPlan
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


def applications(name: str, target: str, said: ArgoCd, some: Sequence[SyncLayer]) -> Iterator[Manifest]:
    """Yield the AppProject, then an Application for each layer, or one for all; they are called by a name."""
    project = said.project or name
    yield _project(project, said, some)
    folder = folder_of(target, said)
    if said.whole and some:
        yield _application(name, project, folder, some, said, 0)
        return
    for index, layer in enumerate(some):
        part = layer.part.name
        yield _application(f"{name}-{part}", project, f"{folder}/{part}", [layer], said, index)


def folder_of(target: str, said: ArgoCd) -> str:
    """Return where the repository has what Argo CD syncs of a target."""
    return "/".join(filter(None, (said.folder, OVERLAYS, ARGOCD, target)))


def _project(name: str, said: ArgoCd, some: Sequence[SyncLayer]) -> Manifest:
    spec = permitted(said.repository, _cluster(said), some)
    at = said.origin.at
    told = [
        ((), said.origin),
        (("metadata", "name"), at("project")),
        (("spec", "sourceRepos", 0), at("repository")),
    ]
    return stated("AppProject", name, said.namespace, PROJECT_WAVE, spec, told)


def _cluster(said: ArgoCd) -> JsonObject:
    at = said.destination
    return {"server": at.server} if at.server else {"name": at.name}


def _application(
    name: str, project: str, path: str, some: Sequence[SyncLayer], said: ArgoCd, wave: int
) -> Manifest:
    source: JsonObject = {"repoURL": said.repository, "targetRevision": said.revision, "path": path}
    destination: JsonObject = {**_cluster(said), "namespace": some[0].home}
    spec, found = synced_from(project, source, destination, said.automated, some)
    told = [((), said.origin), *((path, said.origin.at(key)) for key, path in SAID)]
    return stated("Application", name, said.namespace, wave, spec, told, found)


def clashes(plans: Iterable[TargetPlan]) -> Iterator[Finding]:
    """Yield Applications, sets of them and projects of one name, of targets that are rendered together."""
    first: dict[ObjectId, Manifest] = {}
    some = (synced for plan in plans if (synced := synced_of(plan)))
    for each in (one for synced in some for one in synced.told):
        at = each.origin(("metadata", "name"))
        if each.id.kind == "AppProject" and each.id.name == "default":
            yield problem(
                "argocd-name",
                "found the project 'default', which Argo CD brings itself, expected another name",
                hint="leave it out, and it is called after kit and target",
            ).at(at)
        elif (other := first.setdefault(each.id, each)) is not each:
            yield problem(
                "argocd-name",
                f"found a second {each.id} in the namespace {each.id.namespace}",
                hint=f"the first comes from {other.origin(())}",
            ).at(at)
