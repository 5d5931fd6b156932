"""Rank objects that came or went as a whole."""

from __future__ import annotations

from msgspec.structs import replace

from kitgen.compare.change import Risk
from kitgen.compare.review.change import PlaceRanking, rank_problem
from kitgen.compare.review.fields import AGGREGATE, OPEN, POLICIES
from kitgen.compare.upgrade.removed_objects import report_removal
from kitgen.compare.upgrade.webhooks import HOOKS
from kitgen.kube.identity import RBAC, ObjectId
from kitgen.kube.rbac.access import BINDINGS, ROLES
from kitgen.text.values import map_at, value_at
from kitgen.text.yaml import JsonObject

TOKEN = "kubernetes.io/service-account-token"
SIDE = frozenset(
    {
        *("HorizontalPodAutoscaler", "Lease", "LimitRange", "PodDisruptionBudget", "PodMonitor"),
        *("PriorityClass", "PrometheusRule", "ResourceQuota", "ServiceMonitor"),
    }
)
"""What nothing calls or refers to: without it, things run on otherwise."""
CONSTRAINTS = "SecurityContextConstraints"
NEW = {
    **dict.fromkeys(HOOKS, "webhook-added"),
    CONSTRAINTS: "constraints-changed",
    **dict.fromkeys(("GRPCRoute", "Gateway", "HTTPRoute", "Ingress", "Route"), "service-exposed"),
}
"""Kind → what a new object of it is: the last ones make a service known outside of its cluster."""
GONE = "it is gone"


def rank_added_object(body: JsonObject) -> PlaceRanking:
    """Return what it means that an object is new."""
    return PlaceRanking(_rule_of_added_object(body), "it is new")


def _rule_of_added_object(body: JsonObject) -> str:
    name = ObjectId.of(body)
    if name.kind in NEW:
        return NEW[name.kind]
    if (name.group, name.kind) in POLICIES:
        return "policy-changed"
    if value_at(body, "spec", "type") in OPEN:
        return "service-exposed"
    if (name.group, name.kind) == ("", "Secret") and body.get("type") == TOKEN:
        return "token-made"
    if name.group == RBAC and name.kind in ROLES:
        into = any(str(key).startswith(AGGREGATE) for key in map_at(body, "metadata", "labels"))
        return "role-aggregated" if into else "object-unused"
    return "object-added"


def rank_removed_object(body: JsonObject) -> PlaceRanking:
    """Return what it means that an object is gone."""
    name = ObjectId.of(body)
    if (problem := report_removal(body)) is None:
        return PlaceRanking("object-unused", GONE)
    if name.kind in HOOKS:
        return PlaceRanking("webhook-gone", GONE)
    if (name.group, name.kind) in POLICIES:
        return PlaceRanking("policy-changed", GONE)
    what = problem.message.partition(" is gone")[2]
    problem = replace(problem, message=f"{GONE}{what}")
    if name.kind in (*SIDE, *ROLES, *BINDINGS, CONSTRAINTS):
        # What a role or binding permitted is told of those who lose it.
        return rank_problem(problem, Risk.BEHAVIOUR)
    return rank_problem(problem)
