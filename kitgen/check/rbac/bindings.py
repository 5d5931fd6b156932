"""Bindings that give too much, or to too many."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.findings import Chapter, Problem, Rule, Severity
from kitgen.objects import Manifest
from kitgen.objects.rbac.access import (
    ACCOUNTS,
    ANONYMOUS,
    AUTHENTICATED,
    CLUSTER_ROLE,
    GROUP,
    UNAUTHENTICATED,
    USER,
    Access,
    Held,
    Holder,
    RoleName,
)
from kitgen.objects.rbac.own import ADMIN, FOR_EVERYBODY
from kitgen.objects.rbac.rules import ALL
from kitgen.schema.wording import choice, cut

EVERYBODY = Rule(
    id="binding-everybody",
    chapter=Chapter.PERMISSION,
    checks=(
        "No binding is for system:authenticated, system:unauthenticated, system:anonymous or "
        "system:serviceaccounts, but for roles that Kubernetes gives to everybody itself."
    ),
    fix="Bind a group or an account that is meant.",
    why=(
        "system:authenticated is everybody with an account, each pod of each tenant included; "
        "system:unauthenticated and system:anonymous are whoever can reach the API server, perhaps from the "
        "internet. What they may do, a pod that was broken into may do as well."
    ),
    severity=Severity.WARNING,
    exceptable=True,
)
EVERYBODY_ADMIN = Rule(
    id="binding-everybody-admin",
    chapter=Chapter.PERMISSION,
    checks="Nobody makes everybody an administrator of the cluster.",
    fix="Bind a group or an account that is meant, and a role that grants what it needs.",
    why=(
        "With cluster-admin, or every verb for every resource, each pod and each visitor owns the cluster "
        "and all that is in it."
    ),
    exceptable=True,
)
CLUSTER_ADMIN = Rule(
    id="binding-cluster-admin",
    chapter=Chapter.PERMISSION,
    checks="No binding gives somebody the role cluster-admin.",
    fix="Make a role that grants what is needed.",
    why=(
        "cluster-admin may do everything, now and with all that is installed later. A fault in an operator "
        "that has it, or a token of it that leaks, is the end of the cluster."
    ),
    severity=Severity.WARNING,
    exceptable=True,
)
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
    wide: dict[int, list[Held]] = {}
    given: dict[int, list[Held]] = {}
    for some in access.held.values():
        for each in some:
            if each.holder in ALL_OF_THEM and each.role[2] not in FOR_EVERYBODY:
                wide.setdefault(id(each.binding), []).append(each)
            elif each.role == (CLUSTER_ROLE, "", ADMIN):
                given.setdefault(id(each.binding), []).append(each)
    for held in wide.values():
        yield _everybody(access, held)
    for held in given.values():
        whom = choice([cut(str(each.holder))[1:-1] for each in held], last="and")
        message = f"found {ADMIN} for {whom}{_where(held[0])}"
        yield held[0].binding, CLUSTER_ADMIN(message, ("roleRef", "name"), "name what is needed in a role")


def _everybody(access: Access, held: list[Held]) -> tuple[Manifest, Problem]:
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
    """Tell whether a role grants everything."""
    return any(
        ALL in each.verbs and ALL in each.groups and ALL in each.resources and not each.names
        for each in access.permits(role)
    )


def _where(held: Held) -> str:
    if held.where is None:
        return " in the whole cluster"
    return " in a namespace"
