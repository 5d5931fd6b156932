"""The folders that Applications name: those that a render makes, and those of a repository that is there."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from posixpath import dirname
from typing import TYPE_CHECKING, TypeAlias

from kitgen.argocd.layers import synced_of
from kitgen.argocd.rules.applications import GROUP, folder, named_places, repository
from kitgen.check.context import Place
from kitgen.files.root import APPS, ARGOCD, OVERLAYS
from kitgen.findings import Finding, problem
from kitgen.kit.manifests import STDIN
from kitgen.kit.repositories import CheckedOutRepository, checkout_of
from kitgen.kube.manifest import Manifest
from kitgen.text.values import collect, text_at, value_at
from kitgen.text.wording import shown
from kitgen.text.yaml import JsonObject

if TYPE_CHECKING:
    from kitgen.kit.model import Release
    from kitgen.render.plan import TargetPlan
    from kitgen.workspace.kit import OpenedKit

Folders: TypeAlias = dict[Place, Sequence[Manifest]]
"""What comes of the folders of repositories."""


def rendered_folders(plans: Iterable[TargetPlan]) -> Folders:
    """Return what a render makes for Argo CD, by where Argo CD finds it."""
    synced = {plan.target.name: each for plan in plans if (each := synced_of(plan))}
    found: Folders = {}
    for target, each in synced.items():
        at = repository(each.said.repository)
        top = folder(f"{each.said.folder}/{OVERLAYS}/{ARGOCD}/{target}")
        parts = {layer.part.name: [one.annotated for one in layer.noted] for layer in each.layers}
        found |= {(at, f"{top}/{name}"): objects for name, objects in parts.items()}
        found[at, f"{top}/{APPS}"] = each.applications
        if each.said.whole:
            found[at, top] = [one for objects in parts.values() for one in objects]
    if parts_of_fleet := [each.fleet for each in synced.values() if each.fleet and each.fleet.sets]:
        source = parts_of_fleet[0].root[-1].body["spec"]["source"]
        sets = [one for each in parts_of_fleet for one in each.sets]
        found[repository(source["repoURL"]), folder(source["path"])] = sets
    return found


def check_place(opened: OpenedKit, release: Release | None) -> Iterator[Finding]:
    """Yield targets that name another folder of their repository than the one that the kit is in."""
    from kitgen.workspace.checks import shipping

    found = None if opened.revision else checkout_of(str(opened.root))
    if found is None:
        return
    here = folder(Path(os.path.realpath(opened.root)).relative_to(found.top).as_posix())
    addresses = {repository(each) for each in found.remotes}
    targets = shipping(opened, release.name) if release else opened.kit.targets.values()
    for said in (each.argocd for each in targets):
        if said and repository(said.repository) in addresses and folder(said.folder) != here:
            what = f"the folder {shown(said.folder)}" if said.folder else "no folder"
            where = f"in {shown(here)}" if here else "at the top of the repository"
            hint = f"write folder: {here}" if here else "remove it"
            wrong = problem("argocd-path", f"found {what}, but the kit is {where}", ("folder",), hint)
            yield wrong.at(said.origin)


def named_folders(manifests: Sequence[Manifest]) -> Folders:
    """Return what is known of folders that Applications among some manifests name.

    They are looked for where the manifest is in a checkout of the repository that it names.
    """
    of_file = cache(_checkout)
    sources = [
        (place, source, found)
        for each in manifests
        if (each.id.group, each.id.kind) == (GROUP, "Application")
        for place, source in named_places(each)
        if (found := of_file(each.origin(()).file)) and _is_checked_out(place, source, found)
    ]
    if not sources:
        return {}
    of_path = collect((os.path.realpath(each.origin(()).file), each) for each in manifests)
    return {
        place: _objects_in(f"{found.top}/{place[1]}", source, of_path) for place, source, found in sources
    }


def _checkout(file: str) -> CheckedOutRepository | None:
    return None if file == STDIN else checkout_of(file if Path(file).is_dir() else str(Path(file).parent))


def _is_checked_out(place: Place, source: JsonObject, found: CheckedOutRepository) -> bool:
    """Tell whether what is checked out is what an Application asks for."""
    current = text_at(source, "targetRevision") in ("", "HEAD", "main", "master", found.branch)
    inside = ".." not in place[1].split("/") and "\0" not in place[1]
    return inside and current and place[0] in {repository(each) for each in found.remotes}


def _objects_in(path: str, source: JsonObject, of_path: dict[str, list[Manifest]]) -> list[Manifest]:
    """Return what kustomize builds of a folder, which has its name, or else what its files hold."""
    at = os.path.realpath(path)
    deep = value_at(source, "directory", "recurse") is True
    return of_path.get(at) or [
        one
        for file, objects in of_path.items()
        if dirname(file) == at or (deep and file.startswith(f"{at}/"))
        for one in objects
    ]
