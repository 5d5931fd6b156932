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
from kitgen.compare.review.change import PermissionChange, PlaceRanking, Pool, ReviewedChange, rank_problem
from kitgen.compare.review.scope import ReviewScope
from kitgen.compare.upgrade.permission_causes import Place
from kitgen.compare.upgrade.permissions import GRANTING, ComparedAccess, group_permissions
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
from kitgen.kube.rbac.default_roles import find_default_rules
from kitgen.kube.rbac.role_table import MOST, count_permissions
from kitgen.report.text import format_object_name

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


def review_access(
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
            held = _build_permission_change(each, each.lost)
            kept = "; ".join(
                format_permissions(_build_permission_change(replace(each, where=where), some))
                for where, some in found.find_kept_grants(each)
            )
            judged = _rank_loss(
                who, f"{LOST} {format_permissions(held)}" + (f"; it keeps {kept}" if kept else ""), found
            )
            yield from _review_grants(scope, held, judged, each.lost, found.of_loss, heirs, pool, seen)
        if each.gained:
            held = _build_permission_change(each, each.gained)
            judged = _rank_gain(who, f"{GAINED} {format_permissions(held)}")
            yield from _review_grants(scope, held, judged, each.gained, found.of_gain, heirs, pool, seen)


def _build_permission_change(each: AccessChange, grants: Sequence[RoleGrant]) -> PermissionChange:
    return PermissionChange(holder=each.holder, where=each.where, ones=tuple(grant.one for grant in grants))


def _rank_loss(who: RbacSubject, message: str, found: ComparedAccess) -> PlaceRanking:
    """Return what it means that somebody may do less: a program that runs here comes with its permissions."""
    judged = rank_problem(UPGRADE_PERMISSION_LOST(message))
    if who not in found.running:
        return judged
    return replace(judged, risk=Risk.BEHAVIOUR, reason="its own program may do less", felt_by=str(who))


def _rank_gain(who: RbacSubject, message: str) -> PlaceRanking:
    """Return what it means that somebody may do more."""
    if who.name in EVERYBODY or who.name.startswith(f"{ACCOUNTS}:"):
        return PlaceRanking("access-everybody", message)
    return rank_problem(UPGRADE_PERMISSION_GAINED(message))


def _review_grants(
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
        told = [each for name in names if name not in seen for each in _take_rbac_differences(pool, name)]
        seen.update(names)
        yield _build_reviewed_change(scope, held.holder, judged, first, told, held)


def _build_reviewed_change(
    scope: ReviewScope,
    who: RbacSubject,
    judged: PlaceRanking,
    place: Place,
    told: Sequence[Difference],
    permitted: PermissionChange | None = None,
) -> ReviewedChange:
    manifest, path = place
    gone = not any(manifest is each for each in scope.after)
    hold = replace(scope.build_location(manifest, path, told, gone=gone), permitted=permitted)
    return ReviewedChange(change=judged.build_change(str(who), "", judged.message), holds=(hold,))


def _take_rbac_differences(pool: Pool, name: ObjectId) -> list[Difference]:
    """Take the differences of an object that say who may do what."""
    return pool.take(name, lambda path: any(path[: len(place)] == place for place in PLACES))


def _format_scope(who: RbacSubject, where: str | None) -> str:
    """Return where somebody has a permission, in words."""
    if who.kind in ROLES:
        return ""
    return f" in {where}" if where else " everywhere" if where is None else ""


def format_permissions(held: PermissionChange) -> str:
    """Write permissions as specs do: those of a group that have the same verbs together, all of them."""
    permissions = "; ".join(
        f"{ALL if words == '*' else words} {group}{'/' * bool(group)}{','.join(resources)}"
        for (group, words), resources in group_permissions(held.ones).items()
    )
    return f"{permissions}{_format_scope(held.holder, held.where)}"


def review_unknown_roles(scope: ReviewScope, found: ComparedAccess, pool: Pool) -> Iterator[ReviewedChange]:
    """Yield what bindings to roles that are not here give and take, then roles that nobody looked at."""
    before, after = found.access
    had, has = _collect_bound_roles(before, found.moves), _collect_bound_roles(after, RenamedSubjects())
    lost = (
        (key[0], held, _rank_loss(key[0], f"may no longer do {_describe_unknown_role(key)}", found))
        for key, held in had.items()
        if key not in has and not _is_known_role(held.role, before) and key[0] not in found.gone
    )
    gained = (
        (key[0], held, _rank_gain(key[0], f"may do {_describe_unknown_role(key)}"))
        for key, held in has.items()
        if key not in had and not _is_known_role(held.role, after)
    )
    for who, held, judged in (*lost, *gained):
        yield _build_reviewed_change(
            scope, who, judged, (held.binding, held.at), _take_rbac_differences(pool, held.binding.id)
        )
    yield from _review_unchecked_roles(scope, found, pool)


def _review_unchecked_roles(
    scope: ReviewScope, found: ComparedAccess, pool: Pool
) -> Iterator[ReviewedChange]:
    """Yield what says who may do what and nobody looked at, since that would take too long."""
    large = {
        role.manifest.id
        for side in found.access
        for role in side.roles.values()
        if role.manifest is not None and sum(map(count_permissions, role.permits)) > MOST
    }
    known = {each.id for each in scope.before}
    for each in scope.after:
        name, spent = each.id, not found.changes.complete
        told = _take_rbac_differences(pool, name) if spent or name in large else []
        if told or (spent and name.kind in GRANTING and name not in known):
            path = told[0].path if told else ()
            yield ReviewedChange(
                change=PlaceRanking("permissions-unknown").build_change(
                    format_object_name(name), "rules", UNSEEN
                ),
                holds=(scope.build_location(each, path, told),),
            )


def _collect_bound_roles(access: Access, moves: RenamedSubjects) -> Mapping[Key, BoundRole]:
    """Return who has which role where, in the names of now."""
    return {
        (moves.rename_subject(who), moves.rename_role(each.role), moves.rename_namespace(each.where)): each
        for who, some in access.held.items()
        for each in some
    }


def _is_known_role(role: RoleName, access: Access) -> bool:
    return role in access.roles or find_default_rules(*role) is not None


def _describe_unknown_role(key: Key) -> str:
    who, (kind, _, name), where = key
    return f"what {kind}/{name} permits, which is not here,{_format_scope(who, where)}".rstrip(",")
