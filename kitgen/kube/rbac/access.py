"""Resolve which subject holds which role, and what it permits: bindings, groups and aggregation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeAlias

from msgspec import Struct

from kitgen.findings import Path
from kitgen.kube.identity import RBAC
from kitgen.kube.manifest import Manifest
from kitgen.kube.rbac.default_roles import AGGREGATING, INTO, find_default_rules, is_default_role
from kitgen.kube.rbac.rules import Permit, read_rules
from kitgen.kube.selectors import matches_labels, read_selector
from kitgen.text.values import entries_at, group_pairs
from kitgen.text.wording import text_of
from kitgen.text.yaml import Json, JsonObject

ACCOUNT, USER, GROUP = "ServiceAccount", "User", "Group"
CLUSTER_ROLE = "ClusterRole"
ROLES, BINDINGS = ("Role", CLUSTER_ROLE), ("RoleBinding", "ClusterRoleBinding")
BUNDLED = ("operators.coreos.com", "ClusterServiceVersion")
INSTALLED = ("spec", "install", "spec")
AUTHENTICATED, UNAUTHENTICATED = "system:authenticated", "system:unauthenticated"
ANONYMOUS, ACCOUNTS = "system:anonymous", "system:serviceaccounts"
AS_USER = "system:serviceaccount:"
WHOLES = 50
"""How many roles that are made of others are worth a look; clusters have a handful."""
PARTS = tuple((CLUSTER_ROLE, "", name) for name in INTO)

RulesReader: TypeAlias = Callable[[Manifest], tuple[Permit, ...]]
RoleName: TypeAlias = tuple[str, str, str]
"""Kind, namespace and name; a ClusterRole has no namespace."""


class RbacSubject(Struct, frozen=True, order=True):
    """Somebody whom bindings can name."""

    kind: str
    namespace: str
    """Of a service account; empty for others, and where nobody says it."""
    name: str

    def __str__(self) -> str:
        return f"{self.kind} {self.namespace}/{self.name}" if self.namespace else f"{self.kind} {self.name}"

    @property
    def groups(self) -> tuple[RbacSubject, ...]:
        """Return the groups that everybody of this kind is in."""
        if self.kind == GROUP:
            return ()
        if self.kind == USER and self.name == ANONYMOUS:
            return (RbacSubject(GROUP, "", UNAUTHENTICATED),)
        accounts = (ACCOUNTS, f"{ACCOUNTS}:{self.namespace}") if self.kind == ACCOUNT else ()
        return tuple(RbacSubject(GROUP, "", name) for name in (*accounts, AUTHENTICATED))


class RbacRole(Struct, frozen=True, kw_only=True):
    """A role, or what a ClusterServiceVersion gives an account."""

    kind: str
    namespace: str
    name: str
    permits: tuple[Permit, ...]
    """Its own rules; what it grants is for `Access.permits`."""
    manifest: Manifest | None = None
    """The object that it stands in; None for one that is not here."""
    labels: Mapping[str, Json] = {}
    selectors: tuple[JsonObject, ...] | None = None
    """Of the roles that it is made of, if it is."""

    @property
    def id(self) -> RoleName:
        """Return what bindings call it."""
        return self.kind, self.namespace, self.name

    @property
    def is_default(self) -> bool:
        """Return whether it is Kubernetes' own, and not here."""
        return self.manifest is None and is_default_role(*self.id)


class BoundRole(Struct, frozen=True, kw_only=True):
    """Somebody has a role."""

    holder: RbacSubject
    role: RoleName
    where: str | None
    """The namespace that it counts in; None for all of the cluster."""
    binding: Manifest
    at: Path
    """Where the binding names the holder."""


