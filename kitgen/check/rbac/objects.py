"""Check the permissions and webhooks of every target, and misspelt aggregation labels of ClusterRoles."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher

from kitgen.check.context import CheckContext, Hit
from kitgen.check.index import TargetIndex
from kitgen.check.rbac import bindings, crd_access, dangers, names, webhooks
from kitgen.findings import Problem, is_slip, problem
from kitgen.kube.identity import RBAC
from kitgen.kube.manifest import Manifest
from kitgen.kube.rbac.access import CLUSTER_ROLE, Access
from kitgen.text.values import entries_at, map_at
from kitgen.text.wording import cut
from kitgen.text.yaml import Json

INTO = "aggregate-to-"
KNOWN = tuple(
    f"{RBAC}/{INTO}{name}"
    for name in ("admin", "edit", "view", "cluster-reader", "basic-user", "storage-admin", "sudoer")
)
"""Labels of the roles that Kubernetes and OpenShift make of others."""
ALIKE = 0.8


def problems(access: Access) -> Iterator[tuple[Manifest, Problem]]:
    """Yield labels of ClusterRoles that are nearly those of roles that others are made of."""
    chosen = {key for role in access.roles.values() for each in role.selectors or () for key in _keys(each)}
    known = [*KNOWN, *sorted(key for key in chosen if INTO in key and key not in KNOWN)]
    for role in access.roles.values():
        if role.manifest is None or role.kind != CLUSTER_ROLE:
            continue
        for key, value in role.labels.items():
            if wrong := _wrong(str(key), value, known, chosen):
                yield role.manifest, wrong.below("metadata", "labels", key)


def _keys(selector: Json) -> Iterator[str]:
    yield from map(str, map_at(selector, "matchLabels"))
    yield from (str(each.get("key")) for _, each in entries_at(selector, "matchExpressions"))


def _wrong(key: str, value: Json, known: list[str], chosen: set[str]) -> Problem | None:
    if key in known:
        misspelt = isinstance(value, str) and value != "true" and value.strip().casefold() == "true"
        message = f"found the value {cut(str(value))}, expected 'true'"
        return problem("aggregate-label", message) if misspelt else None
    meant = "" if key in chosen else next((each for each in known if _is_meant(key, each)), "")
    if not meant:
        return None
    return problem(
        "aggregate-label",
        f"found the label {cut(key)}, which no ClusterRole is made of",
        hint=f"did you mean {meant!r}?",
    )


def _is_meant(key: str, known: str) -> bool:
    """Return whether a label is surely meant to be another one: of the same domain, with nearly its name."""
    (domain, _, name), (own, _, meant) = key.rpartition("/"), known.rpartition("/")
    name = name.casefold().replace("_", "-")
    if not (domain == own or is_slip(domain, own)):
        return name == meant and own == RBAC and (not domain or _is_nearly(domain))
    if name == meant or is_slip(name, meant):
        return True
    role, whole = name.removeprefix(INTO), meant.removeprefix(INTO)
    return role != name and SequenceMatcher(None, role, whole).ratio() >= ALIKE


def _is_nearly(domain: str) -> bool:
    """Return whether a domain is one of Kubernetes, nearly that of roles."""
    return domain.endswith(".k8s.io") and SequenceMatcher(None, domain, RBAC).ratio() >= ALIKE


def check(context: CheckContext) -> Iterator[Hit]:
    """Yield what a reviewer should see of roles, bindings and rules of webhooks, and what they lack."""
    apis = names.KnownApis(context)
    for target, manifests in context.targets.items():
        yield from (Hit(target, *each) for each in webhooks.problems(manifests, apis))
        access = context.index(target).access
        if access.roles or access.held:
            yield from (Hit(target, *each) for each in _of_access(context.index(target), apis))


def _of_access(index: TargetIndex, apis: names.KnownApis) -> Iterator[tuple[Manifest, Problem]]:
    access = index.access
    into = access.aggregated()
    for role in access.roles.values():
        if role.manifest is not None:
            wide = dangers.is_wide(access, role.id, into)
            for wrong in (*dangers.problems(role.permits, wide=wide), *names.problems(role, apis)):
                yield role.manifest, wrong
    yield from bindings.problems(access)
    yield from problems(access)
    accounts = crd_access.accounts(index, access)
    if not crd_access.is_loose(index, access, accounts):
        yield from crd_access.problems(index.manifests, accounts, access)
    yield from bindings.author_problems(accounts, access, into)
