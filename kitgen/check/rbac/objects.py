"""Check the permissions and webhooks of every target, and misspelt aggregation labels of ClusterRoles."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher
from functools import lru_cache

from kitgen.check.context import CheckContext, CheckHit
from kitgen.check.index import TargetIndex
from kitgen.check.rbac import bindings, crd_access, dangers, names, webhooks
from kitgen.check.rbac.known_apis import KnownApis, find_known_apis
from kitgen.check.references.target_objects import ALIKE
from kitgen.findings import Problem, is_typo, make_problem
from kitgen.kube.identity import RBAC
from kitgen.kube.manifest import Manifest
from kitgen.kube.rbac.access import CLUSTER_ROLE, Access
from kitgen.kube.selectors import read_selector
from kitgen.text.wording import quote_text
from kitgen.text.yaml import Json

INTO = "aggregate-to-"
KNOWN = tuple(
    f"{RBAC}/{INTO}{name}"
    for name in ("admin", "edit", "view", "cluster-reader", "basic-user", "storage-admin", "sudoer")
)
"""Labels of the roles that Kubernetes and OpenShift make of others."""


def check_aggregate_labels(access: Access) -> Iterator[tuple[Manifest, Problem]]:
    """Yield labels of ClusterRoles that are nearly those of roles that others are made of."""
    roles = access.roles.values()
    selectors = (each for role in roles for each in role.selectors or ())
    chosen = {term.key for each in selectors for term in read_selector(each) or ()}
    known = [*KNOWN, *sorted(key for key in chosen if INTO in key and key not in KNOWN)]
    for manifest in (role.manifest for role in roles if role.manifest and role.kind == CLUSTER_ROLE):
        for key, value in manifest.labels.items():
            problems = _check_label(str(key), value, known, chosen)
            yield from ((manifest, each.prefix_path("metadata", "labels", key)) for each in problems)


def _check_label(key: str, value: Json, known: list[str], chosen: set[str]) -> Iterator[Problem]:
    if key in known:
        if isinstance(value, str) and value != "true" and value.strip().casefold() == "true":
            yield make_problem("aggregate-label", f"found the value {quote_text(value)}, expected 'true'")
    elif key not in chosen and (meant := next((each for each in known if _is_misspelt_label(key, each)), "")):
        message = f"found the label {quote_text(key)}, which no ClusterRole is made of"
        yield make_problem("aggregate-label", message, hint=f"did you mean {meant!r}?")


@lru_cache(maxsize=4096)
def _is_misspelt_label(key: str, known: str) -> bool:
    """Return whether a label is surely meant to be another one: of the same domain, with nearly its name."""
    (domain, _, name), (own, _, meant) = key.rpartition("/"), known.rpartition("/")
    name = name.casefold().replace("_", "-")
    if domain != own and not is_typo(domain, own):
        is_near = not domain or (domain.endswith(".k8s.io") and _is_similar(domain, RBAC))
        return name == meant and own == RBAC and is_near
    return (
        name == meant
        or is_typo(name, meant)
        or (name.startswith(INTO) and _is_similar(name.removeprefix(INTO), meant.removeprefix(INTO)))
    )


def _is_similar(word: str, meant: str) -> bool:
    return SequenceMatcher(None, word, meant).ratio() >= ALIKE


def check(context: CheckContext) -> Iterator[CheckHit]:
    """Yield what a reviewer should see of roles, bindings and rules of webhooks, and what they lack."""
    apis = find_known_apis(context)
    for target, manifests in context.targets.items():
        yield from (CheckHit(target, *each) for each in webhooks.check_webhooks(manifests, apis))
        index = context.get_index(target)
        if index.access.roles or index.access.held:
            yield from (CheckHit(target, *each) for each in _check_roles(context, target, apis))
            yield from (CheckHit(target, *each) for each in _check_access(index))


def _check_roles(context: CheckContext, target: str, apis: KnownApis) -> Iterator[tuple[Manifest, Problem]]:
    access, views = context.get_index(target).access, context.views
    into = access.list_aggregations()
    for role in access.roles.values():
        if role.manifest is not None:
            view, wide = (
                context.get_view(target, role.manifest),
                dangers.is_cluster_wide(access, role.id, into),
            )
            check, name = dangers.check_dangerous_rules, f"dangers of {role.name} {wide=}"
            found = view.find_unless_passed(name, views.recall, check, role.permits, wide=wide)
            look, name = names.list_unknown_words, f"words of {role.name} {apis.digest}"
            words = view.find_unless_passed(name, views.recall, look, role.permits, apis)
            for wrong in (*found, *names.check_role(role, words)):
                yield role.manifest, wrong


def _check_access(index: TargetIndex) -> Iterator[tuple[Manifest, Problem]]:
    access = index.access
    yield from bindings.check_bindings(access)
    yield from check_aggregate_labels(access)
    accounts = crd_access.list_pod_accounts(index, access)
    if not crd_access.has_unknown_access(index, access, accounts):
        yield from crd_access.check_crd_access(index.manifests, accounts, access)
