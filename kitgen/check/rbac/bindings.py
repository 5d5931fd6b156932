"""Check bindings: those that grant too much or too widely, and roles that nobody is able to grant."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from posixpath import dirname

from kitgen.findings import Problem, problem, rule
from kitgen.kube.identity import RBAC
from kitgen.kube.manifest import Manifest
from kitgen.kube.rbac.access import (
    ACCOUNTS,
    ANONYMOUS,
    AUTHENTICATED,
    CLUSTER_ROLE,
    GROUP,
    UNAUTHENTICATED,
    USER,
    Access,
    BoundRole,
    Holder,
    RbacRole,
    RoleName,
)
from kitgen.kube.rbac.default_roles import ADMIN, FOR_EVERYBODY
from kitgen.kube.rbac.rules import ALL, One, Permit, lacking
from kitgen.text.wording import choice, cut

EVERYBODY = rule("binding-everybody")
EVERYBODY_ADMIN = rule("binding-everybody-admin")
ALL_OF_THEM = frozenset(
    (
        Holder(GROUP, "", AUTHENTICATED),
        Holder(GROUP, "", UNAUTHENTICATED),
        Holder(GROUP, "", ACCOUNTS),
        Holder(USER, "", ANONYMOUS),
        Holder(GROUP, "", "system:authenticated:oauth"),
    )
)


def problems(access: Access) -> Iterator[tuple[Manifest, Problem]]:
    """Yield what is wrong with bindings, one problem each."""
    wide: dict[int, list[BoundRole]] = {}
    given: dict[int, list[BoundRole]] = {}
    for some in access.held.values():
        for each in some:
            if each.holder in ALL_OF_THEM and each.role[2] not in FOR_EVERYBODY:
                wide.setdefault(id(each.binding), []).append(each)
            elif each.role == (CLUSTER_ROLE, "", ADMIN):
                given.setdefault(id(each.binding), []).append(each)
    yield from (_everybody(access, held) for held in wide.values())
    for held in given.values():
        whom = choice([cut(str(each.holder))[1:-1] for each in held], last="and")
        message = f"found {ADMIN} for {whom}{_where(held[0])}"
        yield (
            held[0].binding,
            problem("binding-cluster-admin", message, ("roleRef", "name"), "name what is needed in a role"),
        )


def _everybody(access: Access, held: list[BoundRole]) -> tuple[Manifest, Problem]:
    first = held[0]
    role = cut(first.role[2])[1:-1]
    whom = choice([cut(each.holder.name)[1:-1] for each in held], last="and")
    rule = EVERYBODY_ADMIN if first.where is None and _is_all(access, first.role) else EVERYBODY
    message = f"found {whom} with the role {role}{_where(first)}, expected those who need it"
    hint = "every account and pod of the cluster has it then"
    if any(each.holder.name in (ANONYMOUS, UNAUTHENTICATED) for each in held):
        hint = "whoever reaches the API server has it then, without a login"
    return first.binding, rule(message, first.at, hint)


def _is_all(access: Access, role: RoleName) -> bool:
    """Return whether a role grants everything."""
    return any(
        ALL in each.verbs and ALL in each.groups and ALL in each.resources and not each.names
        for each in access.permits(role)
    )


def _where(held: BoundRole) -> str:
    return " in the whole cluster" if held.where is None else " in a namespace"


BINDINGS = ("rolebindings", "clusterrolebindings")
WRITES = ("create", "update", "patch")
AGGREGATED = "/aggregate-to-"
PEOPLE = frozenset(
    ("admin", "admins", "edit", "editor", "editors", "reader", "user", "users", "view", "viewer", "viewers")
)
"""How the names of roles end that people are given."""
ROLE = frozenset(("", "role", "clusterrole"))
WORD = re.compile(r"[^a-z0-9]+")
MANY = 200
"""Of how many roles in a folder it is worth to ask."""


def author_problems(
    accounts: Sequence[Holder], access: Access, into: Mapping[RoleName, Sequence[RoleName]]
) -> Iterator[tuple[Manifest, Problem]]:
    """Yield the roles that operators could be meant to give, and may not."""
    authors: dict[str, list[tuple[Holder, list[Permit]]]] = {}
    for account in accounts:
        permits = [permit for held in access.of(account) for permit in access.permits(held.role)]
        if any(_writes(permits, each) for each in BINDINGS):
            for home in {_home(held.binding) for held in access.held[account]}:
                authors.setdefault(home, []).append((account, permits))
    named = {name for _, _, name in access.holders}  # if in another place, that is what is wrong
    free = (
        role
        for role in (access.roles.values() if authors else ())
        if role.manifest and role.name not in named and role.id not in into
        if _is_for_objects(role) and not _is_for_users(role)
    )
    for role in islice(free, MANY):
        near = authors.get(_home(role.manifest), []) if role.manifest else []
        # Only what is in its namespace binds a Role.
        able = [each for each in near if role.kind != "Role" or _writes(each[1], "rolebindings")]
        if role.manifest and able:
            yield from _beyond(role, role.manifest, able, access)


def _home(manifest: Manifest) -> str:
    """Return the folder that an object comes from: what stands in one belongs together."""
    return dirname(manifest.origin(()).file)


def _is_for_objects(role: RbacRole) -> bool:
    """Return whether a role is about objects at all; those for metrics are granted to their readers."""
    return role.selectors is not None or any(not permit.urls for permit in role.permits)


def _is_for_users(role: RbacRole) -> bool:
    """Return whether a role is for people: part of another one that is not here, or called as theirs are."""
    words = [WORD.split(each.lower()) for each in (role.name, *role.labels, *map(str, role.labels.values()))]
    return any(AGGREGATED in key for key in role.labels) or any(
        next((word for word in reversed(each) if word not in ROLE), "") in PEOPLE for each in words
    )


def _writes(permits: Sequence[Permit], bindings: str) -> bool:
    return any(_may(permits, One(verb, RBAC, bindings)) for verb in WRITES)


def _may(permits: Sequence[Permit], one: One) -> bool:
    return any(each.allows(one) for each in permits)


def _beyond(
    role: RbacRole, manifest: Manifest, authors: Sequence[tuple[Holder, list[Permit]]], access: Access
) -> Iterator[tuple[Manifest, Problem]]:
    """Yield what no author holds of a role; if one holds all or may bind it, that is the one."""
    bound = One("bind", RBAC, f"{role.kind.lower()}s", role.name)
    least: tuple[Holder, list[tuple[Permit, list[One]]]] | None = None
    for account, permits in authors:
        if _may(permits, bound):
            return
        missing = [(each, some) for each in access.permits(role.id) if (some := lacking(each, permits))]
        if not missing:
            return
        if least is None or len(missing) < len(least[1]):
            least = account, missing
    if least:
        account, missing = least
        permit, some = missing[0]
        told = [f"{one.verb} {cut(one.what)[1:-1]}" for _, some in missing for one in some]
        who = cut(account.name)[1:-1]
        message = (
            f"found permission to {choice(told, most=4, last='and')}, which {who} may not give: it writes "
            "bindings and does not hold that itself"
        )
        at = () if role.selectors is not None else _place(permit, some[0])
        hint = f"if it is to give this role, grant it the same, or the verb bind on {cut(role.name)[1:-1]}"
        yield manifest, problem("role-beyond-author", message, at, hint)


def _place(permit: Permit, one: One) -> tuple[str | int, ...]:
    """Return where a rule says what is missing: the verb if the resource is not."""
    for key, have, wanted in (
        ("resources", permit.resources, one.resource),
        ("nonResourceURLs", permit.urls, one.url),
    ):
        if wanted and wanted in have:
            return (*permit.path, key, [*have].index(wanted))
    return permit.path
