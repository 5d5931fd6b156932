"""Who may do what: roles, and those who have them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from msgspec import Struct

from kitgen.compare.objects.permissions import grants
from kitgen.importing.review.sides import Line, Rights, Told, TreeSide, in_lines, maps, surplus
from kitgen.kube.identity import RBAC, ObjectId
from kitgen.text.yaml import JsonObject

ROLES = ("Role", "ClusterRole")
BINDINGS = ("RoleBinding", "ClusterRoleBinding")
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
        """Tell whether one of some roles permits something."""
        return any(verb in self.roles.get(role, {}).get(what, ()) for role in roles)

    def titled(self, role: TreeRole) -> str:
        """Name a role, and say where it counts."""
        places = {each.where for each in self.holders.get(role, ())}
        return f"{role.name}, {role.where or ' and '.join(sorted(places)) or NOBODY}"


def access_of(side: TreeSide) -> TreeAccess:
    """Read roles, bindings and aggregations."""
    named = [(found, body) for body in side.bodies if (found := ObjectId.of(body)).group == RBAC]
    bodies = {_role(side, each.kind, each): body for each, body in named if each.kind in ROLES}
    held = {held for each, body in named if each.kind in BINDINGS for held in _bound(side, each, body)}
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


def _role(side: TreeSide, kind: str, at: ObjectId) -> TreeRole:
    return TreeRole(side.short(at.name), _place(side, at.namespace) if kind == "Role" else "")


def _place(side: TreeSide, namespace: str) -> str:
    return HERE if side.is_home(namespace) else f"in the namespace {namespace}"


def _bound(side: TreeSide, at: ObjectId, body: JsonObject) -> Iterator[TreeRoleBinding]:
    """Yield what a binding gives to whom."""
    where = _place(side, at.namespace) if at.kind == "RoleBinding" else EVERYWHERE
    for ref in maps(body, "roleRef"):
        role = _role(side, str(ref.get("kind")), ObjectId(RBAC, "", at.namespace, str(ref.get("name"))))
        for subject in maps(body, "subjects[]"):
            yield TreeRoleBinding(_holder(side, subject, at.namespace), where, role)


def _holder(side: TreeSide, subject: JsonObject, near: str) -> str:
    kind, name = str(subject.get("kind")), str(subject.get("name"))
    namespace = str(subject.get("namespace") or near)
    if kind != "ServiceAccount":
        return f"{kind} {name}"
    return f"{kind} {side.short(name)}" if side.is_home(namespace) else f"{kind} {name} of {namespace}"


def _aggregated(bodies: Mapping[TreeRole, JsonObject]) -> Iterator[TreeRoleBinding]:
    """Yield the roles that become part of others: of those of Kubernetes, or of the same tree."""
    clusters = {role: body for role, body in bodies.items() if not role.where}
    choosing = [
        (into.name, selector)
        for into, body in clusters.items()
        for selector in maps(body, "aggregationRule/clusterRoleSelectors[]")
        if not selector.get("matchExpressions")
    ]
    for role, body in clusters.items():
        labels = {key: value for found in maps(body, "metadata/labels") for key, value in found.items()}
        own = [key for key, value in labels.items() if key.startswith(AGGREGATE) and value == "true"]
        into = {key.removeprefix(AGGREGATE) for key in own}
        into |= {name for name, selector in choosing if name != role.name and _fits(selector, labels)}
        yield from (TreeRoleBinding(f"all who have {name}", AGGREGATED, role) for name in into)


def _fits(selector: JsonObject, labels: JsonObject) -> bool:
    wanted = [pair for found in maps(selector, "matchLabels") for pair in found.items()]
    return all(labels.get(key) == value for key, value in wanted)


def differences(old: TreeSide, new: TreeSide) -> Told:
    """Tell what roles grant and did not, or no longer; and who gets a role, or has it no longer."""
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
