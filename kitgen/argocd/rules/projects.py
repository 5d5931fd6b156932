"""AppProjects: whether they permit what their Applications take, where they bring it, and what it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kitgen.argocd.rules.applications import GROUP, App
from kitgen.argocd.rules.globs import matches
from kitgen.check.context import CheckContext, Hit
from kitgen.check.schemas.catalog import is_own
from kitgen.findings import Problem, problem
from kitgen.kube.foreign_kinds import plurals
from kitgen.kube.identity import ObjectId, is_namespaced
from kitgen.kube.manifest import Manifest
from kitgen.text.values import entries_at, list_at, text_at, value_at
from kitgen.text.wording import counted, cut
from kitgen.text.yaml import Json

DENY = "!"
Scopes = Mapping[tuple[str, str], bool]
"""Group and kind → whether objects have namespaces, of CRDs."""


def look(context: CheckContext, apps: list[App]) -> Iterator[Hit]:
    """Yield what AppProjects forbid of their Applications."""
    projects = {
        (target, each.id.namespace, each.id.name): each
        for target in context.targets
        for each in context.index(target).of(GROUP, "AppProject")
    }
    scopes: Scopes | None = None
    for app in apps:
        name = text_at(app.manifest.body, "spec", "project") or "default"
        if (project := projects.get((app.target, app.manifest.id.namespace, name))) is None:
            continue
        if app.brought and scopes is None:
            scopes = _scopes(context, apps)
        for wrong in _problems(context, app, project, scopes or {}):
            yield Hit(app.target, app.manifest, wrong)


def _problems(context: CheckContext, app: App, project: Manifest, scopes: Scopes) -> Iterator[Problem]:
    spec = project.body.get("spec")
    for source in app.sources:
        if (address := text_at(source.body, "repoURL")) and not _permits_source(spec, address):
            message = f"found a repository that {project.id} does not permit"
            yield problem(
                "argocd-project", message, (*source.path, "repoURL"), "add it to sourceRepos of the project"
            )
    if (app.server or app.cluster_name) and not _permits_destination(spec, app, app.namespace):
        where = f"the namespace {cut(app.namespace)} of " if app.namespace else ""
        message = f"found {where}{cut(app.cluster)} as destination, which {project.id} does not permit"
        yield problem(
            "argocd-project", message, ("spec", "destination"), "add it to destinations of the project"
        )
        return
    yield from _objects(context, app, project, scopes)


def _objects(context: CheckContext, app: App, project: Manifest, scopes: Scopes) -> Iterator[Problem]:
    """Yield once for each list of the project what objects it does not permit."""
    spec = project.body.get("spec")
    refused: dict[str, list[ObjectId]] = {}
    elsewhere: dict[str, list[ObjectId]] = {}
    for each in app.brought:
        identity = app.identity(each)
        if (namespaced := _is_namespaced(context, each, scopes)) is None:
            continue
        if list_ := _refusing(spec, identity, namespaced=namespaced):
            refused.setdefault(list_, []).append(identity)
        elif namespaced and identity.namespace and not _permits_destination(spec, app, identity.namespace):
            elsewhere.setdefault(identity.namespace, []).append(identity)
    for list_, some in refused.items():
        what = counted(len(some), "object")
        message = f"found {what} of kinds that {project.id} does not permit, such as {some[0]}"
        does = "leaves out" if list_.endswith("Whitelist") else "has"
        kinds = sorted({cut(f"{one.group or 'core'}/{one.kind}") for one in some})
        hint = f"{list_} {does} {', '.join(kinds[:5])}"
        yield problem("argocd-project", message, ("spec", "project"), hint)
    for namespace, some in elsewhere.items():
        what = counted(len(some), "object")
        message = f"found {what} in the namespace {cut(namespace)}, such as {some[0]}"
        hint = "add the namespace to destinations of the project"
        yield problem(
            "argocd-project", f"{message}, which {project.id} does not permit", ("spec", "project"), hint
        )


def _scopes(context: CheckContext, apps: list[App]) -> dict[tuple[str, str], bool]:
    found: dict[tuple[str, str], bool] = {}
    brought = (
        each.body for app in apps for each in app.brought if each.id.kind == "CustomResourceDefinition"
    )
    for crd in (*context.crds, *brought):
        scope = value_at(crd, "spec", "scope")
        key = (text_at(crd, "spec", "group"), text_at(crd, "spec", "names", "kind"))
        if isinstance(scope, str):
            found[key] = scope != "Cluster"
    return found


def _is_namespaced(context: CheckContext, manifest: Manifest, scopes: Scopes) -> bool | None:
    """Tell whether objects of a kind have namespaces; None if nobody knows."""
    group, kind = manifest.id.group, manifest.id.kind
    if (group, kind) in scopes:
        return scopes[group, kind]
    if is_own(group, context.minors) or kind in plurals(group):
        return is_namespaced(group, kind)
    return True if manifest.id.namespace else None


def _permits_source(spec: Json, address: str) -> bool:
    """Tell whether a project permits a repository; a pattern that denies it wins."""
    source = _plain(address)
    found = False
    for pattern in list_at(spec, "sourceRepos"):
        if not isinstance(pattern, str):
            return True  # schemas tell of it
        denies = pattern.startswith(DENY)
        fits = pattern == "*" or matches(_plain(pattern.removeprefix(DENY)), source, separated=True)
        if fits is None:
            return True
        if denies and fits:
            return False
        found = found or denies or fits
    return found


def _plain(address: str) -> str:
    return address.strip().lower().removesuffix("/").removesuffix(".git")


def _permits_destination(spec: Json, app: App, namespace: str) -> bool:
    """Tell whether a project permits a place; names of clusters that only Argo CD knows may permit it."""
    found = False
    for _, item in entries_at(spec, "destinations"):
        server, name, inside = (text_at(item, key) for key in ("server", "name", "namespace"))
        space = _fits(inside, namespace)
        if DENY in (server[:1], name[:1]) or (inside.startswith(DENY) and space is None):
            return True  # what is denied by two of three is nothing that people read alike
        if inside.startswith(DENY) and space is False:
            return False
        known = (app.server and _fits(server, app.server) is not False) or (
            app.cluster_name and _fits(name, app.cluster_name) is not False
        )
        cluster_fits = known or (server and not app.server) or (name and not app.cluster_name)
        found = found or bool(cluster_fits and space is not False)
    return found


def _fits(pattern: str, value: str) -> bool | None:
    if pattern.startswith(DENY):
        inner = matches(pattern[1:], value)
        return None if inner is None else not inner
    return pattern == "*" or matches(pattern, value)


def _refusing(spec: Json, identity: ObjectId, *, namespaced: bool) -> str:
    """Return the list of a project that keeps an object out; empty if none does."""
    word = "namespace" if namespaced else "cluster"
    allowed, denied = value_at(spec, f"{word}ResourceWhitelist"), value_at(spec, f"{word}ResourceBlacklist")
    if any(_means(each, identity, unsure=False) for each in list_at(denied)):
        return f"{word}ResourceBlacklist"
    if namespaced and not isinstance(allowed, list):
        return ""
    permitted = any(_means(each, identity, unsure=True) for each in list_at(allowed))
    return "" if permitted else f"{word}ResourceWhitelist"


def _means(entry: Json, identity: ObjectId, *, unsure: bool) -> bool:
    """Tell whether an entry is for an object, or what is to be thought if nobody knows."""
    if not isinstance(entry, dict):
        return unsure
    pairs = [(text_at(entry, "group"), identity.group), (text_at(entry, "kind"), identity.kind)]
    pairs += [(named, identity.name)] if (named := text_at(entry, "name")) else []
    fits = [matches(pattern, value, separated=True) for pattern, value in pairs]
    return unsure if None in fits and False not in fits else all(fits)
