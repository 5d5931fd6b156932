"""The folders that Applications name: those that a render makes, and those of a repository that is there."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from kitgen.argocd.layers import synced_of
from kitgen.argocd.rules.applications import AppSource, folder, named_places, repository
from kitgen.argocd.rules.paths import misplaced
from kitgen.check.context import Place, SyncedFolder
from kitgen.files.root import APPS, ARGOCD, OVERLAYS
from kitgen.findings import Finding
from kitgen.kit.kustomizations import NAMES
from kitgen.kit.manifests import STDIN
from kitgen.kit.repositories import CheckedOutRepository, checkout_of, directory_at
from kitgen.kube.manifest import Manifest
from kitgen.text.values import text_at, value_at

if TYPE_CHECKING:
    from kitgen.kit.model import Release
    from kitgen.render.plan import TargetPlan
    from kitgen.workspace.kit import Opened


def rendered_folders(plans: Iterable[TargetPlan]) -> dict[Place, SyncedFolder | None]:
    """Return what a render makes for Argo CD, by where Argo CD finds it; kustomize builds all of it."""
    synced = {plan.target.name: each for plan in plans if (each := synced_of(plan))}
    found: dict[Place, SyncedFolder | None] = {}
    for target, each in synced.items():
        at = repository(each.said.repository)
        top = folder(f"{each.said.folder}/{OVERLAYS}/{ARGOCD}/{target}")
        parts = {layer.part.name: [one.annotated for one in layer.noted] for layer in each.layers}
        for name, objects in parts.items():
            found[at, f"{top}/{name}"] = SyncedFolder(objects=objects, built=NAMES[0])
        found[at, f"{top}/{APPS}"] = SyncedFolder(objects=each.applications, built=NAMES[0])
        if each.said.whole:
            every = [one for objects in parts.values() for one in objects]
            found[at, top] = SyncedFolder(objects=every, built=NAMES[0])
    if parts_of_fleet := [each.fleet for each in synced.values() if each.fleet and each.fleet.sets]:
        source = parts_of_fleet[0].root[-1].body["spec"]["source"]
        sets = [one for each in parts_of_fleet for one in each.sets]
        found[repository(source["repoURL"]), folder(source["path"])] = SyncedFolder(
            objects=sets, built=NAMES[0]
        )
    return found


def check_place(opened: Opened, release: Release | None) -> Iterator[Finding]:
    """Yield targets that name another folder of their repository than the one that the kit is in."""
    from kitgen.workspace.checks import shipping

    found = None if opened.revision else checkout_of(str(opened.root))
    if found is None:
        return
    here = folder(Path(os.path.realpath(opened.root)).relative_to(found.top).as_posix())
    addresses = {repository(each) for each in found.remotes}
    targets = shipping(opened, release.name) if release else opened.kit.targets.values()
    for said in (each.argocd for each in targets):
        if said is not None and repository(said.repository) in addresses:
            yield from (each.at(said.origin) for each in misplaced(said.folder, here))


def named_folders(manifests: Sequence[Manifest]) -> dict[Place, SyncedFolder | None]:
    """Return what is known of folders that Applications among some manifests name.

    They are looked for where the manifest is in a checkout of the repository that it names.
    """
    of_file = cache(_checkout)
    wanted: dict[Place, tuple[CheckedOutRepository, list[AppSource]]] = {}
    for each, source in named_places(manifests):
        found = of_file(each.origin(()).file)
        if found is not None and source.place is not None and _is_there(source, source.place, found):
            wanted.setdefault(source.place, (found, []))[1].append(source)
    if not wanted:
        return {}
    known: dict[str, list[Manifest]] = {}
    for each in manifests:
        known.setdefault(os.path.realpath(each.origin(()).file), []).append(each)
    return {place: _folder(place[1], *found, known) for place, found in wanted.items()}


def _checkout(file: str) -> CheckedOutRepository | None:
    return None if file == STDIN else checkout_of(file if Path(file).is_dir() else str(Path(file).parent))


def _is_there(source: AppSource, place: Place, found: CheckedOutRepository) -> bool:
    """Tell whether what is checked out is what an Application asks for."""
    path, revision = text_at(source.body, "path"), text_at(source.body, "targetRevision")
    inside = not path.startswith("/") and ".." not in path.split("/") and "\0" not in path
    current = revision in ("", "HEAD", "main", "master", found.branch)
    return inside and current and place[0] in {repository(each) for each in found.remotes}


def _folder(
    path: str,
    found: CheckedOutRepository,
    sources: Sequence[AppSource],
    known: Mapping[str, Sequence[Manifest]],
) -> SyncedFolder | None:
    """Return a folder with those of its objects that are among the known ones."""
    at = os.path.realpath(Path(found.top, path))
    deep = all(value_at(each.body, "directory", "recurse") is True for each in sources)
    if (there := directory_at(at, deep=deep)) is None:
        return None
    if there.built:
        return SyncedFolder(objects=known.get(at, ()), built=there.built)
    objects = [one for file in there.files for one in known.get(f"{at}/{file}", ())]
    return SyncedFolder(objects=objects, files=there.files)
