"""Subresources and short names of Kubernetes' resources, which no schema declares."""

from __future__ import annotations

from collections.abc import Mapping

EVERYWHERE = "finalizers"
"""No resource has it, yet it is asked for: who blocks the deletion of an object needs it on the owner."""
STATUS = ("status",)
SCALED = ("scale", "status")
SUBRESOURCES: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "": {
        "endpoints": ("restricted",),
        "namespaces": ("finalize", "status"),
        "nodes": (
            *("checkpoint", "configz", "healthz", "log", "metrics", "pods", "proxy", "spec", "stats"),
            "status",
        ),
        "persistentvolumeclaims": STATUS,
        "persistentvolumes": STATUS,
        "pods": (
            *("attach", "binding", "ephemeralcontainers", "eviction", "exec", "log", "portforward", "proxy"),
            *("resize", "status"),
        ),
        "replicationcontrollers": SCALED,
        "resourcequotas": STATUS,
        "serviceaccounts": ("token",),
        "services": ("proxy", "status"),
    },
    "admissionregistration.k8s.io": {"validatingadmissionpolicies": STATUS},
    "apiextensions.k8s.io": {"customresourcedefinitions": STATUS},
    "apiregistration.k8s.io": {"apiservices": STATUS},
    "apps": {
        "daemonsets": STATUS,
        "deployments": ("rollback", "scale", "status"),
        "replicasets": SCALED,
        "statefulsets": SCALED,
    },
    "authentication.k8s.io": {},
    "authorization.k8s.io": {},
    "autoscaling": {"horizontalpodautoscalers": STATUS},
    "batch": {"cronjobs": STATUS, "jobs": STATUS},
    "certificates.k8s.io": {
        "certificatesigningrequests": ("approval", "status"),
        "podcertificaterequests": STATUS,
    },
    "coordination.k8s.io": {},
    "discovery.k8s.io": {"endpointslices": ("restricted",)},
    "events.k8s.io": {},
    "flowcontrol.apiserver.k8s.io": {"flowschemas": STATUS, "prioritylevelconfigurations": STATUS},
    "networking.k8s.io": {"ingresses": STATUS, "networkpolicies": STATUS, "servicecidrs": STATUS},
    "node.k8s.io": {},
    "policy": {"poddisruptionbudgets": STATUS},
    "rbac.authorization.k8s.io": {},
    "scheduling.k8s.io": {},
    "storage.k8s.io": {"volumeattachments": STATUS},
}
"""Group → resource → what can be asked for below it; of groups that are not here nobody says so.

The kubelet asks for what is below nodes, OpenShift for `restricted`. Some are of past minors, and harmless.
"""
