"""Family of bindings: roles that are granted to groups of users and to ServiceAccounts."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.findings import Finding, suggest_word
from kitgen.kube.identity import RBAC
from kitgen.kube.manifest import Manifest
from kitgen.render.context import RenderContext
from kitgen.render.families.role_binding import (
    NONE,
    OPERATOR,
    build_role_binding,
    build_subject,
    build_subject_sources,
    check_account_reference,
    known_accounts,
)
from kitgen.render.family import Family, Objects
from kitgen.render.labels import build_metadata
from kitgen.render.layers import build_source, merge_layers
from kitgen.text.schema_errors import REFERENCE_MISSING


def build_bindings(context: RenderContext) -> Iterator[Manifest]:
    """Bind roles to groups of users and to service accounts."""
    inside = _namespaced_roles(context)
    for item in context.part["bindings"]:
        folded = merge_layers(item.layers)
        data = folded.data
        groups = [{"apiGroup": RBAC, "kind": "Group", "name": group} for group in data.get("groups", ())]
        accounts = data.get("serviceAccounts", [])
        subjects = [*groups, *(build_subject(context, each) for each in accounts)]
        scope = "" if data.get("namespaced") else "Cluster"
        to = _kind_of_role(data["role"], scope, inside), context.full_name(data["role"])
        meta, said_of_it = build_metadata(context.full_name(item.name), folded, "bindings")
        whom = (
            each
            for number, account in enumerate(accounts)
            for each in build_subject_sources(
                context,
                account,
                folded.touch_at(("serviceAccounts", number)),
                ("subjects", len(groups) + number),
                "bindings",
            )
        )
        yield Manifest(
            body=build_role_binding(f"{scope}RoleBinding", meta, to, subjects),
            sources=(build_source(folded.touches[0], (), "bindings"), *said_of_it, *whom),
        )


def _namespaced_roles(context: RenderContext) -> set[str]:
    """Return the names of the component's roles that are for one namespace, if it has bindings."""
    if not context.part["bindings"]:
        return set()
    own = (item.name for item in context.part["roles"] if merge_layers(item.layers).data.get("namespaced"))
    return {*own, *(item.name for item in context.part["leaderElection"])}


def _kind_of_role(name: str, scope: str, inside: set[str]) -> str:
    """Return what a binding leads to: a cluster role, unless it is for one namespace and the role is too."""
    return "Role" if not scope and name in inside else "ClusterRole"


def check_bindings(context: RenderContext, objects: Objects) -> Iterator[Finding]:
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
        folded = merge_layers(item.layers)
        for number, account in enumerate(folded.data.get("serviceAccounts", ())):
            at = folded.touch_at(("serviceAccounts", number)).origin
            yield from check_account_reference(context, account, at, accounts)
            if account == NONE or (account == OPERATOR and context.target and not context.account):
                yield REFERENCE_MISSING(
                    f"found no service account for {account!r}",
                    hint="remove it" if account == NONE else "name a serviceAccount",
                ).to_finding(at)
        role, scope = folded.data["role"], "" if folded.data.get("namespaced") else "Cluster"
        kind = _kind_of_role(role, scope, inside)
        if not (prefix and context.target) or (kind, context.full_name(role)) in known:
            continue
        yield REFERENCE_MISSING(
            f"found no {'cluster role' if scope else 'role'} {context.full_name(role)!r}",
            hint=suggest_word(role, everywhere if scope else [*everywhere, *here]),
        ).to_finding(folded.touch_at(("role",)).origin)


FAMILY = Family(
    objects=build_bindings,
    follows=("bindings", "roles", "leaderElection", "serviceAccount"),
    problems=check_bindings,
)
