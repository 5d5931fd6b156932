"""Which line gives a permission, or no longer does: a rule, a binding, or what a role is gathered by."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from kitgen.compare.object_match import Pair
from kitgen.findings import Path
from kitgen.kit.model.component import find_existing_prefix
from kitgen.kube.manifest import Manifest
from kitgen.kube.rbac.access import (
    BUNDLED,
    CLUSTER_ROLE,
    INSTALLED,
    Access,
    BoundRole,
    RbacRole,
    RbacSubject,
    RoleName,
)
from kitgen.kube.rbac.changes import RenamedSubjects, RoleGrant
from kitgen.kube.rbac.role_table import RoleTable
from kitgen.text.values import entries_at, group_pairs, value_at
from kitgen.text.wording import text_of

Place: TypeAlias = tuple[Manifest, Path]
LABELS: Path = ("metadata", "labels")
GATHERED: Path = ("aggregationRule",)


class Causes:
    """What became of roles and bindings."""

    def __init__(self, pairs: Iterable[Pair], before: Access, after: Access, moves: RenamedSubjects) -> None:
        """Take the objects that are there still, and who has what by them."""
        pairs = list(pairs)
        self._heirs = {id(old.body): new for old, new in pairs}
        self._formers = {id(new.body): old for old, new in pairs}
        self._before, self._after, self._moves = before, after, moves
        self._was = {moves.rename_role(each): each for each in before.roles}
        self._had = group_pairs(
            (moves.rename_subject(holder), each) for holder, some in before.held.items() for each in some
        )
        self._tables: dict[int, RoleTable] = {}
        self._accounts: dict[tuple[int, Path], dict[str, int]] = {}

    def of_loss(self, grant: RoleGrant, whose: RbacSubject) -> Place | None:
        """Return where a permission got lost; in what was there before, if that is gone."""
        if grant.held and (place := self._locate_lost_binding(grant.held)):
            return place
        if (role := grant.role.manifest) is None:
            return _locate_binding(grant)
        if (now := self._heirs.get(id(role.body))) is None:
            return role, ()
        if grant.held and _is_bundle(now):
            return now, self._locate_account(now, grant.held)
        same = self._after.roles.get(self._moves.rename_role(grant.role.id))
        if same and self._get_role_table(same).grants(grant.one, self._moves.groups.get(grant.one.group, ())):
            whole = self._moves.rename_role(grant.held.role) if grant.held else _to_role_name(whose)
            return _locate_aggregation(role, now, self._after.roles.get(whole))
        rule = self._get_role_table(same).find_rule(grant.one) if same else None
        return now, (*rule.path, "verbs") if rule else find_existing_prefix(now.body, ("rules",))

    def of_gain(self, grant: RoleGrant, whose: RbacSubject) -> Place | None:
        """Return what gives a permission that nothing gave before."""
        role = grant.role.manifest
        former = self._before.roles.get(self._was.get(grant.role.id, grant.role.id))
        groups = [was for was, now in self._moves.groups.items() if grant.one.group in now]
        had = former is not None and self._get_role_table(former).grants(grant.one, groups)
        if role is not None and (_is_bundle(role) or not had):
            return role, _locate_new_permission(grant, former)
        if grant.held and (place := self._locate_gained_binding(grant.held)):
            return place
        if role is None or former is None or former.manifest is None:
            return (role, grant.permit.path) if role else _locate_binding(grant)
        whole = self._after.roles.get(grant.held.role if grant.held else _to_role_name(whose))
        return _locate_aggregation(former.manifest, role, whole)

    def _locate_account(self, bundle: Manifest, held: BoundRole) -> Path:
        """Return where a bundle gives an account anything, as it did before."""
        at = held.at[: len(INSTALLED) + 1]
        if (key := (id(bundle.body), at)) not in self._accounts:
            self._accounts[key] = {
                text_of(each.get("serviceAccountName")): index
                for index, each in reversed(entries_at(bundle.body, *at))
            }
        index = self._accounts[key].get(held.holder.name)
        return find_existing_prefix(bundle.body, at) if index is None else (*at, index)

    def _get_role_table(self, role: RbacRole) -> RoleTable:
        if id(role) not in self._tables:
            self._tables[id(role)] = RoleTable([role])
        return self._tables[id(role)]

    def _locate_lost_binding(self, held: BoundRole) -> Place | None:
        """Return where a binding no longer gives somebody what it gave."""
        if (now := self._heirs.get(id(held.binding.body))) is None:
            return held.binding, ()
        if _is_bundle(now):
            return None
        role, whom = self._moves.rename_role(held.role), self._moves.rename_subject(held.holder)
        if not (given := [each for each in self._after.held.get(whom, ()) if each.binding is now]):
            return now, _locate_subject(held.binding, now, held.at, one_less=True)
        return (
            None if any(each.role == role for each in given) else (now, _locate_role_ref(held.binding, now))
        )

    def _locate_gained_binding(self, held: BoundRole) -> Place | None:
        """Return where a binding gives somebody what it did not give."""
        if (former := self._formers.get(id(held.binding.body))) is None:
            return held.binding, held.at[:1]
        had = [each for each in self._had.get(held.holder, ()) if each.binding is former]
        if not (before := [self._moves.rename_role(each.role) for each in had]):
            return held.binding, _locate_subject(former, held.binding, held.at)
        return None if held.role in before else (held.binding, _locate_role_ref(former, held.binding))


def _locate_new_permission(grant: RoleGrant, former: RbacRole | None) -> Path:
    """Return the verb or resource of a rule that is new, if the rule itself is not."""
    permit, one = grant.permit, grant.one
    before = former.permits if former else ()
    known = any(one.group in each.groups and one.resource in each.resources for each in before)
    if known and one.verb in permit.verbs:
        return (*permit.path, "verbs", list(permit.verbs).index(one.verb))
    same = any({*each.verbs} >= {*permit.verbs} for each in before)
    if same and one.resource in permit.resources:
        return (*permit.path, "resources", list(permit.resources).index(one.resource))
    return permit.path


def _locate_aggregation(was: Manifest, now: Manifest, whole: RbacRole | None) -> Place:
    """Return why a role is or is not a part of another one: its labels, or what those ask for."""
    labels = [value_at(each.body, *LABELS) for each in (was, now)]
    if labels[0] != labels[1] or whole is None or whole.manifest is None:
        return now, find_existing_prefix(now.body, LABELS)
    return whole.manifest, find_existing_prefix(whole.manifest.body, GATHERED)


def _locate_role_ref(was: Manifest, now: Manifest) -> Path:
    """Return what leads to another role than before."""
    return _locate_changed_field(was, now, ("roleRef",), ("name", "kind"))


def _locate_subject(was: Manifest, now: Manifest, at: Path, *, one_less: bool = False) -> Path:
    """Return the subject that is another one than before; the list if there are more or fewer."""
    before, after = (value_at(each.body, "subjects") for each in (was, now))
    if isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        return _locate_changed_field(was, now, at, ("namespace", "name", "kind"))
    return find_existing_prefix(now.body, at[:1] if one_less else at)


def _locate_changed_field(was: Manifest, now: Manifest, at: Path, fields: tuple[str, ...]) -> Path:
    """Return the one of some fields that is not as it was, or all if several are not."""
    others = [key for key in fields if value_at(was.body, *at, key) != value_at(now.body, *at, key)]
    return (
        find_existing_prefix(now.body, (*at, *others))
        if len(others) == 1
        else find_existing_prefix(now.body, at)
    )


def _locate_binding(grant: RoleGrant) -> Place | None:
    return (grant.held.binding, grant.held.at) if grant.held else None


def _is_bundle(manifest: Manifest) -> bool:
    return (manifest.id.group, manifest.id.kind) == BUNDLED


def _to_role_name(holder: RbacSubject) -> RoleName:
    return holder.kind, holder.namespace, holder.name


def role_name_of(manifest: Manifest) -> RoleName:
    """Return what bindings call a role."""
    name = manifest.id
    return name.kind, "" if name.kind == CLUSTER_ROLE else name.namespace, name.name
