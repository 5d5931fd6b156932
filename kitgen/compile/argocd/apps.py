"""The AppProject and the Applications of a target."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from kitgen.compile.argocd.ignored import Ignored, ignored
from kitgen.compile.argocd.layers import CAUSE, Synced, SyncLayer
from kitgen.compile.argocd.notes import SYNC_WAVE
from kitgen.crds.schema.crd import is_crd
from kitgen.findings import Chapter, Finding, Path, Rule
from kitgen.kustomize.ways import places
from kitgen.model import ArgoCd
from kitgen.objects import Manifest, ObjectId, Source, is_namespaced
from kitgen.root import ARGOCD, OVERLAYS
from kitgen.yamlio import JsonObject

ARGOCD_NAME = Rule(
    id="argocd-name",
    chapter=Chapter.TARGET,
    checks="No two targets make an Application or AppProject of one name, nor any the project `default`.",
    fix="Say another `project` or `namespace` under `argocd`, or call the target otherwise.",
    why=(
        "The second one takes the place of the first: Argo CD would then bring the objects of one target, "
        "and count those of the other as gone. The project `default` is Argo CD's own, and others may use it."
    ),
)
API = "argoproj.io/v1alpha1"
Scopes: TypeAlias = Mapping[tuple[str, str], str]
"""Group and kind → whether its objects are Namespaced, of CRDs that the target brings."""


def applications(name: str, target: str, said: ArgoCd, some: Sequence[SyncLayer]) -> Iterator[Manifest]:
    """Yield the AppProject, then an Application for each layer, or one for all; they are called by a name."""
    project = said.project or name
    yield _project(project, said, some)
    folder = "/".join(filter(None, (said.folder, OVERLAYS, ARGOCD, target)))
    if said.whole and some:
        yield _application(name, project, folder, some, said, 0)
        return
    for index, layer in enumerate(some):
        part = layer.part.name
        yield _application(f"{name}-{part}", project, f"{folder}/{part}", [layer], said, index)


def _project(name: str, said: ArgoCd, some: Sequence[SyncLayer]) -> Manifest:
    """Return what Applications may do: bring the kinds of the target to its namespaces, from one place."""
    scopes = _scopes(each for layer in some for each in layer.objects)
    inside: set[tuple[str, str]] = set()
    outside: set[tuple[str, str]] = set()
    homes = {layer.home for layer in some}
    for each in (one for layer in some for one in layer.objects):
        namespaced = _is_namespaced(each.id, scopes)
        (inside if namespaced else outside).add((each.id.group, each.id.kind))
        homes |= {each.id.namespace} if namespaced and each.id.namespace else set()
    spec: JsonObject = {
        "description": "Only what the target brings, where it brings it, and from where",
        "sourceRepos": [said.repository],
        "destinations": [{**_cluster(said), "namespace": home} for home in sorted(homes)],
        "clusterResourceWhitelist": _kinds(outside),
        "namespaceResourceWhitelist": _kinds(inside),
    }
    named = ("project", ("metadata", "name"))
    return _manifest("AppProject", name, said, -1, spec, (named, ("repository", ("spec", "sourceRepos", 0))))


def _scopes(objects: Iterable[Manifest]) -> dict[tuple[str, str], str]:
    """Return the scopes of kinds; a CRD that is not whole says nothing of its own."""
    found = {}
    for body in (each.body for each in objects if is_crd(each.body)):
        group, kind, scope = (
            next((str(value) for _, value in places(body, f"spec/{way}")), "")
            for way in ("group", "names/kind", "scope")
        )
        found[group, kind] = scope
    return found


def _is_namespaced(identity: ObjectId, scopes: Scopes) -> bool:
    scope = scopes.get((identity.group, identity.kind))
    return is_namespaced(identity.group, identity.kind) if scope is None else scope == "Namespaced"


def _kinds(some: set[tuple[str, str]]) -> list[JsonObject]:
    return [{"group": group, "kind": kind} for group, kind in sorted(some)]


def _cluster(said: ArgoCd) -> JsonObject:
    at = said.destination
    return {"server": at.server} if at.server else {"name": at.name}


def _application(
    name: str, project: str, path: str, some: Sequence[SyncLayer], said: ArgoCd, wave: int
) -> Manifest:
    found = [*ignored([each for layer in some for each in layer.objects])]
    automated = said.automated
    policy: JsonObject = {}
    if automated is not None:
        policy["automated"] = {"prune": automated.prune, "selfHeal": automated.self_heal}
    if found:
        # Else a sync for another reason would still write over what others own.
        policy["syncOptions"] = ["RespectIgnoreDifferences=true"]
    spec: JsonObject = {
        "project": project,
        "source": {"repoURL": said.repository, "targetRevision": said.revision, "path": path},
        "destination": {**_cluster(said), "namespace": some[0].home},
        **({"syncPolicy": policy} if policy else {}),
        **({"ignoreDifferences": [each.entry for each in found]} if found else {}),
    }
    said_at: tuple[tuple[str, Path], ...] = (
        ("project", ("spec", "project")),
        ("repository", ("spec", "source", "repoURL")),
        ("revision", ("spec", "source", "targetRevision")),
        ("folder", ("spec", "source", "path")),
        ("destination", ("spec", "destination")),
        ("sync", ("spec", "syncPolicy")),
    )
    return _manifest("Application", name, said, wave, spec, said_at, found)


def _manifest(
    kind: str,
    name: str,
    said: ArgoCd,
    wave: int,
    spec: JsonObject,
    said_at: Iterable[tuple[str, Path]],
    found: Iterable[Ignored] = (),
) -> Manifest:
    meta: JsonObject = {"name": name, "namespace": said.namespace, "annotations": {SYNC_WAVE: str(wave)}}
    body: JsonObject = {"apiVersion": API, "kind": kind, "metadata": meta, "spec": spec}
    sources = [Source(path=(), cause=CAUSE, origin=said.origin)]
    sources += [Source(path=path, cause=CAUSE, origin=said.origin.at(key)) for key, path in said_at]
    for index, each in enumerate(found):
        why = f"{each.identity} {each.field}: {each.why}"
        sources.append(
            Source(path=("spec", "ignoreDifferences", index), cause=CAUSE, origin=said.origin, why=why)
        )
    return Manifest(body=body, sources=tuple(sources))


def clashes(some: Iterable[Synced]) -> Iterator[Finding]:
    """Yield Applications and projects of one name, of targets that are rendered together."""
    first: dict[ObjectId, Manifest] = {}
    for each in (one for synced in some for one in synced.applications):
        at = each.origin(("metadata", "name"))
        if each.id.kind == "AppProject" and each.id.name == "default":
            message = "found the project 'default', which Argo CD brings itself, expected another name"
            yield ARGOCD_NAME(message, hint="leave it out, and it is called after kit and target").at(at)
        elif (other := first.setdefault(each.id, each)) is not each:
            message = f"found a second {each.id} in the namespace {each.id.namespace}"
            yield ARGOCD_NAME(message, hint=f"the first comes from {other.origin(())}").at(at)
