"""Permissions that are gone or new: of everybody whom bindings name, and of roles that others may bind.

What somebody gained or lost is written in few words: those who have it by the same line together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TypeAlias

from msgspec import Struct

from kitgen.compare.object_match import ObjectMatches
from kitgen.compare.upgrade.permission_causes import Causes, Place, role_of
from kitgen.compare.upgrade.rules import UPGRADE_PERMISSION_GAINED, UPGRADE_PERMISSION_LOST
from kitgen.compare.upgrade.values import pods_in, short
from kitgen.findings import Path, Problem, problem
from kitgen.kit.model.component import reached
from kitgen.kube.identity import RBAC, is_namespaced
from kitgen.kube.manifest import Manifest
from kitgen.kube.pods import TEMPLATES, pod_at
from kitgen.kube.rbac.access import (
    ACCOUNT,
    BINDINGS,
    BUNDLED,
    ROLES,
    Access,
    BoundRole,
    RbacSubject,
)
from kitgen.kube.rbac.changes import AccessChange, AccessChanges, RenamedSubjects, RoleGrant, access_changes
from kitgen.kube.rbac.rules import Permit, SinglePermission, in_words
from kitgen.text.values import collect
from kitgen.text.wording import choice

MOST, MOST_PLACES, MOST_PEOPLE = 4, 2, 3
"""How many kinds of permissions, of namespaces and of people a message names."""
MOST_RESOURCES = 6
LOOKED_AT = 200
"""How many permissions are asked for their lines."""
Grants: TypeAlias = list[tuple[str | None, tuple[RoleGrant, ...]]]
"""What somebody has, by where it counts."""
Cause: TypeAlias = Callable[[RoleGrant, RbacSubject], Place | None]


def together(
    found: dict[RbacSubject, Grants], cause: Cause, kept: Mapping[RbacSubject, Grants] | None = None
) -> Iterator[tuple[Place, str, str]]:
    """Yield where, for whom and what changed in few words, and what is kept; those of a line together."""
    alike: dict[tuple[int, Path, str], tuple[Place, list[RbacSubject]]] = {}
    for holder, scopes in found.items():
        if place := _first(holder, scopes, cause):
            what, rest = (_all(some, holder) for some in (scopes, (kept or {}).get(holder, [])))
            what += f"; kept: {rest}" if rest else ""
            alike.setdefault((id(place[0].body), place[1], what), (place, []))[1].append(holder)
    for (*_, what), (place, some) in alike.items():
        people = [short(each) for each in some if each.kind not in ROLES]
        roles = [
            short(each) for each in some if each.kind in ROLES and each != RbacSubject(*role_of(place[0]))
        ]
        people += [f"whoever has the {choice(roles, most=MOST_PEOPLE)}"] if roles else []
        whom = f" to {choice(people, last='and', most=MOST_PEOPLE)}" if people else ""
        yield place, whom, what


def _all(scopes: Grants, holder: RbacSubject) -> str:
    said = [_said(*each, holder) for each in scopes]
    more = f" and in {len(said) - MOST_PLACES} more" if len(said) > MOST_PLACES else ""
    return " and ".join(said[:MOST_PLACES]) + more


def _first(holder: RbacSubject, scopes: Grants, cause: Cause) -> Place | None:
    """Return the first line behind what changed, in the object that has most to do with it."""
    places = [
        place
        for each in islice((grant for _, some in scopes for grant in some), LOOKED_AT)
        if (place := cause(each, holder))
    ]
    if not places:
        return None
    ((own, _),) = Counter(id(manifest.body) for manifest, _ in places).most_common(1)
    paths = {path: manifest for manifest, path in places if id(manifest.body) == own}
    above = {path[:size] for path in paths for size in range(len(path))}
    first = min(({*paths} - above), key=lambda path: [(str(type(step)), step) for step in path])
    return paths[first], first


def _said(where: str | None, grants: Sequence[RoleGrant], holder: RbacSubject) -> str:
    """Write permissions in few words, and where they count."""
    said = [
        f"{group}{'/' * bool(group)}{_some(resources)} ({words})"
        for (group, words), resources in grouped(each.one for each in grants).items()
    ]
    return choice(said, last="and", most=MOST) + ("" if holder.kind in ROLES else f" {_place(where)}")


def grouped(ones: Iterable[SinglePermission]) -> dict[tuple[str, str], list[str]]:
    """Return the resources and URLs of permissions by their group and their verbs in words."""
    verbs = collect((each._replace(verb=""), each.verb) for each in ones)
    parts = ((one, ("", "", one.url) if one.url else one.what.partition("/")) for one in sorted(verbs))
    return collect(((group, in_words(verbs[one])), resource) for one, (group, _, resource) in parts)


def _some(resources: Sequence[str]) -> str:
    more = f",… {len(resources) - MOST_RESOURCES} more" if len(resources) > MOST_RESOURCES else ""
    return ",".join(map(short, resources[:MOST_RESOURCES])) + more


def _place(where: str | None) -> str:
    return "in the whole cluster" if where is None else f"in {short(where)}" if where else "in its namespace"


GRANTING = frozenset({*ROLES, *BINDINGS, BUNDLED[1]})
"""Kinds that say who may do what."""

GRANTED = frozenset((RBAC, kind) for kind in ROLES)
"""Groups and kinds of what bindings refer to."""
DEFAULT = "default"
"""The account that pods run as which name none."""
Groups: TypeAlias = Mapping[tuple[str, str], str]
"""The old group and the kind → the new group."""


class ComparedAccess(Struct, frozen=True, kw_only=True):
    """What everybody may do now and could not, or the reverse, and what makes it so."""

    changes: AccessChanges
    of_loss: Cause
    of_gain: Cause
    gone: frozenset[RbacSubject]
    """Accounts that are gone as a whole."""
    came: frozenset[RbacSubject]
    """Accounts that are new as a whole."""
    access: tuple[Access, Access]
    """The roles and bindings of before, and those of now."""
    moves: RenamedSubjects
    """What is called otherwise than before."""
    running: frozenset[RbacSubject]
    """Accounts that pods here run as: what they may do comes with the program that needs it."""

    def kept(self, change: AccessChange) -> Grants:
        """Return what somebody keeps of what he lost: for objects by their names, or in one namespace."""
        found: dict[str | None, dict[SinglePermission, RoleGrant]] = {}
        for held, permit in self._narrower(change):
            for each in change.lost[:LOOKED_AT]:
                for name in permit.names[:LOOKED_AT] or ("",):
                    one = each.one._replace(name=name)
                    if not each.one.name and not one.url and permit.allows(one):
                        where = held.where if held else None
                        role = self.access[1].role(held.role if held else each.role.id)
                        found.setdefault(where, {})[one] = RoleGrant(one, role, permit, held)
        return [(where, tuple(some.values())) for where, some in found.items()]

    def _narrower(self, change: AccessChange) -> Iterator[tuple[BoundRole | None, Permit]]:
        """Yield the rules that somebody has now, for objects by name or for less than the place of a loss."""
        who, access = change.holder, self.access[1]
        if who.kind in ROLES:
            yield from (
                (None, each) for each in access.permits((who.kind, who.namespace, who.name)) if each.names
            )
        for held in access.of(who) if who.kind not in ROLES else ():
            inside = change.where is None and held.where is not None
            if inside or held.where in (None, change.where):
                yield from (
                    (held, each) for each in access.permits(held.role)[:LOOKED_AT] if each.names or inside
                )


def compared(
    before: Sequence[Manifest], now: Sequence[Manifest], matched: ObjectMatches, groups: Groups
) -> ComparedAccess:
    """Hold what everybody may do against what he could."""
    old, new = Access(before), Access(now)
    moves = _moves(matched, groups)
    runs = _runs(matched, old, new, moves)
    causes = Causes(matched.pairs, old, new, moves)
    return ComparedAccess(
        changes=access_changes(old, new, moves),
        of_loss=lambda grant, who: runs.get(who) or causes.of_loss(grant, who),
        of_gain=lambda grant, who: runs.get(who) or causes.of_gain(grant, who),
        gone=frozenset({moves.holder(_account(each)) for each in matched.gone} - {*new.held}),
        came=frozenset({_account(each) for each in matched.added} - {*map(moves.holder, old.held)}),
        access=(old, new),
        moves=moves,
        running=frozenset(
            RbacSubject(ACCOUNT, pod.namespace, pod.service_account)
            for each in now
            for _, pod in pods_in(each.body)
        ),
    )


def permissions(
    before: Sequence[Manifest],
    now: Sequence[Manifest],
    matched: ObjectMatches,
    groups: Groups,
    about: Callable[[SinglePermission], bool] = lambda _: True,
) -> Iterator[tuple[Manifest, Problem]]:
    """Yield what somebody may no longer do, and what he may do and could not: once for one cause.

    `about` returns whether a permission is looked at.
    """
    if not any(each.id.kind in GRANTING for each in before):
        return
    found = compared(before, now, matched, groups)

    def meant(grants: Iterable[RoleGrant]) -> tuple[RoleGrant, ...]:
        return tuple(grant for grant in grants if about(grant.one))

    # What is gone or new as a whole is told as such.
    less = [each for each in found.changes.changes if meant(each.lost) and each.holder not in found.gone]
    more = [each for each in found.changes.changes if meant(each.gained) and each.holder not in found.came]
    lost = collect((each.holder, (each.where, meant(each.lost))) for each in less)
    kept = collect((each.holder, some) for each in less for some in found.kept(each))
    gained = collect((each.holder, (each.where, meant(each.gained))) for each in more)
    yield from (
        (manifest, UPGRADE_PERMISSION_LOST(f"found no longer granted{whom}: {what}", path))
        for (manifest, path), whom, what in together(lost, found.of_loss, kept)
    )
    yield from (
        (manifest, UPGRADE_PERMISSION_GAINED(f"found granted{whom} and not before: {what}", path))
        for (manifest, path), whom, what in together(gained, found.of_gain)
    )
    if not found.changes.complete:
        message = "comparing the permissions takes too many steps, and the rest was not looked at"
        yield now[0], problem("effort-limit", message, hint="compare fewer objects at a time")


def _runs(
    matched: ObjectMatches, old: Access, new: Access, moves: RenamedSubjects
) -> dict[RbacSubject, Place]:
    """Let those whose pods run as another account than before have what it has; return where they say so."""
    found: dict[RbacSubject, Place] = {}
    here = {*(_account(each) for _, each in matched.pairs), *map(_account, matched.added), *new.held}
    for was, now in matched.pairs:
        if (path := TEMPLATES.get((now.id.group, now.id.kind))) is None or was.body == now.body:
            continue
        account, other = (_runs_as(each, path) for each in (was, now))
        # Of an account that is not here nobody knows what it has; the default one has nothing.
        if moves.holder(account) != other and (other in here or other.name == DEFAULT):
            somebody = _account(now)
            old.let(somebody, account)
            new.let(somebody, other)
            found[somebody] = (now, reached(now.body, (*path, "spec", "serviceAccountName")))
    return found


def _runs_as(manifest: Manifest, path: Path) -> RbacSubject:
    pod = pod_at(manifest, path)
    return RbacSubject(ACCOUNT, manifest.id.namespace, pod.service_account if pod else DEFAULT)


def _account(manifest: Manifest) -> RbacSubject:
    """Return whom bindings can name by an object; of another kind, nobody has its name."""
    return RbacSubject(manifest.id.kind, manifest.id.namespace, manifest.id.name)


def _moves(matched: ObjectMatches, groups: Groups) -> RenamedSubjects:
    """Return what the names of before became."""
    heirs = collect((was, now) for (was, _), now in groups.items())
    pairs = [((new.id.group, new.id.kind), old, new) for old, new in matched.pairs]
    spaces = collect((old.id.namespace, new.id.namespace) for kind, old, new in pairs if is_namespaced(*kind))
    return RenamedSubjects(
        groups={was: frozenset(some) for was, some in heirs.items()},
        namespaces={was: some[0] for was, some in spaces.items() if len({*some}) == 1},
        holders={_account(old): _account(new) for kind, old, new in pairs if kind == ("", ACCOUNT)},
        roles={role_of(old): role_of(new) for kind, old, new in pairs if kind in GRANTED},
    )
