"""Family of bindings: cluster roles for groups of users."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.compile.context import Context
from kitgen.compile.family import Family, Objects
from kitgen.compile.layers import fold, source
from kitgen.compile.rbac import role_binding
from kitgen.findings import Finding, near
from kitgen.objects import RBAC, Manifest
from kitgen.schema.rules import REFERENCE_MISSING


def bindings(context: Context) -> Iterator[Manifest]:
    """Bind cluster roles to groups of users."""
    for item in context.part["bindings"]:
        folded = fold(item.layers)
        subjects = [{"apiGroup": RBAC, "kind": "Group", "name": group} for group in folded.data["groups"]]
        to = "ClusterRole", context.name(folded.data["role"])
        body = role_binding("ClusterRoleBinding", context.name(item.name), to, subjects)
        yield Manifest(body=body, sources=(source(folded.touches[0], (), "bindings"),))


def unknown_roles(context: Context, objects: Objects) -> Iterator[Finding]:
    """Yield a finding for every binding to a cluster role that the component does not make.

    Without a prefix it may be one that every cluster has, such as `view`. A base may leave roles to features.
    """
    known = [each.id.name for each in objects.patched if each.id.kind == "ClusterRole"]
    for item in context.part["bindings"] if context.component.prefix and context.target else ():
        folded = fold(item.layers)
        role = folded.data["role"]
        if context.name(role) not in known:
            message = f"found no cluster role {context.name(role)!r}"
            hint = near(role, [name.removeprefix(context.component.prefix) for name in known])
            at = folded.exact(("role",)).origin
            yield REFERENCE_MISSING(message, hint=hint).at(at)


FAMILY = Family(key="bindings", objects=bindings, problems=unknown_roles)
