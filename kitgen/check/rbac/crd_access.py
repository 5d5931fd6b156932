"""Find CRDs that no operator beside them can read, or whose status none may write."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

from kitgen.check.index import TargetIndex
from kitgen.crd.definition import is_crd
from kitgen.findings import Path, Problem, is_typo, make_problem
from kitgen.kube.crds import CrdView
from kitgen.kube.identity import RBAC
from kitgen.kube.manifest import Manifest
from kitgen.kube.rbac.access import ACCOUNT, BINDINGS, BUNDLED, GROUP, USER, Access, RbacRole, RbacSubject
from kitgen.kube.rbac.default_roles import is_default_role
from kitgen.kube.rbac.rules import ALL, READ, WRITES, Permit, SinglePermission
from kitgen.text.values import entries_at, group_pairs, value_at
from kitgen.text.wording import join_words, quote_text

VERBS = sorted(READ)
DEFAULT = "default"
"""The account that pods run as which name none."""
USUAL = {
    "": ("configmaps", "events"),
    "coordination.k8s.io": ("leases",),
    "events.k8s.io": ("events",),
    "authentication.k8s.io": ("tokenreviews",),
    "authorization.k8s.io": ("subjectaccessreviews",),
}
"""Group → resources that every operator has to do with, whatever it is for."""


def list_pod_accounts(index: TargetIndex, access: Access) -> list[RbacSubject]:
    """Return the accounts that pods here run as, if anything here gives them a permission."""
    found = dict.fromkeys(RbacSubject(ACCOUNT, pod.namespace, pod.service_account) for pod in index.pods)
    found |= dict.fromkeys(
        each.holder
        for some in access.held.values()
        for each in some
        if (each.binding.id.group, each.binding.id.kind) == BUNDLED
    )
    return [each for each in found if access.held.get(each)]


def has_unknown_access(index: TargetIndex, access: Access, accounts: Sequence[RbacSubject]) -> bool:
    """Return whether it is unknown what pods may do: their account, or what binds it, is not here."""
    here = {(each.id.namespace, each.id.name) for each in index.objects_of("", ACCOUNT)}
    spaces, names = {space for space, _ in here}, {name for _, name in here}
    for binding in index.objects_of(RBAC, *BINDINGS):
        for _, subject in entries_at(binding.body, "subjects"):
            space, name = str(subject.get("namespace") or binding.id.namespace), str(subject.get("name"))
            missing = (space, name) not in here and (space in spaces or name in names)
            if subject.get("kind") not in (ACCOUNT, USER, GROUP) or (
                subject["kind"] == ACCOUNT and missing and name != DEFAULT
            ):
                return True
    if any(
        (pod.namespace, pod.service_account) not in here | {(pod.namespace, DEFAULT)} for pod in index.pods
    ):
        return bool(here)
    held = [each.role for account in accounts for each in access.roles_of(account)]
    return any(role not in access.roles and not is_default_role(*role) for role in held)


def check_crd_access(
    manifests: Sequence[Manifest], accounts: Sequence[RbacSubject], access: Access
) -> Iterator[tuple[Manifest, Problem]]:
    """Yield the CRDs that no account here can read, and those that one may write without their status."""
    held = [(each, permits) for each in accounts if _is_operator(permits := _group_permits(access, each))]
    roles = {
        role.id: role
        for each in accounts
        for some in access.roles_of(each)
        for role in access.expand_role(some.role)
    }
    rules = [(role, permit) for role in roles.values() for permit in role.permits]
    near = group_pairs((group, each) for each in rules for group in dict.fromkeys(each[1].groups))
    for manifest in manifests if roles else ():
        crd = CrdView(manifest.body)
        if is_crd(manifest.body) and crd.group and crd.plural:
            if held:
                yield from _check_readable(manifest, crd, held, access)
            # Those for all groups are rare.
            yield from _check_status_access(crd, rules if ALL in near else near.get(crd.group, ()))


def _check_readable(
    manifest: Manifest,
    crd: CrdView,
    held: Sequence[tuple[RbacSubject, Mapping[str, Sequence[Permit]]]],
    access: Access,
) -> Iterator[tuple[Manifest, Problem]]:
    lacks = []
    for each, permits in held:
        lacks.append((_find_missing_verbs(permits, crd.group, crd.plural), each))
        if not lacks[-1][0]:
            return
    if any(_has_misspelt_rule(permits, crd.group, crd.plural) for _, permits in held):
        return
    missing, account = min(lacks, key=lambda each: len(each[0]))
    what = quote_text(f"{crd.plural}.{crd.group}")[1:-1]
    message = f"found no account of a pod that may {join_words(missing)} {what}, expected its operator's"
    if len(missing) < len(READ):
        message = (
            f"found that {quote_text(account.name)[1:-1]} may read {what} but for "
            f"{join_words(missing, last='and')}"
        )
        if place := _find_granting_rule(access, account, crd.group, crd.plural):
            yield place[0], make_problem("crd-unreadable", message, place[1], "add it to the verbs")
            return
    yield (
        manifest,
        make_problem(
            "crd-unreadable", message, ("spec", "names", "plural"), "add it to the role of the operator"
        ),
    )


def _find_granting_rule(
    access: Access, account: RbacSubject, group: str, plural: str
) -> tuple[Manifest, Path] | None:
    """Return the verbs of the rule that gives an account some access to a resource."""
    for held in access.roles_of(account):
        for role in access.expand_role(held.role):
            for permit in role.permits if role.manifest else ():
                if group in permit.groups and plural in permit.resources and role.manifest:
                    return role.manifest, (*permit.path, "verbs")
    return None


def _has_misspelt_rule(permits: Mapping[str, Sequence[Permit]], group: str, plural: str) -> bool:
    """Return whether a rule nearly names a resource, which is reported at the rule."""
    return any(
        (own == group and is_typo(each, plural)) or (each == plural and is_typo(own, group) and own != group)
        for own, some in permits.items()
        for permit in some
        for each in permit.resources
        if (own, each) != (group, plural)
    )


def _group_permits(access: Access, holder: RbacSubject) -> dict[str, list[Permit]]:
    """Return what somebody may do anywhere, by API group."""
    found: dict[str, list[Permit]] = {}
    for held in access.roles_of(holder):
        for permit in access.rules_of(held.role):
            for group in dict.fromkeys(permit.groups):
                found.setdefault(group, []).append(permit)
    return found


def _is_operator(permits: Mapping[str, Sequence[Permit]]) -> bool:
    """Return whether an account may do more than elect a leader, write events and review access."""
    return any(
        {*permit.resources}.difference(USUAL.get(group, ()))
        for group, some in permits.items()
        for permit in some
    )


def _find_missing_verbs(permits: Mapping[str, Sequence[Permit]], group: str, resource: str) -> list[str]:
    """Return the verbs that an operator needs to see objects, and has not."""
    near = (*permits.get(group, ()), *permits.get(ALL, ()))
    wanted = [SinglePermission(verb, group, resource) for verb in VERBS]
    return [one.verb for one in wanted if not any(each.allows(one) for each in near)]


def _check_status_access(
    crd: CrdView, rules: Sequence[tuple[RbacRole, Permit]]
) -> Iterator[tuple[Manifest, Problem]]:
    """Yield the rule that lets an operator write objects, if no account may write their status."""
    if not _has_status(crd) or any(_select_write_rules(rules, crd.group, f"{crd.plural}/status")):
        return
    for role, permit in islice(_select_write_rules(rules, crd.group, crd.plural), 1):
        what = quote_text(f"{crd.plural}.{crd.group}")[1:-1]
        message = f"found permission to write {what}, and none to write their status"
        hint = f"add {crd.plural}/status with the verbs update and patch"
        at = ("resources", permit.resources.index(crd.plural)) if crd.plural in permit.resources else ()
        if role.manifest:
            yield role.manifest, make_problem("status-forbidden", message, (*permit.path, *at), hint)


def _has_status(crd: CrdView) -> bool:
    """Return whether every version of a CRD has the subresource status, and a status with fields."""
    return bool(crd.versions) and all(
        isinstance(value_at(each, "subresources", "status"), dict)
        and value_at(each, "schema", "openAPIV3Schema", "properties", "status", "properties")
        for each in crd.versions
    )


def _select_write_rules(
    rules: Iterable[tuple[RbacRole, Permit]], group: str, resource: str
) -> Iterator[tuple[RbacRole, Permit]]:
    """Yield the rules that permit to write a resource."""
    wanted = [SinglePermission(verb, group, resource) for verb in WRITES]
    yield from (each for each in rules if any(map(each[1].allows, wanted)))
