"""Check the permissions and webhooks of every target, and misspelt aggregation labels of ClusterRoles."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher

from kitgen.check.context import CheckContext, CheckHit
from kitgen.check.index import TargetIndex
from kitgen.check.rbac import bindings, crd_access, dangers, names, webhooks
from kitgen.check.references.target_objects import ALIKE
from kitgen.findings import Problem, is_slip, problem
from kitgen.kube.identity import RBAC
from kitgen.kube.manifest import Manifest
from kitgen.kube.rbac.access import CLUSTER_ROLE, Access
from kitgen.kube.selectors import read_selector
from kitgen.text.wording import cut
from kitgen.text.yaml import Json

INTO = "aggregate-to-"
KNOWN = tuple(
    f"{RBAC}/{INTO}{name}"
    for name in ("admin", "edit", "view", "cluster-reader", "basic-user", "storage-admin", "sudoer")
)
"""Labels of the roles that Kubernetes and OpenShift make of others."""


def aggregate_problems(access: Access) -> Iterator[tuple[Manifest, Problem]]:
    """Yield labels of ClusterRoles that are nearly those of roles that others are made of."""
    roles = access.roles.values()
    selectors = (each for role in roles for each in role.selectors or ())
    chosen = {term.key for each in selectors for term in read_selector(each) or ()}
    known = [*KNOWN, *sorted(key for key in chosen if INTO in key and key not in KNOWN)]
    for manifest in (role.manifest for role in roles if role.manifest and role.kind == CLUSTER_ROLE):
        for key, value in manifest.labels.items():
            problems = _label_problems(str(key), value, known, chosen)
            yield from ((manifest, each.below("metadata", "labels", key)) for each in problems)


def _label_problems(key: str, value: Json, known: list[str], chosen: set[str]) -> Iterator[Problem]:
    if key in known:
        if isinstance(value, str) and value != "true" and value.strip().casefold() == "true":
            yield problem("aggregate-label", f"found the value {cut(value)}, expected 'true'")
    elif key not in chosen and (meant := next((each for each in known if _is_meant(key, each)), "")):
        message = f"found the label {cut(key)}, which no ClusterRole is made of"
        yield problem("aggregate-label", message, hint=f"did you mean {meant!r}?")


def _is_meant(key: str, known: str) -> bool:
    """Return whether a label is surely meant to be another one: of the same domain, with nearly its name."""
    (domain, _, name), (own, _, meant) = key.rpartition("/"), known.rpartition("/")
    name = name.casefold().replace("_", "-")
    if domain != own and not is_slip(domain, own):
        is_near = not domain or (domain.endswith(".k8s.io") and _is_alike(domain, RBAC))
        return name == meant and own == RBAC and is_near
    return (
        name == meant
        or is_slip(name, meant)
        or (name.startswith(INTO) and _is_alike(name.removeprefix(INTO), meant.removeprefix(INTO)))
    )


def _is_alike(word: str, meant: str) -> bool:
    return SequenceMatcher(None, word, meant).ratio() >= ALIKE


def check(context: CheckContext) -> Iterator[CheckHit]:
    """Yield what a reviewer should see of roles, bindings and rules of webhooks, and what they lack."""
    apis = names.KnownApis(context)
    for target, manifests in context.targets.items():
        yield from (CheckHit(target, *each) for each in webhooks.problems(manifests, apis))
        access = context.index(target).access
        if access.roles or access.held:
            yield from (CheckHit(target, *each) for each in _of_access(context.index(target), apis))


def _of_access(index: TargetIndex, apis: names.KnownApis) -> Iterator[tuple[Manifest, Problem]]:
    access = index.access
    into = access.aggregated()
    for role in access.roles.values():
        if role.manifest is not None:
            wide = dangers.is_wide(access, role.id, into)
            for wrong in (*dangers.problems(role.permits, wide=wide), *names.problems(role, apis)):
                yield role.manifest, wrong
    yield from bindings.problems(access)
    yield from aggregate_problems(access)
    accounts = crd_access.accounts(index, access)
    if not crd_access.is_loose(index, access, accounts):
        yield from crd_access.problems(index.manifests, accounts, access)
