"""The folders that Applications name: those that a render makes, and those of a repository that is there."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from posixpath import dirname
from typing import TYPE_CHECKING, TypeAlias

from kitgen.argocd.layers import find_synced_target
from kitgen.argocd.rules.applications import (
    GROUP,
    list_source_folders,
    normalize_folder,
    normalize_repository,
)
from kitgen.check.context import Place
from kitgen.files.root import APPS, ARGOCD, OVERLAYS
from kitgen.findings import Finding, make_problem
from kitgen.kit.manifests import STDIN
from kitgen.kit.repositories import CheckedOutRepository, find_checkout
from kitgen.kube.manifest import Manifest
from kitgen.text.values import group_pairs, text_at, value_at
from kitgen.text.wording import describe_value
from kitgen.text.yaml import JsonObject

if TYPE_CHECKING:
    from kitgen.kit.model import Release
    from kitgen.render.plan import TargetPlan
    from kitgen.workspace.kit import OpenedKit

Folders: TypeAlias = dict[Place, Sequence[Manifest]]
"""What comes of the folders of repositories."""


def list_rendered_folders(plans: Iterable[TargetPlan]) -> Folders:
    """Return what a render makes for Argo CD, by where Argo CD finds it."""
    synced = {plan.target.name: each for plan in plans if (each := find_synced_target(plan))}
    found: Folders = {}
    for target, each in synced.items():
        at = normalize_repository(each.said.repository)
        top = normalize_folder(f"{each.said.folder}/{OVERLAYS}/{ARGOCD}/{target}")
        parts = {layer.part.name: [one.annotated_manifest for one in layer.noted] for layer in each.layers}
        found |= {(at, f"{top}/{name}"): objects for name, objects in parts.items()}
        found[at, f"{top}/{APPS}"] = each.applications
        if each.said.whole:
            found[at, top] = [one for objects in parts.values() for one in objects]
    if parts_of_fleet := [each.fleet for each in synced.values() if each.fleet and each.fleet.sets]:
        source = parts_of_fleet[0].root[-1].body["spec"]["source"]
        sets = [one for each in parts_of_fleet for one in each.sets]
        found[normalize_repository(source["repoURL"]), normalize_folder(source["path"])] = sets
    return found


def check_kit_folder(opened: OpenedKit, release: Release | None) -> Iterator[Finding]:
    """Yield targets that name another folder of their repository than the one that the kit is in."""
    from kitgen.workspace.checks import list_shipping_targets

    found = None if opened.revision else find_checkout(str(opened.root))
    if found is None:
        return
    here = normalize_folder(Path(os.path.realpath(opened.root)).relative_to(found.top).as_posix())
    addresses = {normalize_repository(each) for each in found.remotes}
    targets = list_shipping_targets(opened, release.name) if release else opened.kit.targets.values()
    for said in (each.argocd for each in targets):
        if (
            said
            and normalize_repository(said.repository) in addresses
            and normalize_folder(said.folder) != here
        ):
            what = f"the folder {describe_value(said.folder)}" if said.folder else "no folder"
            where = f"in {describe_value(here)}" if here else "at the top of the repository"
            hint = f"write folder: {here}" if here else "remove it"
            wrong = make_problem("argocd-path", f"found {what}, but the kit is {where}", ("folder",), hint)
            yield wrong.to_finding(said.origin)


def find_named_folders(manifests: Sequence[Manifest]) -> Folders:
    """Return what is known of folders that Applications among some manifests name.

    They are looked for where the manifest is in a checkout of the repository that it names.
    """
    of_file = cache(_find_checkout)
    sources = [
        (place, source, found)
        for each in manifests
        if (each.id.group, each.id.kind) == (GROUP, "Application")
        for place, source in list_source_folders(each)
        if (found := of_file(each.find_origin(()).file)) and _is_checked_out(place, source, found)
    ]
    if not sources:
        return {}
    of_path = group_pairs((os.path.realpath(each.find_origin(()).file), each) for each in manifests)
    return {
        place: _find_folder_objects(f"{found.top}/{place[1]}", source, of_path)
        for place, source, found in sources
    }


def _find_checkout(file: str) -> CheckedOutRepository | None:
    return None if file == STDIN else find_checkout(file if Path(file).is_dir() else str(Path(file).parent))


def _is_checked_out(place: Place, source: JsonObject, found: CheckedOutRepository) -> bool:
    """Tell whether what is checked out is what an Application asks for."""
    current = text_at(source, "targetRevision") in ("", "HEAD", "main", "master", found.branch)
    inside = ".." not in place[1].split("/") and "\0" not in place[1]
    return inside and current and place[0] in {normalize_repository(each) for each in found.remotes}


def _find_folder_objects(path: str, source: JsonObject, of_path: dict[str, list[Manifest]]) -> list[Manifest]:
    """Return what kustomize builds of a folder, which has its name, or else what its files hold."""
    at = os.path.realpath(path)
    deep = value_at(source, "directory", "recurse") is True
    return of_path.get(at) or [
        one
        for file, objects in of_path.items()
        if dirname(file) == at or (deep and file.startswith(f"{at}/"))
        for one in objects
    ]
