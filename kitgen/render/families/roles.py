"""Families of permissions: roles in the spec shorthand, their bindings, and leader election."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.findings import Finding, problem
from kitgen.kit.model import SectionItem
from kitgen.kube.identity import RBAC
from kitgen.kube.manifest import FieldSource, Manifest
from kitgen.kube.rbac.rules import permission
from kitgen.render.context import RenderContext
from kitgen.render.families.role_binding import (
    NONE,
    OPERATOR,
    known_accounts,
    role_binding,
    subject,
    subject_sources,
    unbound,
    unknown_account,
)
from kitgen.render.family import Family, Objects
from kitgen.render.labels import metadata
from kitgen.render.layers import LayerTouch, default, fold, source
from kitgen.text.yaml import JsonObject


def roles(context: RenderContext) -> Iterator[Manifest]:
    """Make each role and its binding to a service account."""
    for item in context.part["roles"]:
        folded = fold(item.layers)
        data = folded.data
        scope = "" if data.get("namespaced") else "Cluster"
        name = context.name(item.name)
        meta, said_of_it = metadata(name, folded, "roles")
        rules, sources = _rules(item)
        body = {"apiVersion": f"{RBAC}/v1", "kind": f"{scope}Role", "metadata": meta, "rules": rules}
        whole = source(folded.touches[0], (), "roles")
        yield Manifest(body=body, sources=(whole, *said_of_it, *sources))
        if (account := data.get("bind", OPERATOR)) != NONE:
            bound = context.name(data.get("binding") or f"{item.name}binding")
            meta, said_of_it = metadata(bound, folded, "roles", {"labels": ("bindingLabels",)})
            subjects = [subject(context, account)]
            body = role_binding(f"{scope}RoleBinding", meta, (f"{scope}Role", name), subjects)
            whom = subject_sources(context, account, folded.exact(("bind",)), ("subjects", 0), "roles")
            yield Manifest(body=body, sources=(whole, *said_of_it, *whom))


def problems(context: RenderContext, _: Objects) -> Iterator[Finding]:
    """Yield a finding for roles of nobody, and for URLs in a role of one namespace: they are refused."""
    yield from unbound(context, "roles")
    accounts = known_accounts(context)
    for item in context.part["roles"]:
        whole = fold(item.layers)
        bound, at = whole.data.get("bind", OPERATOR), whole.exact(("bind",)).origin
        yield from unknown_account(context, bound, at, accounts)
        for layer in item.layers if whole.data.get("namespaced") else ():
            for key in layer.data.get("permissions", {}):
                if key.startswith("/"):
                    yield problem(
                        "role-url",
                        f"found the URL {key!r} in a namespaced role, expected resources only",
                        hint="put it into a role that is not namespaced",
                    ).at(layer.origin.at("permissions", key))


def _rules(item: SectionItem) -> tuple[list[JsonObject], list[FieldSource]]:
    """Make one rule a line, feature after feature: what a feature adds stays apart in a diff."""
    rules: list[JsonObject] = []
    sources: list[FieldSource] = []
    for layer in item.layers:
        for key, verbs in layer.data.get("permissions", {}).items():
            sources.append(
                source(LayerTouch((), layer, ("permissions", key)), ("rules", len(rules)), "roles")
            )
            rules.append(permission(key, verbs))
    return rules, sources


FAMILY = Family(objects=roles, alone=True, problems=problems)

ELECTION = "client-go keeps the lease, tells of it in events, and older versions use a ConfigMap"
EVERYTHING = ("get", "list", "watch", "create", "update", "patch", "delete")


def rules() -> list[JsonObject]:
    """Return what the Role grants."""
    return [
        {"apiGroups": [""], "resources": ["configmaps"], "verbs": list(EVERYTHING)},
        {"apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "verbs": list(EVERYTHING)},
        {"apiGroups": [""], "resources": ["events"], "verbs": ["create", "patch"]},
    ]


def leader_election(context: RenderContext) -> Iterator[Manifest]:
    """Make the Role with which replicas agree on a leader, and bind it to the operator."""
    for item in context.part["leaderElection"]:
        touch, name = LayerTouch((), item.layers[-1], ()), context.name(item.name)
        made = source(touch, (), "leaderElection")
        body = {"apiVersion": f"{RBAC}/v1", "kind": "Role", "metadata": {"name": name}, "rules": rules()}
        yield Manifest(body=body, sources=(made, default(touch, ("rules",), "leaderElection", ELECTION)))
        subjects = [{"kind": "ServiceAccount", "name": context.account}]
        yield Manifest(
            body=role_binding("RoleBinding", {"name": f"{name}binding"}, ("Role", name), subjects),
            sources=(made, *context.account_sources(("subjects", 0))),
        )


ELECTIONS = Family(
    objects=leader_election,
    problems=lambda context, _: unbound(context, "leaderElection"),
)
