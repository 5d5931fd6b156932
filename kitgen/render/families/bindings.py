"""Family of bindings: roles that are granted to groups of users and to ServiceAccounts."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.findings import Finding, near
from kitgen.kube.identity import RBAC
from kitgen.kube.manifest import Manifest
from kitgen.render.context import RenderContext
from kitgen.render.families.role_binding import (
    NONE,
    OPERATOR,
    known_accounts,
    role_binding,
    subject,
    subject_sources,
    unknown_account,
)
from kitgen.render.family import Family, Objects
from kitgen.render.labels import metadata
from kitgen.render.layers import fold, source
from kitgen.text.schema_errors import REFERENCE_MISSING


def bindings(context: RenderContext) -> Iterator[Manifest]:
    """Bind roles to groups of users and to service accounts."""
    inside = _namespaced_roles(context)
    for item in context.part["bindings"]:
        folded = fold(item.layers)
        data = folded.data
        groups = [{"apiGroup": RBAC, "kind": "Group", "name": group} for group in data.get("groups", ())]
        accounts = data.get("serviceAccounts", [])
        subjects = [*groups, *(subject(context, each) for each in accounts)]
        scope = "" if data.get("namespaced") else "Cluster"
        to = _kind_of_role(data["role"], scope, inside), context.name(data["role"])
        meta, said_of_it = metadata(context.name(item.name), folded, "bindings")
        whom = (
            each
            for number, account in enumerate(accounts)
            for each in subject_sources(
                context,
                account,
                folded.exact(("serviceAccounts", number)),
                ("subjects", len(groups) + number),
                "bindings",
            )
        )
        yield Manifest(
            body=role_binding(f"{scope}RoleBinding", meta, to, subjects),
            sources=(source(folded.touches[0], (), "bindings"), *said_of_it, *whom),
        )


def _namespaced_roles(context: RenderContext) -> set[str]:
    """Return the names of the component's roles that are for one namespace, if it has bindings."""
    if not context.part["bindings"]:
        return set()
    own = (item.name for item in context.part["roles"] if fold(item.layers).data.get("namespaced"))
    return {*own, *(item.name for item in context.part["leaderElection"])}


def _kind_of_role(name: str, scope: str, inside: set[str]) -> str:
    """Return what a binding leads to: a cluster role, unless it is for one namespace and the role is too."""
    return "Role" if not scope and name in inside else "ClusterRole"


def unknown_names(context: RenderContext, objects: Objects) -> Iterator[Finding]:
    """Yield a finding for every role that the component does not make, and for every such account.

    Without a prefix it may be one that every cluster has, such as `view`. A base may leave roles to features.
    """
    known = {(each.id.kind, each.id.name) for each in objects.patched}
    prefix, inside, accounts = context.component.prefix, _namespaced_roles(context), known_accounts(context)
    everywhere, here = (
        sorted(name.removeprefix(prefix) for kind, name in known if kind == wanted)
        for wanted in ("ClusterRole", "Role")
    )
    for item in context.part["bindings"]:
        folded = fold(item.layers)
        for number, account in enumerate(folded.data.get("serviceAccounts", ())):
            at = folded.exact(("serviceAccounts", number)).origin
            yield from unknown_account(context, account, at, accounts)
            if account == NONE or (account == OPERATOR and context.target and not context.account):
                yield REFERENCE_MISSING(
                    f"found no service account for {account!r}",
                    hint="remove it" if account == NONE else "name a serviceAccount",
                ).at(at)
        role, scope = folded.data["role"], "" if folded.data.get("namespaced") else "Cluster"
        kind = _kind_of_role(role, scope, inside)
        if not (prefix and context.target) or (kind, context.name(role)) in known:
            continue
        yield REFERENCE_MISSING(
            f"found no {'cluster role' if scope else 'role'} {context.name(role)!r}",
            hint=near(role, everywhere if scope else [*everywhere, *here]),
        ).at(folded.exact(("role",)).origin)


FAMILY = Family(objects=bindings, problems=unknown_names)
