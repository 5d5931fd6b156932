"""Roles that are there to be given, and nobody who gives roles may give them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from posixpath import dirname

from kitgen.findings import Chapter, Problem, Rule, Severity
from kitgen.objects import RBAC, Manifest
from kitgen.objects.rbac.access import Access, Holder, Role, RoleName
from kitgen.objects.rbac.rules import One, Permit, lacking
from kitgen.schema.wording import choice, cut

BEYOND = Rule(
    id="role-beyond-author",
    chapter=Chapter.PERMISSION,
    checks=(
        "Where an operator writes bindings, it holds itself what the roles beside it grant that nobody has "
        "yet, or may bind them. Roles for people, such as those of editors and viewers, do not count."
    ),
    fix="Grant the operator the same, or the verb bind on this role, by its name in resourceNames.",
    why=(
        "The API server lets nobody bind a role that grants more than he holds himself, nor write one: an "
        "operator that gives roles to what it manages needs all of their permissions, or the verbs bind and "
        "escalate. Else its request is refused, with a list of what is missing."
    ),
    severity=Severity.WARNING,
    exceptable=True,
)
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


def problems(
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


def _is_for_objects(role: Role) -> bool:
    """Tell whether a role is about objects at all; those for the metrics of a pod are for who reads them."""
    return role.selectors is not None or any(not permit.urls for permit in role.permits)


def _is_for_users(role: Role) -> bool:
    """Tell whether a role is for people: part of another one that is not here, or called as theirs are."""
    words = [WORD.split(each.lower()) for each in (role.name, *role.labels, *map(str, role.labels.values()))]
    return any(AGGREGATED in key for key in role.labels) or any(
        next((word for word in reversed(each) if word not in ROLE), "") in PEOPLE for each in words
    )


def _writes(permits: Sequence[Permit], bindings: str) -> bool:
    return any(_may(permits, One(verb, RBAC, bindings)) for verb in WRITES)


def _may(permits: Sequence[Permit], one: One) -> bool:
    return any(each.allows(one) for each in permits)


def _beyond(
    role: Role, manifest: Manifest, authors: Sequence[tuple[Holder, list[Permit]]], access: Access
) -> Iterator[tuple[Manifest, Problem]]:
    """Yield what no author holds of a role; if one holds all or may bind it, that is the one."""
    bound = One("bind", RBAC, f"{role.kind.lower()}s", role.name)
    least: tuple[Holder, list[tuple[Permit, list[One]]]] | None = None
    for account, permits in authors:
        if _may(permits, bound):
            return
        wanted = access.permits(role.id)
        missing = [(each, some) for each in wanted if (some := lacking(each, permits))]
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
        yield manifest, BEYOND(message, at, hint)


def _place(permit: Permit, one: One) -> tuple[str | int, ...]:
    """Return where a rule says what is missing: the verb if the resource is not."""
    for key, have, wanted in (
        ("resources", permit.resources, one.resource),
        ("nonResourceURLs", permit.urls, one.url),
    ):
        if wanted and wanted in have:
            return (*permit.path, key, [*have].index(wanted))
    return permit.path
