"""Write permissions per subject and namespace as a JSON document and as tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

from msgspec import Struct

from kitgen.kube.rbac.access import CLUSTER_ROLE
from kitgen.kube.rbac.rules import shorten_verbs
from kitgen.kube.rbac.subjects import WHOLE_ROLES, SubjectAccess
from kitgen.report.documents import ResultDocument
from kitgen.report.table import render_table
from kitgen.text.wording import escape_unprintable

LONGEST = 300
HEAD = ("where", "verbs", "on", "role")


class HolderPermission(Struct, frozen=True, kw_only=True):
    """What somebody may do."""

    scope: Literal["cluster", "namespace", "bound"]
    """Where it counts: everywhere, in a namespace, or where the role that the holder stands for is bound."""
    namespace: str | None
    """The namespace, if it counts in one that is said."""
    grants: Literal["listed", "kubernetes", "unknown"]
    """Whether the rest says what is permitted; else it is all that a role of Kubernetes' own grants, or a
    role that is not here."""
    group: str | None = None
    """The API group; the core group is empty, and URLs have none."""
    resources: tuple[str, ...] = ()
    """Resources of the group."""
    names: tuple[str, ...] = ()
    """The objects that it is for; empty for all."""
    urls: tuple[str, ...] = ()
    """URLs, where it is for those."""
    verbs: tuple[str, ...] = ()
    """Every verb."""
    roles: tuple[str, ...]
    """The roles that grant it."""
    through: str | None
    """The group that the holder has it by."""


class PermissionHolder(Struct, frozen=True, kw_only=True):
    """Somebody who gets a permission, or whose pods run."""

    kind: str
    """ServiceAccount, User or Group; a ClusterRole stands for whoever has that role of Kubernetes' own."""
    namespace: str | None
    """Of a service account, if it is said."""
    name: str
    """What bindings call it."""
    runs: tuple[str, ...]
    """Objects whose pods run as this account."""
    permissions: tuple[HolderPermission, ...]
    """What it may do, folded."""


class Permissions(ResultDocument, frozen=True, kw_only=True, tag="kitgen/permissions/v1"):
    """Who can do what where: kitgen rbac."""

    holders: tuple[PermissionHolder, ...]
    """Everybody who gets a permission, and the accounts of pods."""


def build_permissions(people: Iterable[SubjectAccess]) -> Permissions:
    """Return what people may do, as it is reported."""
    return Permissions(
        holders=tuple(
            PermissionHolder(
                kind=each.holder.kind,
                namespace=each.holder.namespace or None,
                name=each.holder.name,
                runs=each.runs,
                permissions=tuple(_build_permissions(each)),
            )
            for each in people
        )
    )


def _build_permissions(person: SubjectAccess) -> Iterator[HolderPermission]:
    def scope(namespace: str | None) -> Literal["cluster", "namespace", "bound"]:
        return "bound" if person.is_aggregate else "cluster" if namespace is None else "namespace"

    for each in person.wholes:
        yield HolderPermission(
            scope=scope(each.where),
            namespace=each.where or None,
            grants=each.grants,
            roles=(each.role,),
            through=each.through or None,
        )
    for line in person.lines:
        yield HolderPermission(
            scope=scope(line.where),
            namespace=line.where or None,
            grants="listed",
            group=None if line.urls else line.group,
            resources=line.resources,
            names=line.names,
            urls=line.urls,
            verbs=line.verbs,
            roles=line.roles,
            through=line.through or None,
        )


def render_tables(found: Permissions, *, width: int, colour: bool) -> str:
    """Write a table for each holder; several that stand for Kubernetes' own roles share one if they can."""
    alike: dict[tuple[object, ...], list[PermissionHolder]] = {}
    for each in found.holders:
        own = () if each.kind == CLUSTER_ROLE else (each.namespace, each.name)
        alike.setdefault((*map(tuple, _format_rows(each)), each.kind, *own), []).append(each)
    return "\n".join(
        render_table(_format_title(same), HEAD, _format_rows(same[0]), width=width, colour=colour)
        for same in alike.values()
    )


def _format_title(holders: list[PermissionHolder]) -> str:
    first = holders[0]
    if first.kind == CLUSTER_ROLE:
        return escape_unprintable(f"Whoever has Kubernetes' own {' or '.join(each.name for each in holders)}")
    name = f"{first.namespace}/{first.name}" if first.namespace else first.name
    runs = f", runs {', '.join(first.runs)}" if first.runs else ""
    return escape_unprintable(f"{first.kind} {name}{runs}")


def _format_rows(holder: PermissionHolder) -> list[list[str]]:
    rows: list[list[str]] = []
    alike: dict[tuple[str, str, str], list[str]] = {}
    for each in holder.permissions:
        names = f" [{_join_names(each.names)}]" if each.names else ""
        group = "" if each.urls else f"{each.group or 'core'}/"
        where = {"cluster": "cluster", "bound": "where bound"}.get(
            each.scope, each.namespace or "its namespace"
        )
        role = ", ".join(each.roles) + (f" by {each.through}" if each.through else "")
        if each.grants in WHOLE_ROLES:
            rows.append([where, "-", WHOLE_ROLES[each.grants], role])
        else:
            told = f"{group}{_join_names(each.urls or each.resources)}{names}"
            alike.setdefault((where, " ".join(shorten_verbs(each.verbs)), role), []).append(told)
    rows += [[where, verbs, "; ".join(what), role] for (where, verbs, role), what in alike.items()]
    return rows or [["-", "-", "nothing", "-"]]


def _join_names(words: tuple[str, ...]) -> str:
    """Write names in a row; one that is far too long loses its tail."""
    return ", ".join(each if len(each) <= LONGEST else f"{each[:LONGEST]}…" for each in words)
