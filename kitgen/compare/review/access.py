"""What somebody may do that he could not, or no longer: over all roles and bindings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from kitgen.compare.change import Risk
from kitgen.compare.object_match import Matched
from kitgen.compare.objects.difference import Difference
from kitgen.compare.review.change import Judgement, Permitted, Pool, Reviewed, by_upgrade
from kitgen.compare.review.scope import ReviewScope
from kitgen.compare.upgrade.permission_causes import Place
from kitgen.compare.upgrade.permissions import ComparedAccess
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
    Holder,
)
from kitgen.kube.rbac.changes import AccessChange, RoleGrant
from kitgen.kube.rbac.rules import One, in_words

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


def access_changes(
    scope: ReviewScope, found: ComparedAccess, matched: Matched, pool: Pool
) -> Iterator[Reviewed]:
    """Yield what everybody gained and lost, with the differences of the roles and bindings behind it.

    A kind that went to another group is another one here: what may be done with it is gained, and what might
    be done with the old one is lost.
    """
    heirs = {id(was.body): now for was, now in matched.pairs}
    granted = Granted(pool)
    for each in found.changes.changes:
        who = each.holder
        if each.lost and who not in found.gone:
            held = _permitted(each, each.lost)
            kept = "; ".join(
                said(_permitted(replace(each, where=where), some)) for where, some in found.kept(each)
            )
            judged = lost(who, f"{LOST} {said(held)}" + (f"; it keeps {kept}" if kept else ""), found)
            yield from _reviewed(scope, held, judged, each.lost, found.of_loss, heirs, granted)
        if each.gained:
            held = _permitted(each, each.gained)
            judged = gained(who, f"{GAINED} {said(held)}")
            yield from _reviewed(scope, held, judged, each.gained, found.of_gain, heirs, granted)


def _permitted(each: AccessChange, grants: Sequence[RoleGrant]) -> Permitted:
    return Permitted(holder=each.holder, where=each.where, ones=tuple(grant.one for grant in grants))


def lost(who: Holder, message: str, found: ComparedAccess) -> Judgement:
    """Return what it means that somebody may do less: a program that runs here comes with its permissions."""
    judged = by_upgrade(UPGRADE_PERMISSION_LOST(message))
    if who not in found.running:
        return judged
    return replace(judged, risk=Risk.BEHAVIOUR, reason="its own program may do less", felt_by=str(who))


def gained(who: Holder, message: str) -> Judgement:
    """Return what it means that somebody may do more."""
    everybody = who.name in EVERYBODY or who.name.startswith(f"{ACCOUNTS}:")
    if everybody:
        return Judgement("access-everybody", message)
    return by_upgrade(UPGRADE_PERMISSION_GAINED(message))


def _reviewed(
    scope: ReviewScope,
    held: Permitted,
    judged: Judgement,
    grants: Sequence[RoleGrant],
    cause: Callable[[RoleGrant, Holder], Place | None],
    heirs: Mapping[int, Manifest],
    granted: Granted,
) -> Iterator[Reviewed]:
    places = (place for each in grants[:LOOKED_AT] if (place := cause(each, held.holder)))
    first = next(places, None)
    if first is None:
        return
    behind = [
        one
        for each in grants
        for one in (each.role.manifest, each.held.binding if each.held else None)
        if one is not None
    ]
    names = dict.fromkeys(heirs[id(one.body)].id if id(one.body) in heirs else one.id for one in behind)
    told = [difference for name in names for difference in granted.take(name)]
    manifest, path = first
    gone = not any(manifest is each for each in scope.after)
    change = judged.change(str(held.holder), "", judged.message)
    hold = replace(scope.hold(manifest, path, told, gone=gone), permitted=held)
    yield Reviewed(change=change, holds=(hold,))


class Granted:
    """Differences that say who may do what; an object has them once, and many may hold what it grants."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._taken: set[ObjectId] = set()

    def take(self, name: ObjectId) -> list[Difference]:
        """Return those of an object that nobody took yet."""
        if name in self._taken:
            return []
        self._taken.add(name)
        return granting(self._pool, name)


def granting(pool: Pool, name: ObjectId) -> list[Difference]:
    """Take the differences of an object that say who may do what."""
    return pool.take(name, lambda path: any(path[: len(place)] == place for place in PLACES))


def reach(who: Holder, where: str | None) -> str:
    """Say where somebody has a permission."""
    if who.kind in ROLES:
        return ""
    return f" in {where}" if where else " everywhere" if where is None else ""


def said(held: Permitted) -> str:
    """Write permissions as specs do: those of a group that have the same verbs together, all of them."""
    verbs: dict[One, list[str]] = {}
    for each in held.ones:
        verbs.setdefault(each._replace(verb=""), []).append(each.verb)
    alike: dict[tuple[str, str], list[str]] = {}
    for one in sorted(verbs):
        group, _, resource = ("", "", one.url) if one.url else one.what.partition("/")
        alike.setdefault((group, in_words(verbs[one])), []).append(resource)
    permissions = "; ".join(
        f"{ALL if words == '*' else words} {group}{'/' * bool(group)}{','.join(resources)}"
        for (group, words), resources in alike.items()
    )
    return f"{permissions}{reach(held.holder, held.where)}"
