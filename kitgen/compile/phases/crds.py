"""CRDs of a phase: deprecated, guarded, or with the versions of both sides."""

from __future__ import annotations

from collections.abc import Iterable

from kitgen.compile.argocd.notes import ANNOTATIONS
from kitgen.compile.phases.moving import Dropping, Moving, added, versions_of
from kitgen.kustomize.ways import changed
from kitgen.model.migration import Migration
from kitgen.objects import Manifest
from kitgen.objects.sizes import SYNC_OPTIONS, sync_options
from kitgen.yamlio import Json, JsonObject

GUARDS = ("Prune=false", "Delete=false")
"""What keeps Argo CD from deleting a CRD that leaves the tree."""
LONGEST_WARNING = 256


def leaving(migration: Migration, each: Moving | Dropping) -> Manifest:
    """Return the CRD of an old kind that says so, and that no sync deletes."""
    crd, version = each.old.crd, each.old.name.version
    at = versions_of(crd.body).index(version)
    said: JsonObject = {"deprecated": True, "deprecationWarning": _warning(each)[:LONGEST_WARNING]}
    body = changed(crd.body, ("spec", "versions", at), lambda given: {**given, **said})
    body = changed(body, ANNOTATIONS, _guarded)
    paths = (("spec", "versions", at, "deprecated"), ("spec", "versions", at, "deprecationWarning"))
    return crd.with_(body, *added(migration, each.said.origin, *paths, (*ANNOTATIONS, SYNC_OPTIONS)))


def _warning(each: Moving | Dropping) -> str:
    old = each.old.name
    start = f"{old.api_version} {old.kind} is deprecated"
    if isinstance(each, Dropping):
        return f"{start} and has no successor: {' '.join(each.said.reason.split())}"
    new = each.new.name
    return f"{start}: use {new.api_version} {new.kind}"


def _guarded(given: Json) -> Json:
    notes = given if isinstance(given, dict) else {}
    kept = [each for each in sync_options(notes) if not each.startswith(("Prune=", "Delete="))]
    return {**notes, SYNC_OPTIONS: ",".join([*kept, *GUARDS])}


def with_old_version(migration: Migration, each: Moving) -> Manifest:
    """Return the CRD of a new version that still serves the old one, but stores it no more."""
    old, new = leaving(migration, each), each.new.crd
    version = each.old.name.version
    if version in versions_of(new.body):
        return new
    entry = old.body["spec"]["versions"][versions_of(old.body).index(version)]
    versions = [*new.body["spec"]["versions"], {**entry, "storage": False}]
    body = changed(new.body, ("spec", "versions"), lambda _: versions)
    body = changed(body, ANNOTATIONS, _guarded)
    at = ("spec", "versions", len(versions) - 1)
    return new.with_(body, *added(migration, each.said.origin, at, (*ANNOTATIONS, SYNC_OPTIONS)))


def put(objects: Iterable[Manifest], some: Iterable[Manifest]) -> list[Manifest]:
    """Return objects with others in the place of those of the same identity, or after the last CRD."""
    fresh = {each.id: each for each in some}
    kept = [fresh.pop(each.id, each) for each in objects]
    kinds = [each.id.kind for each in kept]
    at = (
        len(kinds) - kinds[::-1].index("CustomResourceDefinition")
        if "CustomResourceDefinition" in kinds
        else 0
    )
    return [*kept[:at], *fresh.values(), *kept[at:]]
