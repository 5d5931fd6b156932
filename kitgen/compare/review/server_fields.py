"""What API servers and controllers write into objects whose manifests say nothing of it."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from kitgen.compare.upgrade.values import DEFAULTS, EMPTY
from kitgen.kube.definitions import list_api_groups, list_minors
from kitgen.text.yaml import Json, JsonObject

SERVERS: dict[str, JsonObject] = {
    "": {
        "reclaimPolicy": "Delete",
        "volumeBindingMode": "Immediate",
        "preemptionPolicy": "PreemptLowerPriority",
        "type": "Opaque",
    },
    "spec": {
        **DEFAULTS["spec"],
        "allocateLoadBalancerNodePorts": True,
        "backoffLimit": 6,
        "completionMode": "NonIndexed",
        "completions": 1,
        "concurrencyPolicy": "Allow",
        "conversion": {"strategy": "None"},
        "externalTrafficPolicy": "Cluster",
        "failedJobsHistoryLimit": 1,
        "failurePolicy": "Fail",
        "finalizers": ["kubernetes"],
        "internalTrafficPolicy": "Cluster",
        "manualSelector": False,
        "parallelism": 1,
        "podManagementPolicy": "OrderedReady",
        "podReplacementPolicy": "TerminatingOrFailed",
        "progressDeadlineSeconds": 600,
        "replicas": 1,
        "revisionHistoryLimit": 10,
        "sessionAffinity": "None",
        "successfulJobsHistoryLimit": 3,
        "suspend": False,
        "type": "ClusterIP",
    },
    "clientIP": {"timeoutSeconds": 10800},
    "iscsi": {"iscsiInterface": "default"},
    "matchConstraints": {"matchPolicy": "Equivalent"},
    "matchResources": {"matchPolicy": "Equivalent"},
    "parameters": {"scope": "Cluster"},
    "persistentVolumeClaimRetentionPolicy": {"whenDeleted": "Retain", "whenScaled": "Retain"},
    "resourceRules": {"scope": "*"},
    "excludeResourceRules": {"scope": "*"},
    "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%", "partition": 0},
    "rules": {"scope": "*"},
    "service": {"port": 443},
    "strategy": {"type": "RollingUpdate"},
    "subjects": {"apiGroup": "rbac.authorization.k8s.io"},
    "updateStrategy": {"type": "RollingUpdate"},
    "versions": {"served": True},
    "webhooks": {
        "failurePolicy": "Fail",
        "matchPolicy": "Equivalent",
        "reinvocationPolicy": "Never",
        "timeoutSeconds": 10,
    },
}
"""Name of the field that holds a mapping → what the server fills into it, whatever the kind."""
ANY: JsonObject = {"type": "RunAsAny"}
BACKEND: JsonObject = {"weight": 100}
OWN: dict[tuple[str, str], dict[str, JsonObject]] = {
    ("apps", "DaemonSet"): {"rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}},
    ("autoscaling", "HorizontalPodAutoscaler"): {
        "spec": {
            "minReplicas": 1,
            "metrics": [
                {
                    "type": "Resource",
                    "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 80}},
                }
            ],
        },
        "scaleUp": {
            "policies": [
                {"type": "Pods", "value": 4, "periodSeconds": 15},
                {"type": "Percent", "value": 100, "periodSeconds": 15},
            ],
            "selectPolicy": "Max",
            "stabilizationWindowSeconds": 0,
        },
        "scaleDown": {
            "policies": [{"type": "Percent", "value": 100, "periodSeconds": 15}],
            "selectPolicy": "Max",
        },
    },
    ("route.openshift.io", "Route"): {
        "spec": {"wildcardPolicy": "None"},
        "to": BACKEND,
        "alternateBackends": BACKEND,
    },
    ("security.openshift.io", "SecurityContextConstraints"): {
        "": {
            **dict.fromkeys(("allowHostDirVolumePlugin", "allowHostIPC", "allowHostNetwork"), False),
            **dict.fromkeys(("allowHostPID", "allowHostPorts", "allowPrivilegedContainer"), False),
            "allowPrivilegeEscalation": True,
            "fsGroup": ANY,
            "readOnlyRootFilesystem": False,
            "supplementalGroups": ANY,
            "volumes": ["*"],
        }
    },
}
"""Group and kind → what the server fills into objects of that kind, by the field that holds it."""
OTHERS = frozenset(
    {
        *("caBundle", "clusterIP", "clusterIPs", "healthCheckNodePort", "ipFamilies", "ipFamilyPolicy"),
        *("nodePort", "volumeName"),
    }
)
"""Fields that a cluster fills in with values of its own."""
OWN_OTHERS: dict[tuple[str, str], frozenset[str]] = {
    ("", "ConfigMap"): frozenset({"ca-bundle.crt", "service-ca.crt"}),
    ("", "PersistentVolumeClaim"): frozenset({"storageClassName"}),
    ("apps", "StatefulSet"): frozenset({"status"}),
    ("batch", "Job"): frozenset({"selector"}),
    ("networking.k8s.io", "Ingress"): frozenset({"ingressClassName"}),
    ("route.openshift.io", "Route"): frozenset({"host"}),
}
"""Group and kind → fields of that kind that a cluster fills in with values of its own."""
UNSAID = EMPTY | {
    *("exclusiveMaximum", "exclusiveMinimum", "minReadySeconds", "nullable", "paused", "priority"),
    *("preserveUnknownFields", "publishNotReadyAddresses", "uniqueItems"),
    *("x-kubernetes-embedded-resource", "x-kubernetes-int-or-string"),
}
"""Fields that a server leaves out where they are false, 0 or an empty text."""
OPENSHIFT = ("route.openshift.io", "security.openshift.io")
SCHEMA = "openAPIV3Schema"


class ServerFields(Struct, frozen=True, kw_only=True):
    """What is filled into objects of a kind."""

    defaults: Mapping[str, Mapping[str, Json]] = {}
    """Name of the field that holds a mapping → what the server fills into it."""
    others: frozenset[str] = frozenset()
    """Fields that a cluster fills in with values of its own."""
    typed: bool = False
    """Whether servers know the kind, and not only its schema: they leave out what is empty."""


def server_fields_for(group: str, kind: str) -> ServerFields:
    """Return what is filled into objects of a kind; into custom resources, nothing but what schemas say."""
    if "." in group and group not in OPENSHIFT and group not in list_api_groups(max(list_minors())):
        return ServerFields()
    own = OWN.get((group, kind), {})
    return ServerFields(
        defaults={
            each: {**DEFAULTS.get(each, {}), **SERVERS.get(each, {}), **own.get(each, {})}
            for each in {*DEFAULTS, *SERVERS, *own}
        },
        others=OTHERS | OWN_OTHERS.get((group, kind), frozenset()),
        typed=True,
    )


def server_fields_below(known: ServerFields, field: str) -> ServerFields:
    """Return what is filled in below a field: into schemas, nothing."""
    return ServerFields(typed=known.typed) if field == SCHEMA else known
