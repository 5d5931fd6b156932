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
from kitgen.compare.objects.compare import is_same_state
from kitgen.compare.upgrade.permission_causes import Causes, Place, role_name_of
from kitgen.compare.upgrade.rules import UPGRADE_PERMISSION_GAINED, UPGRADE_PERMISSION_LOST
from kitgen.compare.upgrade.values import list_named_pods, shorten_text
from kitgen.findings import Path, Problem, make_problem
from kitgen.kit.model.component import find_existing_prefix
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
from kitgen.kube.rbac.changes import AccessChange, AccessChanges, RenamedSubjects, RoleGrant, compare_access
from kitgen.kube.rbac.rules import Permit, SinglePermission, format_verbs
from kitgen.text.values import group_pairs
from kitgen.text.wording import join_words

MOST, MOST_PLACES, MOST_PEOPLE = 4, 2, 3
"""How many kinds of permissions, of namespaces and of people a message names."""
MOST_RESOURCES = 6
LOOKED_AT = 200
"""How many permissions are asked for their lines."""
Grants: TypeAlias = list[tuple[str | None, tuple[RoleGrant, ...]]]
"""What somebody has, by where it counts."""
Cause: TypeAlias = Callable[[RoleGrant, RbacSubject], Place | None]


def group_by_cause(
    found: dict[RbacSubject, Grants], cause: Cause, kept: Mapping[RbacSubject, Grants] | None = None
) -> Iterator[tuple[Place, str, str]]:
    """Yield where, for whom and what changed in few words, and what is kept; those of a line together."""
    alike: dict[tuple[int, Path, str], tuple[Place, list[RbacSubject]]] = {}
    for holder, scopes in found.items():
        if place := _find_first_place(holder, scopes, cause):
            what, rest = (_format_grants(some, holder) for some in (scopes, (kept or {}).get(holder, [])))
            what += f"; kept: {rest}" if rest else ""
            alike.setdefault((id(place[0].body), place[1], what), (place, []))[1].append(holder)
    for (*_, what), (place, some) in alike.items():
        people = [shorten_text(each) for each in some if each.kind not in ROLES]
        roles = [
            shorten_text(each)
            for each in some
            if each.kind in ROLES and each != RbacSubject(*role_name_of(place[0]))
        ]
        people += [f"whoever has the {join_words(roles, most=MOST_PEOPLE)}"] if roles else []
        whom = f" to {join_words(people, last='and', most=MOST_PEOPLE)}" if people else ""
        yield place, whom, what


def _format_grants(scopes: Grants, holder: RbacSubject) -> str:
    said = [_format_scope_grants(*each, holder) for each in scopes]
    more = f" and in {len(said) - MOST_PLACES} more" if len(said) > MOST_PLACES else ""
    return " and ".join(said[:MOST_PLACES]) + more


def _find_first_place(holder: RbacSubject, scopes: Grants, cause: Cause) -> Place | None:
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


def _format_scope_grants(where: str | None, grants: Sequence[RoleGrant], holder: RbacSubject) -> str:
    """Write permissions in few words, and where they count."""
    said = [
        f"{group}{'/' * bool(group)}{_format_resources(resources)} ({words})"
        for (group, words), resources in group_permissions(each.one for each in grants).items()
    ]
    return join_words(said, last="and", most=MOST) + (
        "" if holder.kind in ROLES else f" {_format_namespace(where)}"
    )


def group_permissions(ones: Iterable[SinglePermission]) -> dict[tuple[str, str], list[str]]:
    """Return the resources and URLs of permissions by their group and their verbs in words."""
    verbs = group_pairs((each._replace(verb=""), each.verb) for each in ones)
    parts = (
        (one, ("", "", one.url) if one.url else one.resource_key.partition("/")) for one in sorted(verbs)
    )
    return group_pairs(((group, format_verbs(verbs[one])), resource) for one, (group, _, resource) in parts)


def _format_resources(resources: Sequence[str]) -> str:
    more = f",… {len(resources) - MOST_RESOURCES} more" if len(resources) > MOST_RESOURCES else ""
    return ",".join(map(shorten_text, resources[:MOST_RESOURCES])) + more


def _format_namespace(where: str | None) -> str:
    return (
        "in the whole cluster"
        if where is None
        else f"in {shorten_text(where)}"
        if where
        else "in its namespace"
    )


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

    def find_kept_grants(self, change: AccessChange) -> Grants:
        """Return what somebody keeps of what he lost: for objects by their names, or in one namespace."""
        found: dict[str | None, dict[SinglePermission, RoleGrant]] = {}
        for held, permit in self._find_narrower_rules(change):
            for each in change.lost[:LOOKED_AT]:
                for name in permit.names[:LOOKED_AT] or ("",):
                    one = each.one._replace(name=name)
                    if not each.one.name and not one.url and permit.allows(one):
                        where = held.where if held else None
                        role = self.access[1].get_role(held.role if held else each.role.id)
                        found.setdefault(where, {})[one] = RoleGrant(one, role, permit, held)
        return [(where, tuple(some.values())) for where, some in found.items()]

    def _find_narrower_rules(self, change: AccessChange) -> Iterator[tuple[BoundRole | None, Permit]]:
        """Yield the rules that somebody has now, for objects by name or for less than the place of a loss."""
        who, access = change.holder, self.access[1]
        if who.kind in ROLES:
            yield from (
                (None, each) for each in access.rules_of((who.kind, who.namespace, who.name)) if each.names
            )
        for held in access.roles_of(who) if who.kind not in ROLES else ():
            inside = change.where is None and held.where is not None
            if inside or held.where in (None, change.where):
                yield from (
                    (held, each) for each in access.rules_of(held.role)[:LOOKED_AT] if each.names or inside
                )


