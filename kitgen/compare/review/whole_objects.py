"""Rank objects that came or went as a whole."""

from __future__ import annotations

from msgspec.structs import replace

from kitgen.compare.change import Risk
from kitgen.compare.review.change import Judgement, by_upgrade
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


def added(body: JsonObject) -> Judgement:
    """Return what it means that an object is new."""
    name = ObjectId.of(body)
    message = "it is new"
    if name.kind in HOOKS:
        return Judgement("webhook-added", message)
    if name.kind == CONSTRAINTS:
        return Judgement("constraints-changed", message)
    if (name.group, name.kind) in POLICIES:
        return Judgement("policy-changed", message)
    if name.kind in ROUTES or value_at(body, "spec", "type") in OPEN:
        return Judgement("service-exposed", message)
    if (name.group, name.kind) == ("", "Secret") and body.get("type") == TOKEN:
        return Judgement("token-made", message)
    if name.group == RBAC and name.kind in ROLES:
        labels = value_at(body, "metadata", "labels")
        into = isinstance(labels, dict) and any(str(key).startswith(AGGREGATE) for key in labels)
        return Judgement("role-aggregated" if into else "object-unused", message)
    return Judgement("object-added", message)


def removed(body: JsonObject) -> Judgement:
    """Return what it means that an object is gone."""
    name = ObjectId.of(body)
    problem = gone(body)
    if problem is None:
        return Judgement("object-unused", GONE)
    if name.kind in HOOKS:
        return Judgement("webhook-gone", GONE)
    if (name.group, name.kind) in POLICIES:
        return Judgement("policy-changed", GONE)
    what = problem.message.partition(" is gone")[2]
    problem = replace(problem, message=f"{GONE}{what}")
    if name.kind in (*SIDE, *ROLES, *BINDINGS, CONSTRAINTS):
        # What a role or binding permitted is told of those who lose it.
        return by_upgrade(problem, Risk.BEHAVIOUR)
    return by_upgrade(problem)