class Access:
    """All roles and bindings among some objects."""

    def __init__(self, manifests: Iterable[Manifest], read: RulesReader | None = None) -> None:
        """Read them; of two roles with one name the first counts. `read` may know the rules of a role."""
        self.roles: dict[RoleName, RbacRole] = {}
        self.held: dict[RbacSubject, list[BoundRole]] = {}
        self.holders: dict[RoleName, list[BoundRole]] = {}
        for each in manifests:
            found = each.id
            if found.group == RBAC and found.kind in ROLES:
                role = _read_role(each, read(each) if read else read_rules(each.body.get("rules")))
                self.roles.setdefault(role.id, role)
            elif found.group == RBAC and found.kind in BINDINGS:
                self._add_bindings(read_binding(each))
            elif (found.group, found.kind) == BUNDLED:
                for role, held in _read_operator_roles(each):
                    self.roles.setdefault(role.id, role)
                    self._add_bindings((held,))
        wholes = [each.id for each in self.roles.values() if each.selectors is not None]
        self._wholes = frozenset(wholes[:WHOLES])
        self._chosen: dict[RoleName, list[RbacRole]] = {}
        self._made: dict[RoleName, tuple[Permit, ...]] = {}
        self._permits: dict[str, list[Permit]] = {}

    def _add_bindings(self, held: Iterable[BoundRole]) -> None:
        for each in held:
            self.held.setdefault(each.holder, []).append(each)
            self.holders.setdefault(each.role, []).append(each)

    def get_role(self, name: RoleName) -> RbacRole:
        """Return a role; one that is not here is known by its name alone, or as Kubernetes has it."""
        if name in self.roles:
            return self.roles[name]
        kind, namespace, short = name
        labels = {INTO[short]: "true"} if kind == CLUSTER_ROLE and short in INTO else {}
        return RbacRole(
            kind=kind, namespace=namespace, name=short, permits=find_default_rules(*name) or (), labels=labels
        )

    def expand_role(self, name: RoleName) -> list[RbacRole]:
        """Return the roles that a role comes to: itself, or those that are aggregated into it."""
        found: dict[RoleName, RbacRole] = {}
        todo = [name]
        for each in todo:  # which grows meanwhile
            role = self.get_role(each)
            if role.id not in found:
                found[role.id] = role
                todo += [part.id for part in self._find_aggregated(role)]
        return list(found.values())

    def _find_aggregated(self, role: RbacRole) -> list[RbacRole]:
        """Return the roles that are directly aggregated into a role."""
        if role.id not in self._chosen:
            self._chosen[role.id] = self._select_aggregated(role)
        return self._chosen[role.id]

    def _select_aggregated(self, role: RbacRole) -> list[RbacRole]:
        selectors = role.selectors if role.id in self._wholes else None
        if role.manifest is None and role.kind == CLUSTER_ROLE and role.name in AGGREGATING:
            selectors = ({"matchLabels": {AGGREGATING[role.name]: "true"}},)
        if not selectors:
            return []
        chosen = [found for each in selectors if (found := read_selector(each)) is not None]
        own = [self.get_role(part) for part in PARTS if part not in self.roles]
        known = (*(each for each in self.roles.values() if each.kind == CLUSTER_ROLE and each.labels), *own)
        return [each for each in known if any(matches_labels(selector, each.labels) for selector in chosen)]

    def rules_of(self, name: RoleName) -> tuple[Permit, ...]:
        """Return what a role grants; an aggregated one grants what its parts do, and nothing else."""
        if name not in self._made:
            parts = [each for each in self.expand_role(name) if each.selectors is None]
            self._made[name] = tuple(permit for each in parts for permit in each.permits)
        return self._made[name]

    def permits_for(self, group: str) -> list[Permit]:
        """Return the rules of all roles here that are about an API group."""
        if group not in self._permits:
            every = (permit for role in self.roles.values() for permit in role.permits)
            self._permits[group] = [each for each in every if each.has_group(group)]
        return self._permits[group]

    def roles_of(self, holder: RbacSubject) -> list[BoundRole]:
        """Return what somebody has, by name or as one of a group."""
        return [each for some in (holder, *holder.groups) for each in self.held.get(some, ())]

    def copy_bindings(self, somebody: RbacSubject, account: RbacSubject) -> None:
        """Grant a subject all that an account has, such as those whose pods run as it."""
        self.held[somebody] = self.roles_of(account)

    def list_aggregations(self) -> dict[RoleName, list[RoleName]]:
        """Return for each role here the roles that it is directly part of."""
        into = [self.roles[each] for each in self.roles if each in self._wholes]
        into += [self.get_role((CLUSTER_ROLE, "", name)) for name in AGGREGATING]
        return group_pairs((part.id, whole.id) for whole in into for part in self._find_aggregated(whole))


def _read_role(manifest: Manifest, permits: tuple[Permit, ...]) -> RbacRole:
    body, at = manifest.body, manifest.id
    whole = body.get("aggregationRule") if at.kind == CLUSTER_ROLE else None
    selectors = tuple(each for _, each in entries_at(whole, "clusterRoleSelectors"))
    return RbacRole(
        kind=at.kind,
        namespace="" if at.kind == CLUSTER_ROLE else at.namespace,
        name=at.name,
        permits=permits,
        manifest=manifest,
        labels=manifest.labels,
        selectors=selectors if isinstance(whole, dict) else None,
    )


def read_binding(manifest: Manifest) -> Iterator[BoundRole]:
    """Yield what a binding gives to whom."""
    at, ref = manifest.id, manifest.body.get("roleRef")
    if not isinstance(ref, dict):
        return
    kind, name = text_of(ref.get("kind")), text_of(ref.get("name"))
    role = (kind, "" if kind == CLUSTER_ROLE else at.namespace, name)
    for index, subject in entries_at(manifest.body, "subjects"):
        yield BoundRole(
            holder=_read_subject(subject, at.namespace),
            role=role,
            where=at.namespace if at.kind == "RoleBinding" else None,
            binding=manifest,
            at=("subjects", index),
        )


def _read_subject(subject: JsonObject, near: str) -> RbacSubject:
    kind, name = text_of(subject.get("kind")), text_of(subject.get("name"))
    if kind == USER and name.startswith(AS_USER) and name.count(":") == AS_USER.count(":") + 1:
        namespace, _, name = name.removeprefix(AS_USER).partition(":")
        return RbacSubject(ACCOUNT, namespace, name)
    return RbacSubject(kind, text_of(subject.get("namespace") or near) if kind == ACCOUNT else "", name)


def _read_operator_roles(manifest: Manifest) -> Iterator[tuple[RbacRole, BoundRole]]:
    """Yield what OLM gives to the accounts of an operator: everywhere, or where the operator works."""
    at = manifest.id
    for key in ("clusterPermissions", "permissions"):
        for index, each in entries_at(manifest.body, *INSTALLED, key):
            path: Path = (*INSTALLED, key, index)
            role = RbacRole(
                kind=BUNDLED[1],
                namespace=at.namespace,
                name=f"{at.name}/{key}/{index}",
                permits=read_rules(each.get("rules"), (*path, "rules")),
                manifest=manifest,
            )
            yield (
                role,
                BoundRole(
                    holder=RbacSubject(ACCOUNT, at.namespace, text_of(each.get("serviceAccountName"))),
                    role=role.id,
                    where=None if key == "clusterPermissions" else at.namespace,
                    binding=manifest,
                    at=path,
                ),
            )
