"""Rank objects that came or went as a whole."""

from __future__ import annotations

from msgspec.structs import replace

from kitgen.compare.change import Risk
from kitgen.compare.review import rules
from kitgen.compare.review.change import Judged, by_rule, by_upgrade
from kitgen.compare.review.fields import AGGREGATE, HOOKS, OPEN, POLICIES
from kitgen.compare.upgrade.removed_objects import gone
from kitgen.kube.identity import RBAC, ObjectId
from kitgen.text.values import value_at
from kitgen.text.yaml import JsonObject

TOKEN = "kubernetes.io/service-account-token"
ROLES = frozenset({"ClusterRole", "Role"})
BINDINGS = frozenset({"ClusterRoleBinding", "RoleBinding"})
ROUTES = frozenset({"GRPCRoute", "Gateway", "HTTPRoute", "Ingress", "Route"})
"""What makes a service known outside of its cluster."""
SIDE = frozenset(
    {
        *("HorizontalPodAutoscaler", "Lease", "LimitRange", "PodDisruptionBudget", "PodMonitor"),
        *("PriorityClass", "PrometheusRule", "ResourceQuota", "ServiceMonitor"),
    }
)
"""What nothing calls or refers to: without it, things run on otherwise."""
CONSTRAINTS = "SecurityContextConstraints"
GONE = "it is gone"


def added(body: JsonObject) -> Judged:
    """Return what it means that an object is new."""
    name = ObjectId.of(body)
    message = "it is new"
    if name.kind in HOOKS:
        return by_rule(rules.WEBHOOK_ADDED, message)
    if name.kind == CONSTRAINTS:
        return by_rule(rules.CONSTRAINTS_CHANGED, message)
    if (name.group, name.kind) in POLICIES:
        return by_rule(rules.POLICY_WEAKER, message)
    if name.kind in ROUTES or value_at(body, "spec", "type") in OPEN:
        return by_rule(rules.EXPOSED, message)
    if (name.group, name.kind) == ("", "Secret") and body.get("type") == TOKEN:
        return by_rule(rules.TOKEN_MADE, message)
    if name.group == RBAC and name.kind in ROLES:
        labels = value_at(body, "metadata", "labels")
        into = isinstance(labels, dict) and any(str(key).startswith(AGGREGATE) for key in labels)
        return by_rule(rules.ROLE_AGGREGATED if into else rules.OBJECT_HARMLESS, message)
    return by_rule(rules.OBJECT_ADDED, message)


def removed(body: JsonObject) -> Judged:
    """Return what it means that an object is gone."""
    name = ObjectId.of(body)
    problem = gone(body)
    if problem is None:
        return by_rule(rules.OBJECT_HARMLESS, GONE)
    if name.kind in HOOKS:
        return by_rule(rules.WEBHOOK_GONE, GONE)
    if (name.group, name.kind) in POLICIES:
        return by_rule(rules.POLICY_WEAKER, GONE)
    what = problem.message.partition(" is gone")[2]
    problem = replace(problem, message=f"{GONE}{what}")
    if problem.rule.id in rules.UPGRADES and name.kind in (*SIDE, *ROLES, *BINDINGS, CONSTRAINTS):
        # What a role or binding permitted is told of those who lose it.
        return by_upgrade(problem, Risk.BEHAVIOUR)
    return by_upgrade(problem)
