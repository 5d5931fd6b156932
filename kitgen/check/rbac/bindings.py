"""Check bindings that grant too much or too widely."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.findings import Problem, get_rule, make_problem
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
    RbacSubject,
)
from kitgen.kube.rbac.default_roles import ADMIN, FOR_EVERYBODY
from kitgen.kube.rbac.rules import ALL
from kitgen.text.wording import join_words, quote_text

EVERYBODY = get_rule("binding-everybody")
EVERYBODY_ADMIN = get_rule("binding-everybody-admin")
ALL_OF_THEM = frozenset(
    (
        RbacSubject(GROUP, "", AUTHENTICATED),
        RbacSubject(GROUP, "", UNAUTHENTICATED),
        RbacSubject(GROUP, "", ACCOUNTS),
        RbacSubject(USER, "", ANONYMOUS),
        RbacSubject(GROUP, "", "system:authenticated:oauth"),
    )
)


def check_bindings(access: Access) -> Iterator[tuple[Manifest, Problem]]:
    """Yield what is wrong with bindings, one problem each."""
    wide: dict[int, list[BoundRole]] = {}
    given: dict[int, list[BoundRole]] = {}
    for some in access.held.values():
        for each in some:
            if each.holder in ALL_OF_THEM and each.role[2] not in FOR_EVERYBODY:
                wide.setdefault(id(each.binding), []).append(each)
            elif each.role == (CLUSTER_ROLE, "", ADMIN):
                given.setdefault(id(each.binding), []).append(each)
    yield from (_report_public_binding(access, held) for held in wide.values())
    for held in given.values():
        whom = join_words([quote_text(str(each.holder))[1:-1] for each in held], last="and")
        message = f"found {ADMIN} for {whom}{_describe_scope(held[0])}"
        yield (
            held[0].binding,
            make_problem(
                "binding-cluster-admin", message, ("roleRef", "name"), "name what is needed in a role"
            ),
        )


def _report_public_binding(access: Access, held: list[BoundRole]) -> tuple[Manifest, Problem]:
    first = held[0]
    role = quote_text(first.role[2])[1:-1]
    whom = join_words([quote_text(each.holder.name)[1:-1] for each in held], last="and")
    grants_all = any(
        ALL in each.verbs and ALL in each.groups and ALL in each.resources and not each.names
        for each in access.rules_of(first.role)
    )
    rule = EVERYBODY_ADMIN if first.where is None and grants_all else EVERYBODY
    message = f"found {whom} with the role {role}{_describe_scope(first)}, expected those who need it"
    hint = "every account and pod of the cluster has it then"
    if any(each.holder.name in (ANONYMOUS, UNAUTHENTICATED) for each in held):
        hint = "whoever reaches the API server has it then, without a login"
    return first.binding, rule(message, first.at, hint)


def _describe_scope(held: BoundRole) -> str:
    return " in the whole cluster" if held.where is None else " in a namespace"
