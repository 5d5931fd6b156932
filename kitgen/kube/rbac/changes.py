"""Compare permissions before and after: what each subject gains or loses over all bindings and roles.

Only the effect counts: a verb that moves from one role to another is no loss for a subject with both.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import TypeAlias

from msgspec import Struct, field

from kitgen.kube.rbac.access import (
    ACCOUNTS,
    CLUSTER_ROLE,
    GROUP,
    Access,
    BoundRole,
    RbacRole,
    RbacSubject,
    RoleName,
)
from kitgen.kube.rbac.default_roles import AGGREGATING, find_default_rules
from kitgen.kube.rbac.role_table import RoleTable
from kitgen.kube.rbac.rules import Permit, SinglePermission
from kitgen.text.values import group_pairs

STEPS = 500_000
"""How many permissions are looked up in one comparison; about two microseconds each."""


class RenamedSubjects(Struct, frozen=True, kw_only=True):
    """What is called otherwise than before: what it was → what it is."""

    groups: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """API groups, whose kinds may have gone to several."""
    namespaces: Mapping[str, str] = field(default_factory=dict)
    holders: Mapping[RbacSubject, RbacSubject] = field(default_factory=dict)
    roles: Mapping[RoleName, RoleName] = field(default_factory=dict)

    def rename_subject(self, was: RbacSubject) -> RbacSubject:
        """Return what somebody of before is called now."""
        if was in self.holders:
            return self.holders[was]
        if was.kind == GROUP and was.name.startswith(f"{ACCOUNTS}:"):
            space = was.name.removeprefix(f"{ACCOUNTS}:")
            return RbacSubject(GROUP, "", f"{ACCOUNTS}:{self.namespaces.get(space, space)}")
        return RbacSubject(was.kind, self.namespaces.get(was.namespace, was.namespace), was.name)

    def rename_role(self, was: RoleName) -> RoleName:
        """Return what a role of before is called now."""
        kind, space, name = was
        return self.roles.get(was) or (kind, self.namespaces.get(space, space), name)

    def rename_namespace(self, was: str | None) -> str | None:
        """Return what a namespace of before is called now; None stands for all of the cluster."""
        return was if was is None else self.namespaces.get(was, was)


class RoleGrant(Struct, frozen=True):
    """A single permission, and how somebody has or had it."""

    one: SinglePermission
    role: RbacRole
    """The role that has the rule, which may be a part of the one that somebody is bound to."""
    permit: Permit
    held: BoundRole | None = None
    """The binding; None where a role stands for whoever has it."""


class AccessChange(Struct, frozen=True, kw_only=True):
    """What somebody gained and lost in the whole cluster, or in one namespace."""

    holder: RbacSubject
    """As he is called now. A Role or ClusterRole stands for whoever is bound to it, by others than these."""
    where: str | None
    """The namespace; None for all of the cluster, and for a role."""
    lost: tuple[RoleGrant, ...] = ()
    gained: tuple[RoleGrant, ...] = ()


class AccessChanges(Struct, frozen=True):
    """All that changed, in order."""

    changes: tuple[AccessChange, ...]
    complete: bool = True
    """Whether everything was compared; what takes too long is not."""


_Place: TypeAlias = tuple[RbacSubject, str | None]
_Found: TypeAlias = dict[_Place, dict[SinglePermission, RoleGrant]]
_Bound: TypeAlias = dict[tuple[RoleName, str | None], BoundRole]
"""A role and the namespace that it counts in, in the names of now → the first binding that says so."""


class _Spent(Exception):  # noqa: N818 # nothing is wrong
    """No steps are left."""


class _Side:
    """One state, in the names of now."""

    def __init__(self, access: Access, moves: RenamedSubjects, groups: Mapping[str, frozenset[str]]) -> None:
        self.access = access
        self.moves = moves
        self.groups = groups
        """Group → what it is called in the other state."""
        self.names = {moves.rename_role(each): each for each in access.roles}
        self.held: dict[RbacSubject, _Bound] = {}
        for was, some in access.held.items():
            bound = self.held.setdefault(moves.rename_subject(was), {})
            for each in some:
                bound.setdefault((moves.rename_role(each.role), moves.rename_namespace(each.where)), each)
        self._tables: dict[RoleName, RoleTable] = {}

    def roles_of(self, holder: RbacSubject) -> list[tuple[RoleName, str | None]]:
        people = (holder, *holder.groups)
        return list(dict.fromkeys(each for some in people for each in self.held.get(some, ())))

    def expand_role(self, role: RoleName) -> list[RbacRole]:
        return [
            each for each in self.access.expand_role(self.names.get(role, role)) if each.selectors is None
        ]

    def rules_of(self, role: RoleName) -> list[tuple[Permit, ...]]:
        return [each.permits for each in self.expand_role(role)]

    def table_of(self, role: RoleName) -> RoleTable:
        if role not in self._tables:
            self._tables[role] = RoleTable(self.expand_role(role))
        return self._tables[role]

    def list_bound_roles(self) -> Iterator[RoleName]:
        """Yield the roles that somebody here has, and those that they are made of."""
        for role in {role for some in self.held.values() for role, _ in some}:
            yield role
            if role in self.names:
                yield from (
                    self.moves.rename_role(each.id) for each in self.access.expand_role(self.names[role])
                )

    def is_known_role(self, role: RoleName) -> bool:
        """Return whether it is known what a role grants."""
        return (role in self.names or find_default_rules(*role) is not None) and self.table_of(role).whole


def compare_access(before: Access, after: Access, moves: RenamedSubjects | None = None) -> AccessChanges:
    """Compare what each subject could do with what it can: subjects of bindings, and roles by themselves.

    Roles by themselves are those that are not bound here, and Kubernetes' own to which roles here add.
    """
    moves = moves or RenamedSubjects()
    back = group_pairs((now, was) for was, some in moves.groups.items() for now in some)
    old = _Side(before, moves, moves.groups)
    new = _Side(after, RenamedSubjects(), {now: frozenset(some) for now, some in back.items()})
    work = _Work(STEPS)
    lost: _Found = {}
    gained: _Found = {}
    try:
        for found, sides in ((lost, (old, new)), (gained, (new, old))):
            for place, grant in chain(work.compare_bindings(*sides), work.compare_unbound_roles(*sides)):
                found.setdefault(place, {}).setdefault(grant.one, grant)
        complete = True
    except _Spent:
        complete = False
    places = sorted({*lost, *gained}, key=lambda each: (each[0], each[1] is not None, each[1] or ""))
    return AccessChanges(
        tuple(
            AccessChange(
                holder=who,
                where=where,
                lost=_select_grants(lost, who, where),
                gained=_select_grants(gained, who, where),
            )
            for who, where in places
            if _select_grants(lost, who, where) or _select_grants(gained, who, where)
        ),
        complete,
    )


def _select_grants(found: _Found, who: RbacSubject, where: str | None) -> tuple[RoleGrant, ...]:
    """Return what was found at a place, without what is reported for the whole cluster."""
    wide = found.get((who, None), {}) if where is not None else {}
    return tuple(grant for one, grant in found.get((who, where), {}).items() if one not in wide)


class _Work:
    """A comparison that ends."""

    def __init__(self, left: int) -> None:
        self.left = left
        self._deltas: dict[tuple[int, RoleName], list[RoleGrant]] = {}

    def compare_bindings(self, mine: _Side, other: _Side) -> Iterator[tuple[_Place, RoleGrant]]:
        """Yield what bindings give somebody here, and nothing gives him there."""
        for who, had in mine.held.items():
            theirs = other.roles_of(who)
            unknown = {
                where
                for role, where in theirs
                # It came there, and may grant anything.
                if not other.is_known_role(role) and (role, where) not in had and role not in mine.names
            }
            there = group_pairs((where, role) for role, where in theirs)
            for (role, where), bound in had.items():
                if not unknown.isdisjoint((None, where)):
                    continue
                covering = [each for at in dict.fromkeys((None, where)) for each in there.get(at, ())]
                for grant in self._compare_role(role, mine, other if role in covering else None):
                    if not (grant.one.url and where is not None) and not self._is_granted(
                        grant.one, covering, other, mine.groups
                    ):
                        yield (who, where), RoleGrant(grant.one, grant.role, grant.permit, bound)

    def _is_granted(
        self,
        one: SinglePermission,
        covering: Iterable[RoleName],
        other: _Side,
        groups: Mapping[str, frozenset[str]],
    ) -> bool:
        for each in covering:
            self._count_step()
            if other.table_of(each).grants(one, groups.get(one.group, ())):
                return True
        return False

    def _compare_role(self, role: RoleName, mine: _Side, other: _Side | None) -> list[RoleGrant]:
        """Return what a role grants, or what it grants here and not there."""
        if (key := (id(mine) if other else -id(mine), role)) not in self._deltas:
            self._deltas[key] = []
            if other and mine.rules_of(role) == other.rules_of(role):
                return self._deltas[key]  # as Kubernetes' own, which are large, mostly are
            table = other.table_of(role) if other else None
            for one, giver in mine.table_of(role):
                self._count_step()
                if table is None or not table.grants(one, mine.groups.get(one.group, ())):
                    self._deltas[key].append(RoleGrant(one, *giver))
            if table and not table.whole:
                self._deltas[key].clear()
        return self._deltas[key]

    def _count_step(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise _Spent

    def compare_unbound_roles(self, mine: _Side, other: _Side) -> Iterator[tuple[_Place, RoleGrant]]:
        """Yield what roles grant here and not there, if no binding here says who has them."""
        bound = {*mine.list_bound_roles(), *other.list_bound_roles()}
        own = ((CLUSTER_ROLE, "", name) for name in AGGREGATING)
        for role in dict.fromkeys((*(each for each in mine.names if each in other.names), *own)):
            if role not in bound:
                place = (RbacSubject(*role), None)
                for grant in self._compare_role(role, mine, other):
                    if not self._is_change_of_part(role, grant, mine, other):
                        yield place, grant

    def _is_change_of_part(self, role: RoleName, grant: RoleGrant, mine: _Side, other: _Side) -> bool:
        """Return whether a role is made of another one that is there in both states, and it is its change."""
        if (part := mine.moves.rename_role(grant.role.id)) == role or part not in other.names:
            return False
        return not other.table_of(part).grants(grant.one, mine.groups.get(grant.one.group, ()))
