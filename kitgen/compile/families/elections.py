"""Family of the usual leader election role."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.compile.context import Context
from kitgen.compile.family import Family
from kitgen.compile.layers import Touch, default, source
from kitgen.compile.rbac import role_binding, unbound
from kitgen.objects import RBAC, Manifest
from kitgen.yamlio import JsonObject

ELECTION = "client-go keeps the lease, tells of it in events, and older versions use a ConfigMap"
EVERYTHING = ("get", "list", "watch", "create", "update", "patch", "delete")


def rules() -> list[JsonObject]:
    """Return what the Role grants."""
    return [
        {"apiGroups": [""], "resources": ["configmaps"], "verbs": list(EVERYTHING)},
        {"apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "verbs": list(EVERYTHING)},
        {"apiGroups": [""], "resources": ["events"], "verbs": ["create", "patch"]},
    ]


def leader_election(context: Context) -> Iterator[Manifest]:
    """Make the Role with which replicas agree on a leader, and bind it to the operator."""
    for item in context.part["leaderElection"]:
        touch = Touch((), item.layers[-1], ())
        made = source(touch, (), "leaderElection")
        name = context.name(item.name)
        body = {"apiVersion": f"{RBAC}/v1", "kind": "Role", "metadata": {"name": name}, "rules": rules()}
        yield Manifest(body=body, sources=(made, default(touch, ("rules",), "leaderElection", ELECTION)))
        subject = {"kind": "ServiceAccount", "name": context.account}
        binding = role_binding("RoleBinding", {"name": f"{name}binding"}, ("Role", name), [subject])
        yield Manifest(body=binding, sources=(made, *context.account_sources(("subjects", 0))))


FAMILY = Family(
    key="leaderElection",
    objects=leader_election,
    problems=lambda context, _: unbound(context, "leaderElection"),
)
