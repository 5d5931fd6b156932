"""Every subject that objects grant a permission, and what it may do where."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

from msgspec import Struct

from kitgen.findings.errors import KitgenError
from kitgen.kube.manifest import Manifest
from kitgen.kube.rbac.access import (
    ACCOUNT,
    CLUSTER_ROLE,
    ROLES,
    Access,
    BoundRole,
    RbacRole,
    RbacSubject,
    RoleName,
)
from kitgen.kube.rbac.default_roles import ADMIN, AGGREGATING
from kitgen.kube.rbac.rules import Permit
from kitgen.kube.rbac.summary import AccessLine, GrantedRules, summarize_rules

MOST_WORDS = 500_000
"""How many verbs, resources, names and roles are told of everybody together."""


WHOLE_ROLES = {
    "kubernetes": "all that Kubernetes' own role grants",
    "unknown": "what the role grants, which is not here",
}
"""How a role is told of whose permissions are not listed."""


class WholeRole(Struct, frozen=True):
    """A role that a subject has and that is not listed in lines."""

    role: str
    where: str | None
    through: str
    grants: Literal["kubernetes", "unknown"]
    """All that a role of Kubernetes' own does, or what nobody knows, since the role is not here."""


class SubjectAccess(Struct, frozen=True, kw_only=True):
    """A subject, and what it may do."""

    holder: RbacSubject
    """A ClusterRole stands for whoever has it."""
    runs: tuple[str, ...] = ()
    """Objects whose pods run as this account."""
    wholes: tuple[WholeRole, ...] = ()
    lines: tuple[AccessLine, ...] = ()

    @property
    def is_aggregate(self) -> bool:
        """Return whether it stands for whoever has a role of Kubernetes' own."""
        return self.holder.kind == CLUSTER_ROLE


def list_subject_access(
    access: Access, objects: Iterable[Manifest], runs: Mapping[RbacSubject, Iterable[str]]
) -> list[SubjectAccess]:
    """Return everybody whom objects give a permission, and the accounts of their pods, which come first."""
    accounts = (
        RbacSubject(ACCOUNT, each.id.namespace, each.id.name)
        for each in objects
        if (each.id.group, each.id.kind) == ("", ACCOUNT)
    )
    found, words = list[SubjectAccess](), 0
    for each in sorted({*access.held, *runs, *accounts}, key=lambda one: (one.kind != ACCOUNT, one)):
        found.append(_build_subject_access(access, each, tuple(runs.get(each, ()))))
        words += sum(map(_count_words, found[-1].lines))
        if words > MOST_WORDS:
            message = f"found permissions of more than {MOST_WORDS:,} words to tell"
            raise KitgenError(message, hint="look at fewer objects at a time")
    return [*found, *(some for name in AGGREGATING if (some := _build_aggregate_access(access, name)))]


def _count_words(line: AccessLine) -> int:
    return sum(map(len, (line.verbs, line.resources, line.names, line.urls, line.roles)))


def format_scope(namespace: str | None, *, aggregate: bool) -> str:
    """Return where a permission applies."""
    if aggregate:
        return "where bound"
    return "cluster" if namespace is None else namespace or "its namespace"


def _build_subject_access(access: Access, holder: RbacSubject, runs: tuple[str, ...]) -> SubjectAccess:
    given, wholes = [], []
    for held in access.roles_of(holder):
        role = access.get_role(held.role)
        through = held.holder.name if held.holder != holder else ""
        permits: Iterable[Permit] = access.rules_of(held.role)
        if role.is_default or role.manifest is None:
            grants: Literal["kubernetes", "unknown"] = "kubernetes" if role.is_default else "unknown"
            wholes.append(WholeRole(_format_role(role), held.where, through, grants))
            permits = _list_added_rules(access, held)
        given.append(GrantedRules(held.where, _format_role(role), through, permits))
    return SubjectAccess(
        holder=holder, runs=runs, wholes=tuple(dict.fromkeys(wholes)), lines=tuple(summarize_rules(given))
    )


def _list_added_rules(access: Access, held: BoundRole) -> list[Permit]:
    """Return what the objects here add to a role of Kubernetes' own; to cluster-admin that is nothing."""
    if held.role[2] == ADMIN:
        return []
    return [permit for each in _expand_local_role(access, held.role) for permit in each.permits]


def _expand_local_role(access: Access, name: RoleName) -> list[RbacRole]:
    """Return the roles with rules among the objects here that a role comes to."""
    return [each for each in access.expand_role(name) if each.manifest and each.selectors is None]


def _build_aggregate_access(access: Access, name: str) -> SubjectAccess | None:
    """Return what everybody gets who has a role of Kubernetes' own into which roles here are aggregated."""
    parts = _expand_local_role(access, (CLUSTER_ROLE, "", name))
    lines = summarize_rules(GrantedRules(None, _format_role(each), "", each.permits) for each in parts)
    return SubjectAccess(holder=RbacSubject(CLUSTER_ROLE, "", name), lines=tuple(lines)) if lines else None


def _format_role(role: RbacRole) -> str:
    return role.name if role.kind in ROLES else role.name.partition("/")[0]
