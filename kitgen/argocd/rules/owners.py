"""Owners: objects that two Applications bring to one cluster."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from posixpath import dirname
from typing import TYPE_CHECKING

from kitgen.argocd.layers import synced_of
from kitgen.argocd.rules.applications import App
from kitgen.check.context import CheckContext, Hit
from kitgen.files.root import ARGOCD
from kitgen.findings import Path, problem
from kitgen.kube.identity import ObjectId
from kitgen.kube.manifest import Manifest
from kitgen.text.values import text_at
from kitgen.text.wording import counted, cut

if TYPE_CHECKING:
    from kitgen.render.plan import TargetPlan

SHARED = ("", "Namespace")
"""What several Applications of others often bring, all the same."""
DESTINATION: Path = ("spec", "destination")


def look(context: CheckContext, apps: list[App]) -> Iterator[Hit]:
    """Yield Applications that share objects, those of two targets once for each pair."""
    clusters: dict[str, list[App]] = {}
    chosen = {plan.target.name for plan in context.plans if _is_chosen(plan)}
    for app in apps:
        if app.brought and app.cluster:
            clusters.setdefault(app.cluster, []).append(app)
    for some in clusters.values():
        groups: dict[tuple[str, str], list[App]] = {}
        for app in some:
            groups.setdefault((app.target, _group(app)), []).append(app)
        for each in groups.values():
            yield from _within(each)
        targets: dict[str, list[App]] = {}
        for app in (one for one in some if one.target):
            targets.setdefault(app.target, []).append(app)
        for one, other in combinations(targets.values(), 2):
            if not {_name(one), _name(other)} <= chosen:
                yield from _between(one, other)


def _is_chosen(plan: TargetPlan) -> bool:
    """Tell whether labels of clusters choose a target, and it says no cluster of its own beside that."""
    said, synced = plan.target.argocd, synced_of(plan)
    return said is not None and not said.says_destination and bool(synced and synced.fleet)


def _name(apps: list[App]) -> str:
    return apps[0].target.removesuffix(f"/{ARGOCD}")


def _group(app: App) -> str:
    """Return what tells apart the Applications of others that may be for different installs of Argo CD."""
    if app.target:
        return ""
    place, project = dirname(app.manifest.origin(()).file), text_at(app.manifest.body, "spec", "project")
    return f"{place} {app.manifest.id.namespace} {project}"


def _owned(app: App) -> dict[ObjectId, Manifest]:
    return {app.identity(each): each for each in app.brought if each.id.name}


def _within(apps: list[App]) -> Iterator[Hit]:
    """Yield the second Application of an object, once for each that was before it."""
    first: dict[ObjectId, App] = {}
    for app in apps:
        shared: dict[int, tuple[App, list[ObjectId]]] = {}
        for identity in _owned(app):
            owner = first.setdefault(identity, app)
            if owner is not app and (app.target or (identity.group, identity.kind) != SHARED):
                shared.setdefault(id(owner), (owner, []))[1].append(identity)
        for owner, some in shared.values():
            what = counted(len(some), "object")
            message = f"found {what} that {owner.manifest.id} brings to the same cluster, such as {some[0]}"
            hint = "leave each object to one Application"
            yield Hit(app.target, app.manifest, problem("argocd-owner", message, DESTINATION, hint))


def _between(one: list[App], other: list[App]) -> Iterator[Hit]:
    """Yield that two targets go to one cluster and do not get on there."""
    owned = {identity for app in one for identity in _owned(app)}
    if not (both := [identity for app in other for identity in _owned(app) if identity in owned]):
        return
    names = [_name(some) for some in (one, other)]
    first = next((each for each in both if each.kind == "CustomResourceDefinition"), both[0])
    # Releases hold more or fewer of them, and it is one thing to say.
    message = (
        f"found that {names[0]} and {names[1]} both go to {cut(other[0].cluster)}, and own the same objects"
    )
    count = counted(len(both), "object")
    hint = f"both own {count}, such as {first}: kitgen conflicts {names[0]} {names[1]} lists them"
    yield Hit(other[0].target, other[0].manifest, problem("argocd-cluster", message, DESTINATION, hint))
