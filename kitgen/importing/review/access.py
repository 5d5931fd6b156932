"""Review permissions: roles, and the subjects that hold them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from msgspec import Struct

from kitgen.compare.objects.permissions import grants
from kitgen.importing.review.sides import Line, Rights, Told, TreeSide, in_lines, maps, surplus
from kitgen.kube.identity import RBAC
from kitgen.kube.manifest import Manifest
from kitgen.kube.rbac.access import ACCOUNT, BINDINGS, ROLES, Holder, bound_roles
from kitgen.kube.selectors import matches, read_selector
from kitgen.text.yaml import JsonObject

AGGREGATE = f"{RBAC}/aggregate-to-"
EVERYWHERE, HERE, AGGREGATED, NOBODY = (
    *("cluster-wide", "in its own namespace"),
    *("by aggregation", "bound to nobody here"),
)
GIVEN, TAKEN = "who gets which role", "who no longer has which role"


class TreeRole(Struct, frozen=True, order=True):
    """A role by what people call it."""

    name: str
    where: str
    """Where a Role counts; empty for a ClusterRole, which its bindings tell it."""


class TreeRoleBinding(Struct, frozen=True, order=True):
    """Somebody has a role."""

    holder: str
    where: str
    role: TreeRole


class TreeAccess(Struct, frozen=True, kw_only=True):
    """All roles of a tree, and who has them."""

    roles: Mapping[TreeRole, Rights]
    held: frozenset[TreeRoleBinding]
    holders: Mapping[TreeRole, Collection[TreeRoleBinding]]
    wide: Mapping[str, tuple[TreeRole, ...]]
    """What each holder has cluster-wide."""

    def grants(self, roles: Collection[TreeRole], what: str, verb: str) -> bool:
        """Return whether one of some roles permits something."""
        return any(verb in self.roles.get(role, {}).get(what, ()) for role in roles)

    def titled(self, role: TreeRole) -> str:
        """Name a role, and say where it counts."""
        places = {each.where for each in self.holders.get(role, ())}
        return f"{role.name}, {role.where or ' and '.join(sorted(places)) or NOBODY}"


def access_of(side: TreeSide) -> TreeAccess:
    """Read roles, bindings and aggregations."""
    found = [each for body in side.bodies if (each := Manifest(body=body, sources=())).id.group == RBAC]
    bodies = {
        _role(side, each.id.kind, each.id.namespace, each.id.name): each.body
        for each in found
        if each.id.kind in ROLES
    }
    held = {held for each in found if each.id.kind in BINDINGS for held in _bound(side, each)}
    held |= set(_aggregated(bodies))
    holders: dict[TreeRole, list[TreeRoleBinding]] = {}
    wide: dict[str, tuple[TreeRole, ...]] = {}
    for one in sorted(held):
        holders.setdefault(one.role, []).append(one)
        if one.where == EVERYWHERE:
            wide[one.holder] = (*wide.get(one.holder, ()), one.role)
    roles = {
        role: grants(maps(body, "rules[]")) for role, body in sorted(bodies.items(), key=lambda at: at[0])
    }
    return TreeAccess(roles=roles, held=frozenset(held), holders=holders, wide=wide)


def _role(side: TreeSide, kind: str, namespace: str, name: str) -> TreeRole:
    return TreeRole(side.short(name), _place(side, namespace) if kind == "Role" else "")


def _place(side: TreeSide, namespace: str) -> str:
    return HERE if side.is_home(namespace) else f"in the namespace {namespace}"


def _bound(side: TreeSide, binding: Manifest) -> Iterator[TreeRoleBinding]:
    """Yield what a binding gives to whom."""
    for each in bound_roles(binding):
        where = EVERYWHERE if each.where is None else _place(side, each.where)
        yield TreeRoleBinding(_holder(side, each.holder), where, _role(side, *each.role))


def _holder(side: TreeSide, holder: Holder) -> str:
    if holder.kind != ACCOUNT:
        return f"{holder.kind} {holder.name}"
    here = side.is_home(holder.namespace)
    return f"{ACCOUNT} {side.short(holder.name) if here else f'{holder.name} of {holder.namespace}'}"


def _aggregated(bodies: Mapping[TreeRole, JsonObject]) -> Iterator[TreeRoleBinding]:
    """Yield the roles that become part of others: of those of Kubernetes, or of the same tree."""
    clusters = {role: body for role, body in bodies.items() if not role.where}
    choosing = [
        (into.name, selector)
        for into, body in clusters.items()
        for each in maps(body, "aggregationRule/clusterRoleSelectors[]")
        if (selector := read_selector(each)) is not None
    ]
    for role, body in clusters.items():
        labels = {key: value for found in maps(body, "metadata/labels") for key, value in found.items()}
        own = [key for key, value in labels.items() if key.startswith(AGGREGATE) and value == "true"]
        into = {key.removeprefix(AGGREGATE) for key in own}
        into |= {name for name, selector in choosing if name != role.name and matches(selector, labels)}
        yield from (TreeRoleBinding(f"all who have {name}", AGGREGATED, role) for name in into)


def differences(old: TreeSide, new: TreeSide) -> Told:
    """Report permissions that roles gain or lose, and subjects that gain or lose a role."""
    before, now = access_of(old), access_of(new)
    gained = [(role, rights, _narrowed(before, now, role, rights)) for role, rights in _more(now, before)]
    return {
        "new permissions": _lines(now, ((role, surplus(rights, less)) for role, rights, less in gained)),
        GIVEN: _given(now.held - before.held),
        "permissions that were cluster-wide, and are for one namespace now": _lines(
            now, ((role, less) for role, _, less in gained)
        ),
        "permissions that went away": _lines(before, _more(before, now)),
        TAKEN: _given(before.held - now.held),
    }


def _given(held: Iterable[TreeRoleBinding]) -> list[Line]:
    return [(f"{each.holder}, {each.where}", each.role.name) for each in sorted(held)]


def _lines(access: TreeAccess, granted: Iterable[tuple[TreeRole, Rights]]) -> list[Line]:
    return [(access.titled(role), line) for role, rights in granted for line in in_lines(rights)]


def _more(more: TreeAccess, less: TreeAccess) -> Iterator[tuple[TreeRole, Rights]]:
    for role, rights in more.roles.items():
        if found := surplus(rights, less.roles.get(role, {})):
            yield role, found


def _narrowed(before: TreeAccess, now: TreeAccess, role: TreeRole, rights: Rights) -> Rights:
    """Return what everybody who has a role had cluster-wide, and has no longer.

    A Role that nobody has is the narrower one if a ClusterRole of its name granted the same.
    """
    holders = [each.holder for each in now.holders.get(role, ())]
    same = [(TreeRole(role.name, ""),)] if role.where else []
    had = {before.wide.get(each, ()) for each in holders} or same
    has = {now.wide.get(each, ()) for each in holders} or same

    def is_narrowed(what: str, verb: str) -> bool:
        return all(before.grants(each, what, verb) for each in had) and not any(
            now.grants(each, what, verb) for each in has
        )

    found = {what: {verb for verb in verbs if is_narrowed(what, verb)} for what, verbs in rights.items()}
    return {what: verbs for what, verbs in found.items() if verbs} if had else {}
