"""Families of permissions: roles in the spec shorthand, their bindings, and leader election."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.findings import Finding, make_problem
from kitgen.kit.model import SectionItem
from kitgen.kube.identity import RBAC
from kitgen.kube.manifest import FieldSource, Manifest
from kitgen.kube.rbac.rules import parse_permission
from kitgen.render.context import RenderContext
from kitgen.render.families.role_binding import (
    NONE,
    OPERATOR,
    build_role_binding,
    build_subject,
    build_subject_sources,
    check_account_reference,
    check_operator_account,
    known_accounts,
)
from kitgen.render.family import Family, Objects
from kitgen.render.labels import build_metadata
from kitgen.render.layers import LayerTouch, build_default_source, build_source, merge_layers
from kitgen.text.yaml import JsonObject


def build_roles(context: RenderContext) -> Iterator[Manifest]:
    """Make each role and its binding to a service account."""
    for item in context.part["roles"]:
        folded = merge_layers(item.layers)
        data = folded.data
        scope = "" if data.get("namespaced") else "Cluster"
        name = context.full_name(item.name)
        meta, said_of_it = build_metadata(name, folded, "roles")
        rules, sources = _build_rules(item)
        body = {"apiVersion": f"{RBAC}/v1", "kind": f"{scope}Role", "metadata": meta, "rules": rules}
        whole = build_source(folded.touches[0], (), "roles")
        yield Manifest(body=body, sources=(whole, *said_of_it, *sources))
        if (account := data.get("bind", OPERATOR)) != NONE:
            bound = context.full_name(data.get("binding") or f"{item.name}binding")
            meta, said_of_it = build_metadata(bound, folded, "roles", {"labels": ("bindingLabels",)})
            subjects = [build_subject(context, account)]
            body = build_role_binding(f"{scope}RoleBinding", meta, (f"{scope}Role", name), subjects)
            whom = build_subject_sources(
                context, account, folded.touch_at(("bind",)), ("subjects", 0), "roles"
            )
            yield Manifest(body=body, sources=(whole, *said_of_it, *whom))


def check_roles(context: RenderContext, _: Objects) -> Iterator[Finding]:
    """Yield a finding for roles of nobody, and for URLs in a role of one namespace: they are refused."""
    yield from check_operator_account(context, "roles")
    accounts = known_accounts(context)
    for item in context.part["roles"]:
        whole = merge_layers(item.layers)
        bound, at = whole.data.get("bind", OPERATOR), whole.touch_at(("bind",)).origin
        yield from check_account_reference(context, bound, at, accounts)
        for layer in item.layers if whole.data.get("namespaced") else ():
            for key in layer.data.get("permissions", {}):
                if key.startswith("/"):
                    yield make_problem(
                        "role-url",
                        f"found the URL {key!r} in a namespaced role, expected resources only",
                        hint="put it into a role that is not namespaced",
                    ).to_finding(layer.origin.at("permissions", key))


def _build_rules(item: SectionItem) -> tuple[list[JsonObject], list[FieldSource]]:
    """Make one rule a line, feature after feature: what a feature adds stays apart in a diff."""
    rules: list[JsonObject] = []
    sources: list[FieldSource] = []
    for layer in item.layers:
        for key, verbs in layer.data.get("permissions", {}).items():
            sources.append(
                build_source(LayerTouch((), layer, ("permissions", key)), ("rules", len(rules)), "roles")
            )
            rules.append(parse_permission(key, verbs))
    return rules, sources


FAMILY = Family(objects=build_roles, follows=("roles", "serviceAccount"), problems=check_roles)

ELECTION = "client-go keeps the lease, tells of it in events, and older versions use a ConfigMap"
EVERYTHING = ("get", "list", "watch", "create", "update", "patch", "delete")


def build_election_rules() -> list[JsonObject]:
    """Return what the Role grants."""
    return [
        {"apiGroups": [""], "resources": ["configmaps"], "verbs": list(EVERYTHING)},
        {"apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "verbs": list(EVERYTHING)},
        {"apiGroups": [""], "resources": ["events"], "verbs": ["create", "patch"]},
    ]


def build_leader_election(context: RenderContext) -> Iterator[Manifest]:
    """Make the Role with which replicas agree on a leader, and bind it to the operator."""
    for item in context.part["leaderElection"]:
        touch, name = LayerTouch((), item.layers[-1], ()), context.full_name(item.name)
        made = build_source(touch, (), "leaderElection")
        body = {
            "apiVersion": f"{RBAC}/v1",
            "kind": "Role",
            "metadata": {"name": name},
            "rules": build_election_rules(),
        }
        yield Manifest(
            body=body, sources=(made, build_default_source(touch, ("rules",), "leaderElection", ELECTION))
        )
        subjects = [{"kind": "ServiceAccount", "name": context.account}]
        yield Manifest(
            body=build_role_binding("RoleBinding", {"name": f"{name}binding"}, ("Role", name), subjects),
            sources=(made, *context.account_sources(("subjects", 0))),
        )


ELECTIONS = Family(
    objects=build_leader_election,
    follows=("leaderElection", "serviceAccount"),
    problems=lambda context, _: check_operator_account(context, "leaderElection"),
)