def compare_permissions(
    before: Sequence[Manifest], now: Sequence[Manifest], matched: ObjectMatches, groups: Groups
) -> ComparedAccess:
    """Hold what everybody may do against what he could."""
    old, new = Access(before), Access(now)
    moves = _collect_renames(matched, groups)
    runs = _bind_pod_accounts(matched, old, new, moves)
    causes = Causes(matched.pairs, old, new, moves)
    return ComparedAccess(
        changes=compare_access(old, new, moves),
        of_loss=lambda grant, who: runs.get(who) or causes.of_loss(grant, who),
        of_gain=lambda grant, who: runs.get(who) or causes.of_gain(grant, who),
        gone=frozenset({moves.rename_subject(_to_subject(each)) for each in matched.gone} - {*new.held}),
        came=frozenset(
            {_to_subject(each) for each in matched.added} - {*map(moves.rename_subject, old.held)}
        ),
        access=(old, new),
        moves=moves,
        running=frozenset(
            RbacSubject(ACCOUNT, pod.namespace, pod.service_account)
            for each in now
            for _, pod in list_named_pods(each.body)
        ),
    )


def is_access_unchanged(before: Sequence[Manifest], now: Sequence[Manifest], matched: ObjectMatches) -> bool:
    """Return whether nothing that grants is different, nor what anybody is called whom it may be about."""
    return (
        is_same_state(*([each for each in side if each.id.kind in GRANTING] for side in (before, now)))
        and all(old.id == new.id for old, new in matched.pairs)
        and not any(
            _find_pod_account(old, path) != _find_pod_account(new, path)
            for old, new in matched.pairs
            if (path := TEMPLATES.get((new.id.group, new.id.kind))) and old.body != new.body
        )
    )


def check_permissions(
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
    found = compare_permissions(before, now, matched, groups)

    def meant(grants: Iterable[RoleGrant]) -> tuple[RoleGrant, ...]:
        return tuple(grant for grant in grants if about(grant.one))

    # What is gone or new as a whole is told as such.
    less = [each for each in found.changes.changes if meant(each.lost) and each.holder not in found.gone]
    more = [each for each in found.changes.changes if meant(each.gained) and each.holder not in found.came]
    lost = group_pairs((each.holder, (each.where, meant(each.lost))) for each in less)
    kept = group_pairs((each.holder, some) for each in less for some in found.find_kept_grants(each))
    gained = group_pairs((each.holder, (each.where, meant(each.gained))) for each in more)
    yield from (
        (manifest, UPGRADE_PERMISSION_LOST(f"found no longer granted{whom}: {what}", path))
        for (manifest, path), whom, what in group_by_cause(lost, found.of_loss, kept)
    )
    yield from (
        (manifest, UPGRADE_PERMISSION_GAINED(f"found granted{whom} and not before: {what}", path))
        for (manifest, path), whom, what in group_by_cause(gained, found.of_gain)
    )
    if not found.changes.complete:
        message = "comparing the permissions takes too many steps, and the rest was not looked at"
        yield now[0], make_problem("effort-limit", message, hint="compare fewer objects at a time")


def _bind_pod_accounts(
    matched: ObjectMatches, old: Access, new: Access, moves: RenamedSubjects
) -> dict[RbacSubject, Place]:
    """Let those whose pods run as another account than before have what it has; return where they say so."""
    found: dict[RbacSubject, Place] = {}
    here = {*(_to_subject(each) for _, each in matched.pairs), *map(_to_subject, matched.added), *new.held}
    for was, now in matched.pairs:
        if (path := TEMPLATES.get((now.id.group, now.id.kind))) is None or was.body == now.body:
            continue
        account, other = (_find_pod_account(each, path) for each in (was, now))
        # Of an account that is not here nobody knows what it has; the default one has nothing.
        if moves.rename_subject(account) != other and (other in here or other.name == DEFAULT):
            somebody = _to_subject(now)
            old.copy_bindings(somebody, account)
            new.copy_bindings(somebody, other)
            found[somebody] = (now, find_existing_prefix(now.body, (*path, "spec", "serviceAccountName")))
    return found


def _find_pod_account(manifest: Manifest, path: Path) -> RbacSubject:
    pod = pod_at(manifest, path)
    return RbacSubject(ACCOUNT, manifest.id.namespace, pod.service_account if pod else DEFAULT)


def _to_subject(manifest: Manifest) -> RbacSubject:
    """Return whom bindings can name by an object; of another kind, nobody has its name."""
    return RbacSubject(manifest.id.kind, manifest.id.namespace, manifest.id.name)


def _collect_renames(matched: ObjectMatches, groups: Groups) -> RenamedSubjects:
    """Return what the names of before became."""
    heirs = group_pairs((was, now) for (was, _), now in groups.items())
    pairs = [((new.id.group, new.id.kind), old, new) for old, new in matched.pairs]
    spaces = group_pairs(
        (old.id.namespace, new.id.namespace) for kind, old, new in pairs if is_namespaced(*kind)
    )
    return RenamedSubjects(
        groups={was: frozenset(some) for was, some in heirs.items()},
        namespaces={was: some[0] for was, some in spaces.items() if len({*some}) == 1},
        holders={_to_subject(old): _to_subject(new) for kind, old, new in pairs if kind == ("", ACCOUNT)},
        roles={role_name_of(old): role_name_of(new) for kind, old, new in pairs if kind in GRANTED},
    )
