"""What somebody may do that he could not, or no longer: over all roles and bindings.

Roles that are not here, and roles that are too large to be looked at, are told as such.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

from msgspec.structs import replace

from kitgen.compare.change import Risk
from kitgen.compare.object_match import ObjectMatches
from kitgen.compare.objects.difference import Difference
from kitgen.compare.review.change import PermissionChange, PlaceRanking, Pool, ReviewedChange, by_upgrade
from kitgen.compare.review.scope import ReviewScope
from kitgen.compare.upgrade.permission_causes import Place
from kitgen.compare.upgrade.permissions import GRANTING, ComparedAccess, grouped
from kitgen.compare.upgrade.rules import UPGRADE_PERMISSION_GAINED, UPGRADE_PERMISSION_LOST
from kitgen.kube.identity import ObjectId
from kitgen.kube.manifest import Manifest
from kitgen.kube.rbac.access import (
    ACCOUNTS,
    ANONYMOUS,
    AUTHENTICATED,
    INSTALLED,
    ROLES,
    UNAUTHENTICATED,
    Access,
    BoundRole,
    RbacSubject,
    RoleName,
)
from kitgen.kube.rbac.changes import AccessChange, RenamedSubjects, RoleGrant
from kitgen.kube.rbac.default_roles import own_permits
from kitgen.kube.rbac.role_table import MOST, size_of
from kitgen.report.text import object_name

EVERYBODY = frozenset({ACCOUNTS, ANONYMOUS, AUTHENTICATED, UNAUTHENTICATED})
PLACES = (
    *((each,) for each in ("rules", "subjects", "roleRef")),
    *((*INSTALLED, each) for each in ("clusterPermissions", "permissions")),
)
"""Where roles, bindings and bundles grant something."""
ALL = "do everything with"
GAINED, LOST = "may", "may no longer"
LOOKED_AT = 50
"""How many permissions are asked for their lines."""
UNSEEN = "who may do more or less was not looked at"
Key: TypeAlias = tuple[RbacSubject, RoleName, str | None]
"""Who has which role, and where."""


def access_changes(
    scope: ReviewScope, found: ComparedAccess, matched: ObjectMatches, pool: Pool
) -> Iterator[ReviewedChange]:
    """Yield what everybody gained and lost, with the differences of the roles and bindings behind it.

    A kind that went to another group is another one here: what may be done with it is gained, and what might
    be done with the old one is lost.
    """
    heirs = {id(was.body): now for was, now in matched.pairs}
    seen: set[ObjectId] = set()  # an object has its differences once, and many may hold what it grants
    for each in found.changes.changes:
        who = each.holder
        if each.lost and who not in found.gone:
            held = _permitted(each, each.lost)
            kept = "; ".join(
                said(_permitted(replace(each, where=where), some)) for where, some in found.kept(each)
            )
            judged = _lost(who, f"{LOST} {said(held)}" + (f"; it keeps {kept}" if kept else ""), found)
            yield from _granted(scope, held, judged, each.lost, found.of_loss, heirs, pool, seen)
        if each.gained:
            held = _permitted(each, each.gained)
            judged = _gained(who, f"{GAINED} {said(held)}")
            yield from _granted(scope, held, judged, each.gained, found.of_gain, heirs, pool, seen)


def _permitted(each: AccessChange, grants: Sequence[RoleGrant]) -> PermissionChange:
    return PermissionChange(holder=each.holder, where=each.where, ones=tuple(grant.one for grant in grants))


def _lost(who: RbacSubject, message: str, found: ComparedAccess) -> PlaceRanking:
    """Return what it means that somebody may do less: a program that runs here comes with its permissions."""
    judged = by_upgrade(UPGRADE_PERMISSION_LOST(message))
    if who not in found.running:
        return judged
    return replace(judged, risk=Risk.BEHAVIOUR, reason="its own program may do less", felt_by=str(who))


def _gained(who: RbacSubject, message: str) -> PlaceRanking:
    """Return what it means that somebody may do more."""
    if who.name in EVERYBODY or who.name.startswith(f"{ACCOUNTS}:"):
        return PlaceRanking("access-everybody", message)
    return by_upgrade(UPGRADE_PERMISSION_GAINED(message))


def _granted(
    scope: ReviewScope,
    held: PermissionChange,
    judged: PlaceRanking,
    grants: Sequence[RoleGrant],
    cause: Callable[[RoleGrant, RbacSubject], Place | None],
    heirs: Mapping[int, Manifest],
    pool: Pool,
    seen: set[ObjectId],
) -> Iterator[ReviewedChange]:
    if first := next((place for each in grants[:LOOKED_AT] if (place := cause(each, held.holder))), None):
        behind = ((each.role.manifest, each.held.binding if each.held else None) for each in grants)
        names = dict.fromkeys(heirs.get(id(one.body), one).id for both in behind for one in both if one)
        told = [each for name in names if name not in seen for each in _granting(pool, name)]
        seen.update(names)
        yield _reviewed(scope, held.holder, judged, first, told, held)


def _reviewed(
    scope: ReviewScope,
    who: RbacSubject,
    judged: PlaceRanking,
    place: Place,
    told: Sequence[Difference],
    permitted: PermissionChange | None = None,
) -> ReviewedChange:
    manifest, path = place
    gone = not any(manifest is each for each in scope.after)
    hold = replace(scope.hold(manifest, path, told, gone=gone), permitted=permitted)
    return ReviewedChange(change=judged.change(str(who), "", judged.message), holds=(hold,))


def _granting(pool: Pool, name: ObjectId) -> list[Difference]:
    """Take the differences of an object that say who may do what."""
    return pool.take(name, lambda path: any(path[: len(place)] == place for place in PLACES))


def _reach(who: RbacSubject, where: str | None) -> str:
    """Return where somebody has a permission, in words."""
    if who.kind in ROLES:
        return ""
    return f" in {where}" if where else " everywhere" if where is None else ""


def said(held: PermissionChange) -> str:
    """Write permissions as specs do: those of a group that have the same verbs together, all of them."""
    permissions = "; ".join(
        f"{ALL if words == '*' else words} {group}{'/' * bool(group)}{','.join(resources)}"
        for (group, words), resources in grouped(held.ones).items()
    )
    return f"{permissions}{_reach(held.holder, held.where)}"


def unknown_changes(scope: ReviewScope, found: ComparedAccess, pool: Pool) -> Iterator[ReviewedChange]:
    """Yield what bindings to roles that are not here give and take, then roles that nobody looked at."""
    before, after = found.access
    had, has = _held(before, found.moves), _held(after, RenamedSubjects())
    lost = (
        (key[0], held, _lost(key[0], f"may no longer do {_what(key)}", found))
        for key, held in had.items()
        if key not in has and not _is_known(held.role, before) and key[0] not in found.gone
    )
    gained = (
        (key[0], held, _gained(key[0], f"may do {_what(key)}"))
        for key, held in has.items()
        if key not in had and not _is_known(held.role, after)
    )
    for who, held, judged in (*lost, *gained):
        yield _reviewed(scope, who, judged, (held.binding, held.at), _granting(pool, held.binding.id))
    yield from _unseen(scope, found, pool)


def _unseen(scope: ReviewScope, found: ComparedAccess, pool: Pool) -> Iterator[ReviewedChange]:
    """Yield what says who may do what and nobody looked at, since that would take too long."""
    large = {
        role.manifest.id
        for side in found.access
        for role in side.roles.values()
        if role.manifest is not None and sum(map(size_of, role.permits)) > MOST
    }
    known = {each.id for each in scope.before}
    for each in scope.after:
        name, spent = each.id, not found.changes.complete
        told = _granting(pool, name) if spent or name in large else []
        if told or (spent and name.kind in GRANTING and name not in known):
            path = told[0].path if told else ()
            yield ReviewedChange(
                change=PlaceRanking("permissions-unknown").change(object_name(name), "rules", UNSEEN),
                holds=(scope.hold(each, path, told),),
            )


def _held(access: Access, moves: RenamedSubjects) -> Mapping[Key, BoundRole]:
    """Return who has which role where, in the names of now."""
    return {
        (moves.holder(who), moves.role(each.role), moves.where(each.where)): each
        for who, some in access.held.items()
        for each in some
    }


def _is_known(role: RoleName, access: Access) -> bool:
    return role in access.roles or own_permits(*role) is not None


def _what(key: Key) -> str:
    who, (kind, _, name), where = key
    return f"what {kind}/{name} permits, which is not here,{_reach(who, where)}".rstrip(",")
