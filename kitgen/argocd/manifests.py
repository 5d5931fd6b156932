"""What is said to Argo CD: an AppProject, an Application, and what they have in common."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from kitgen.argocd.annotations import SYNC_WAVE
from kitgen.argocd.ignored_fields import IgnoredField, find_ignored_fields
from kitgen.argocd.layers import CAUSE, SyncLayer
from kitgen.crd.definition import is_crd
from kitgen.findings import Origin, Path
from kitgen.kit.model import Automated
from kitgen.kube.identity import ObjectId, is_namespaced
from kitgen.kube.manifest import FieldSource, Manifest
from kitgen.text.values import map_at, text_at
from kitgen.text.yaml import JsonObject

API = "argoproj.io/v1alpha1"
PROJECT_WAVE = -1
"""A project comes before the Applications in it."""
Scopes: TypeAlias = Mapping[tuple[str, str], str]
"""Group and kind → whether its objects are Namespaced, of CRDs that the target brings."""
Said: TypeAlias = tuple[Path, Origin]
"""A place in an object, and where it is said."""


def build_manifest(
    kind: str,
    name: str,
    namespace: str,
    wave: int,
    spec: JsonObject,
    said: Iterable[Said],
    found: Iterable[IgnoredField] = (),
    at: Path = ("spec", "ignoreDifferences"),
) -> Manifest:
    """Return an object for Argo CD; the first place that is said is that of the whole."""
    meta: JsonObject = {"name": name, "namespace": namespace, "annotations": {SYNC_WAVE: str(wave)}}
    body: JsonObject = {"apiVersion": API, "kind": kind, "metadata": meta, "spec": spec}
    sources = [FieldSource(path=path, cause=CAUSE, origin=origin) for path, origin in said]
    for index, each in enumerate(found):
        why = f"{each.identity} {each.field}: {each.why}"
        sources.append(FieldSource(path=(*at, index), cause=CAUSE, origin=sources[0].origin, why=why))
    return Manifest(body=body, sources=tuple(sources))


def build_project_spec(repository: str, cluster: JsonObject, some: Sequence[SyncLayer]) -> JsonObject:
    """Return what a project permits: to bring the kinds of layers to their namespaces, from one place."""
    scopes = _collect_scopes(each for layer in some for each in layer.objects)
    inside: set[tuple[str, str]] = set()
    outside: set[tuple[str, str]] = set()
    homes = {layer.default_namespace for layer in some}
    for each in (one for layer in some for one in layer.objects):
        namespaced = _is_namespaced(each.id, scopes)
        (inside if namespaced else outside).add((each.id.group, each.id.kind))
        homes |= {each.id.namespace} if namespaced and each.id.namespace else set()
    return {
        "description": "Only what the target brings, where it brings it, and from where",
        "sourceRepos": [repository],
        "destinations": [{**cluster, "namespace": home} for home in sorted(homes)],
        "clusterResourceWhitelist": _to_group_kinds(outside),
        "namespaceResourceWhitelist": _to_group_kinds(inside),
    }


def _collect_scopes(objects: Iterable[Manifest]) -> dict[tuple[str, str], str]:
    """Return the scopes of kinds; a CRD that is not whole says nothing of its own."""
    specs = [map_at(each.body, "spec") for each in objects if is_crd(each.body)]
    return {
        (text_at(each, "group"), text_at(each, "names", "kind")): text_at(each, "scope") for each in specs
    }


def _is_namespaced(identity: ObjectId, scopes: Scopes) -> bool:
    scope = scopes.get((identity.group, identity.kind))
    return is_namespaced(identity.group, identity.kind) if scope is None else scope == "Namespaced"


def _to_group_kinds(some: set[tuple[str, str]]) -> list[JsonObject]:
    return [{"group": group, "kind": kind} for group, kind in sorted(some)]


def build_application_spec(
    project: str,
    source: JsonObject,
    destination: JsonObject,
    automated: Automated | None,
    some: Sequence[SyncLayer] = (),
) -> tuple[JsonObject, list[IgnoredField]]:
    """Return what an Application says, and the fields of its objects that it leaves to others."""
    found = [*find_ignored_fields([each for layer in some for each in layer.objects])]
    policy: JsonObject = {}
    if automated is not None:
        policy["automated"] = {"prune": automated.prune, "selfHeal": automated.self_heal}
    if found:
        # Else a sync for another reason would still write over what others own.
        policy["syncOptions"] = ["RespectIgnoreDifferences=true"]
    spec: JsonObject = {
        "project": project,
        "source": source,
        "destination": destination,
        **({"syncPolicy": policy} if policy else {}),
        **({"ignoreDifferences": [each.entry for each in found]} if found else {}),
    }
    return spec, found
