"""Families of the operator's identity: its service account and the usual leader election role."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.compile.context import Context
from kitgen.compile.layers import Touch, default, source
from kitgen.objects import Manifest

RBAC = "rbac.authorization.k8s.io"
ELECTION = "client-go keeps the lease, tells of it in events, and older versions use a ConfigMap"
EVERYTHING = ("get", "list", "watch", "create", "update", "patch", "delete")


def service_account(context: Context) -> Iterator[Manifest]:
    """Make the operator's ServiceAccount."""
    for item in context.part.account:
        body = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": context.name(item.name)}}
        yield Manifest(body=body, sources=tuple(context.account_sources(())))


def leader_election(context: Context) -> Iterator[Manifest]:
    """Make the Role with which replicas agree on a leader, and bind it to the operator."""
    for item in context.part.election:
        touch = Touch((), item.layers[-1], ())
        made = source(touch, (), "leaderElection")
        name = context.name(item.name)
        rules = [
            {"apiGroups": [""], "resources": ["configmaps"], "verbs": list(EVERYTHING)},
            {"apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "verbs": list(EVERYTHING)},
            {"apiGroups": [""], "resources": ["events"], "verbs": ["create", "patch"]},
        ]
        head = {"apiVersion": f"{RBAC}/v1"}
        yield Manifest(
            body={**head, "kind": "Role", "metadata": {"name": name}, "rules": rules},
            sources=(made, default(touch, ("rules",), "leaderElection", ELECTION)),
        )
        binding = {
            **head,
            "kind": "RoleBinding",
            "metadata": {"name": f"{name}binding"},
            "roleRef": {"apiGroup": RBAC, "kind": "Role", "name": name},
            "subjects": [{"kind": "ServiceAccount", "name": context.account}],
        }
        yield Manifest(body=binding, sources=(made, *context.account_sources(("subjects", 0))))
