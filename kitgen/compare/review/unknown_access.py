"""Who may do more or less by roles that are not here, and roles that are too large to be looked at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from kitgen.compare.review.access import gained, granting, lost, reach
from kitgen.compare.review.change import Judgement, Pool, Reviewed
from kitgen.compare.review.scope import ReviewScope, called
from kitgen.compare.upgrade.permissions import GRANTING, ComparedAccess
from kitgen.kube.manifest import Manifest
from kitgen.kube.rbac.access import Access, BoundRole, Holder, RoleName
from kitgen.kube.rbac.changes import RenamedSubjects
from kitgen.kube.rbac.default_roles import own_permits
from kitgen.kube.rbac.role_table import MOST, size_of

Key: TypeAlias = tuple[Holder, RoleName, str | None]
"""Who has which role, and where."""

UNSEEN = "who may do more or less was not looked at"


def unknown_changes(scope: ReviewScope, found: ComparedAccess, pool: Pool) -> Iterator[Reviewed]:
    """Yield what bindings to roles that are not here give and take, then roles that nobody looked at."""
    before, after = found.access
    had, has = _held(before, found.moves), _held(after, RenamedSubjects())
    for key, held in had.items():
        if key not in has and not _is_known(held.role, before) and key[0] not in found.gone:
            message = f"may no longer do {_what(key)}"
            yield _reviewed(scope, pool, held, key[0], lost(key[0], message, found))
    for key, held in has.items():
        if key not in had and not _is_known(held.role, after):
            yield _reviewed(scope, pool, held, key[0], gained(key[0], f"may do {_what(key)}"))
    yield from _unseen(scope, found, pool)


def _unseen(scope: ReviewScope, found: ComparedAccess, pool: Pool) -> Iterator[Reviewed]:
    """Yield what says who may do what and nobody looked at, since that would take too long."""
    large = {each.id for side in found.access for each in _large(side)}
    known = {each.id for each in scope.before}
    for each in scope.after:
        name, spent = each.id, not found.changes.complete
        told = granting(pool, name) if spent or name in large else []
        if told or (spent and name.kind in GRANTING and name not in known):
            path = told[0].path if told else ()
            change = Judgement("permissions-unknown").change(called(name), "rules", UNSEEN)
            yield Reviewed(change=change, holds=(scope.hold(each, path, told),))


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
    return f"what {kind}/{name} permits, which is not here,{reach(who, where)}".rstrip(",")


def _reviewed(scope: ReviewScope, pool: Pool, held: BoundRole, who: Holder, judged: Judgement) -> Reviewed:
    binding = held.binding
    gone = not any(binding is each for each in scope.after)
    told = granting(pool, binding.id)
    hold = scope.hold(binding, held.at, told, gone=gone)
    return Reviewed(change=judged.change(str(who), "", judged.message), holds=(hold,))


def _large(access: Access) -> Iterator[Manifest]:
    """Yield what has a role that is not taken apart."""
    for role in access.roles.values():
        if role.manifest is not None and sum(map(size_of, role.permits)) > MOST:
            yield role.manifest
