"""Default roles of every cluster, as far as they are granted to others."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from kitgen.kube.rbac.rules import Permit, parse_permission, read_rules

AGGREGATE = "rbac.authorization.k8s.io/aggregate-to-"
ADMIN = "cluster-admin"
WRITE = "create delete deletecollection patch update"
SYSTEM = "system:"
"""How the names of roles begin that are Kubernetes' own; of most, what they grant is not said here."""

VIEW = {
    "core/bindings,configmaps,endpoints,events,limitranges,namespaces,namespaces/status": "read",
    "core/persistentvolumeclaims,persistentvolumeclaims/status,pods,pods/log,pods/status": "read",
    "core/replicationcontrollers,replicationcontrollers/scale,replicationcontrollers/status": "read",
    "core/resourcequotas,resourcequotas/status,serviceaccounts,services,services/status": "read",
    "discovery.k8s.io/endpointslices": "read",
    "apps/controllerrevisions,daemonsets,daemonsets/status,deployments,deployments/scale": "read",
    "apps/deployments/status,replicasets,replicasets/scale,replicasets/status": "read",
    "apps/statefulsets,statefulsets/scale,statefulsets/status": "read",
    "autoscaling/horizontalpodautoscalers,horizontalpodautoscalers/status": "read",
    "batch/cronjobs,cronjobs/status,jobs,jobs/status": "read",
    "networking.k8s.io/ingresses,ingresses/status,networkpolicies": "read",
    "policy/poddisruptionbudgets,poddisruptionbudgets/status": "read",
}
EDIT = {
    "core/pods/attach,pods/exec,pods/portforward,pods/proxy,secrets,services/proxy": f"read {WRITE}",
    "core/pods,configmaps,events,persistentvolumeclaims,replicationcontrollers": WRITE,
    "core/replicationcontrollers/scale,services": WRITE,
    "core/serviceaccounts": f"{WRITE} impersonate",
    "core/pods/eviction,serviceaccounts/token": "create",
    "apps/daemonsets,deployments,deployments/rollback,deployments/scale": WRITE,
    "apps/replicasets,replicasets/scale,statefulsets,statefulsets/scale": WRITE,
    "autoscaling/horizontalpodautoscalers": WRITE,
    "batch/cronjobs,jobs": WRITE,
    "coordination.k8s.io/leases": f"read {WRITE}",
    "networking.k8s.io/ingresses,networkpolicies": WRITE,
    "policy/poddisruptionbudgets": WRITE,
}
USERS = {
    "authorization.k8s.io/selfsubjectaccessreviews,selfsubjectrulesreviews": "create",
    "authentication.k8s.io/selfsubjectreviews": "create",
}
INFO = dict.fromkeys(("/healthz", "/livez", "/readyz", "/version", "/version/"), "get")
CLUSTER_ROLES: Mapping[str, Mapping[str, str]] = {
    ADMIN: {"*/*": "*", "*": "*"},
    "admin": {
        "authorization.k8s.io/localsubjectaccessreviews": "create",
        "rbac.authorization.k8s.io/rolebindings,roles": f"read {WRITE}",
    },
    "edit": EDIT,
    "view": VIEW,
    "system:auth-delegator": {
        "authentication.k8s.io/tokenreviews": "create",
        "authorization.k8s.io/subjectaccessreviews": "create",
    },
    "system:basic-user": USERS,
    "system:discovery": dict.fromkeys((*INFO, "/api", "/api/*", "/apis", "/apis/*", "/openapi"), "get"),
    "system:public-info-viewer": INFO,
}
"""Name → what it grants, in the words of specs."""
ROLES = {
    ("kube-system", "extension-apiserver-authentication-reader"): {
        "core/configmaps[extension-apiserver-authentication]": "read"
    }
}
"""Namespace and name → what it grants."""
FOR_EVERYBODY = frozenset(("system:basic-user", "system:discovery", "system:public-info-viewer"))
"""Roles that clusters bind to everybody by themselves."""
INTO = {"edit": f"{AGGREGATE}admin", "view": f"{AGGREGATE}edit"}
"""Role → its label, by which it is part of another."""
AGGREGATING = {name: f"{AGGREGATE}{name}" for name in ("admin", "edit", "view")}
"""Role → the label of those that are part of it."""


@cache
def find_default_rules(kind: str, namespace: str, name: str) -> tuple[Permit, ...] | None:
    """Return what a role of Kubernetes' own grants; None if there is none of that name or it is not known."""
    found = CLUSTER_ROLES.get(name) if kind == "ClusterRole" else ROLES.get((namespace, name))
    if found is None:
        return None
    rules = [
        {"nonResourceURLs": ["*"], "verbs": ["*"]} if what == "*" else parse_permission(what, verbs)
        for what, verbs in found.items()
    ]
    return read_rules(rules)


def is_default_role(kind: str, namespace: str, name: str) -> bool:
    """Return whether a role is one that every cluster has."""
    if kind == "ClusterRole":
        return name in CLUSTER_ROLES or name.startswith(SYSTEM)
    return (namespace, name) in ROLES or name.startswith(SYSTEM)
