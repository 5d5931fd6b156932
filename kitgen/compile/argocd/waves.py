"""Sync waves: what has to be there before what. Argo CD waits until all of a wave is healthy."""

from __future__ import annotations

from enum import StrEnum

from kitgen.kubernetes import groups, minors
from kitgen.objects import RBAC, ObjectId


class Wave(StrEnum):
    """What comes to a cluster together."""

    NAMESPACES = "namespaces"
    CRDS = "crds"
    PERMISSIONS = "permissions"
    CONFIGURATION = "configuration"
    OPERATORS = "operators"
    WEBHOOKS = "webhooks"
    MONITORING = "monitoring"
    RESOURCES = "resources"
    FLAVORS = "flavors"
    CLUSTER_QUEUES = "cluster-queues"
    LOCAL_QUEUES = "local-queues"


WAVES = {
    Wave.NAMESPACES: (-5, "all else may be in one"),
    Wave.CRDS: (-4, "operators watch their kinds, and resources are of them"),
    Wave.PERMISSIONS: (-3, "pods run as accounts, and may nothing without roles"),
    Wave.CONFIGURATION: (-2, "pods mount it and are called through it"),
    Wave.OPERATORS: (0, "they serve the webhooks and look after the resources"),
    Wave.WEBHOOKS: (1, "one that nobody answers yet refuses every request that it is asked about"),
    Wave.MONITORING: (2, "it looks at what runs"),
    Wave.RESOURCES: (5, "their kinds are known by then, and their webhooks answer"),
    Wave.FLAVORS: (10, "queues name them"),
    Wave.CLUSTER_QUEUES: (11, "they name flavors, and local queues name them"),
    Wave.LOCAL_QUEUES: (12, "they name the queues of the cluster"),
}
"""Each with its number, and why it comes then."""
STEP = 20
"""What sets the components of one Application apart: more than there is between two waves of one of them."""

APPS, KUEUE, OLM = "apps", "kueue.x-k8s.io", "operators.coreos.com"
KINDS = {
    ("", "Namespace"): Wave.NAMESPACES,
    ("apiextensions.k8s.io", "CustomResourceDefinition"): Wave.CRDS,
    ("", "ServiceAccount"): Wave.PERMISSIONS,
    **{("", kind): Wave.OPERATORS for kind in ("Pod", "ReplicationController")},
    **{(KUEUE, kind): Wave.FLAVORS for kind in ("AdmissionCheck", "ResourceFlavor", "Topology")},
    **{(KUEUE, kind): Wave.CLUSTER_QUEUES for kind in ("ClusterQueue", "Cohort")},
    (KUEUE, "LocalQueue"): Wave.LOCAL_QUEUES,
}
GROUPS = {
    RBAC: Wave.PERMISSIONS,
    "security.openshift.io": Wave.PERMISSIONS,
    **dict.fromkeys(
        ("cert-manager.io", "gateway.networking.k8s.io", "route.openshift.io"), Wave.CONFIGURATION
    ),
    **dict.fromkeys((APPS, "autoscaling", "batch", OLM), Wave.OPERATORS),
    # An aggregated API is answered by an operator, too.
    **dict.fromkeys(("admissionregistration.k8s.io", "apiregistration.k8s.io"), Wave.WEBHOOKS),
    "monitoring.coreos.com": Wave.MONITORING,
}
"""What is said of all other kinds of a group."""


def wave_of(identity: ObjectId) -> Wave:
    """Return when an object is due."""
    other = Wave.CONFIGURATION if is_built_in(identity.group) else Wave.RESOURCES
    return KINDS.get((identity.group, identity.kind)) or GROUPS.get(identity.group, other)


def is_built_in(group: str) -> bool:
    """Tell whether an API server serves a group by itself; the group of a CRD always has a dot."""
    return "." not in group or group in groups(minors()[-1])
