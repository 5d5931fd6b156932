"""What servers fill into objects of each kind is left out, and a change by hand beside it is told."""

from __future__ import annotations

from typing import Any

import pytest

from kitgen.compare.review.change import ReviewedChange
from kitgen.compare.run.diff import compare_states
from kitgen.kit.migrations import NOTHING_DECLARED
from kitgen.kube.manifest import Manifest
from kitgen.text.yaml import Dialect, JsonObject, read_yaml_documents
from kitgen.workspace.states import SourceState, StateObjects

ASSIGNED = {
    "uid": "0b1e",
    "resourceVersion": "7",
    "generation": 2,
    "creationTimestamp": "2030-01-01T00:00:00Z",
    "managedFields": [{"manager": "kubectl"}],
    "finalizers": ["example.com/keep"],
    "ownerReferences": [{"kind": "A"}],
}
CONTAINER = (
    "imagePullPolicy: IfNotPresent, terminationMessagePath: /dev/termination-log,"
    " terminationMessagePolicy: File"
)
POD = (
    "dnsPolicy: ClusterFirst, restartPolicy: Always, schedulerName: default-scheduler, securityContext: {},"
    " terminationGracePeriodSeconds: 30"
)
JOB = "batch.kubernetes.io/controller-uid: u, batch.kubernetes.io/job-name: j, controller-uid: u, job-name: j"
CASES: dict[str, tuple[str, str, str, str]] = {
    # kind: what the manifest says, what the server has, a text in the latter, what somebody makes of it
    "apps/v1 Deployment": (
        "spec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers:"
        " [{name: c, image: 'q.io/a:v1', env: [{name: E, value: ''}], volumeMounts: [{name: v, mountPath: /a,"
        " readOnly: false}], resources: {limits: {cpu: 1000m}}}], volumes: [{name: v, emptyDir: {}}]}}}",
        "spec: {progressDeadlineSeconds: 600, replicas: 1, revisionHistoryLimit: 10, strategy: {type:"
        " RollingUpdate, rollingUpdate: {maxSurge: 25%, maxUnavailable: 25%}}, selector: {matchLabels:"
        " {a: b}}, template: {metadata: {creationTimestamp: null, labels: {a: b}, annotations:"
        f" {{kubectl.kubernetes.io/restartedAt: x}}}}, spec: {{{POD}, containers: [{{name: c, {CONTAINER},"
        " image: 'q.io/a:v1', env: [{name: E}], volumeMounts: [{name: v, mountPath: /a}], resources:"
        " {limits: {cpu: '1'}, requests: {cpu: '1'}}}], volumes: [{name: v, emptyDir: {}}]}}}",
        "requests: {cpu: '1'}",
        "requests: {cpu: 900m}",
    ),
    "apps/v1 StatefulSet": (
        "spec: {serviceName: s, selector: {matchLabels: {a: b}}, template: {spec: {}}, volumeClaimTemplates:"
        " [{metadata: {name: d}, spec: {resources: {requests: {storage: 1024Mi}}}}]}",
        "spec: {podManagementPolicy: OrderedReady, persistentVolumeClaimRetentionPolicy: {whenDeleted:"
        " Retain, whenScaled: Retain}, replicas: 1, revisionHistoryLimit: 10, updateStrategy: {type:"
        " RollingUpdate, rollingUpdate: {partition: 0}}, serviceName: s, selector: {matchLabels: {a: b}},"
        f" template: {{spec: {{{POD}}}}}, volumeClaimTemplates: [{{apiVersion: v1, kind:"
        " PersistentVolumeClaim, metadata: {name: d, creationTimestamp: null}, spec: {volumeMode:"
        " Filesystem, resources: {requests: {storage: 1Gi}}}, status: {phase: Pending}}]}",
        "replicas: 1,",
        "replicas: 2,",
    ),
    "apps/v1 DaemonSet": (
        "spec: {selector: {matchLabels: {a: b}}, template: {spec: {hostNetwork: true, containers: [{name: c,"
        " image: 'q.io/a:v1', ports: [{containerPort: 80}]}]}}}",
        "spec: {revisionHistoryLimit: 10, updateStrategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 0,"
        f" maxUnavailable: 1}}}}, selector: {{matchLabels: {{a: b}}}}, template: {{spec: {{{POD},"
        f" hostNetwork: true, containers: [{{name: c, {CONTAINER}, image: 'q.io/a:v1', resources: {{}},"
        " ports: [{containerPort: 80, hostPort: 80, protocol: TCP}]}]}}}",
        "hostPort: 80",
        "hostPort: 81",
    ),
    "batch/v1 Job": (
        "spec: {template: {spec: {restartPolicy: Never}}}",
        "spec: {backoffLimit: 6, completionMode: NonIndexed, completions: 1, manualSelector: false,"
        " parallelism: 1, podReplacementPolicy: TerminatingOrFailed, suspend: false, selector: {matchLabels:"
        f" {{batch.kubernetes.io/controller-uid: u}}}}, template: {{metadata: {{labels: {{{JOB}}}}}, spec:"
        f" {{{POD.replace('Always', 'Never')}}}}}}}",
        "parallelism: 1",
        "parallelism: 2",
    ),
    "v1 Service": (
        "spec: {type: LoadBalancer, sessionAffinity: ClientIP, ports: [{port: 80}]}",
        "spec: {type: LoadBalancer, allocateLoadBalancerNodePorts: true, externalTrafficPolicy: Cluster,"
        " internalTrafficPolicy: Cluster, clusterIP: 10.0.0.1, clusterIPs: [10.0.0.1], sessionAffinity:"
        " ClientIP, sessionAffinityConfig: {clientIP: {timeoutSeconds: 10800}}, ports: [{port: 80, protocol:"
        " TCP, targetPort: 80, nodePort: 30000}]}",
        "externalTrafficPolicy: Cluster",
        "externalTrafficPolicy: Local",
    ),
    "autoscaling/v2 HorizontalPodAutoscaler": (
        "spec: {maxReplicas: 3, behavior: {scaleDown: {policies: [{type: Pods, value: 1,"
        " periodSeconds: 60}]}}}",
        "spec: {maxReplicas: 3, minReplicas: 1, metrics: [{type: Resource, resource: {name: cpu, target:"
        " {type: Utilization, averageUtilization: 80}}}], behavior: {scaleDown: {selectPolicy: Max, policies:"
        " [{type: Pods, value: 1, periodSeconds: 60}]}, scaleUp: {selectPolicy: Max,"
        " stabilizationWindowSeconds: 0, policies: [{type: Pods, value: 4, periodSeconds: 15}, {type:"
        " Percent, value: 100, periodSeconds: 15}]}}}",
        "averageUtilization: 80",
        "averageUtilization: 70",
    ),
    "networking.k8s.io/v1 Ingress": (
        "spec: {rules: [{host: a.b}]}",
        "spec: {ingressClassName: nginx, rules: [{host: a.b}]}",
        "host: a.b",
        "host: c.d",
    ),
    "networking.k8s.io/v1 NetworkPolicy": (
        "spec: {podSelector: {}, ingress: [], egress: [{ports: [{port: 80}]}]}",
        "spec: {podSelector: {}, policyTypes: [Ingress, Egress], egress: [{ports: [{port: 80,"
        " protocol: TCP}]}]}",
        "[Ingress, Egress]",
        "[Egress]",
    ),
    "v1 PersistentVolumeClaim": (
        "spec: {accessModes: [ReadWriteOnce]}",
        "spec: {accessModes: [ReadWriteOnce], storageClassName: fast, volumeMode: Filesystem, volumeName: p}",
        "volumeMode: Filesystem",
        "volumeMode: Block",
    ),
    "v1 Secret": (
        "stringData: {a: b}",
        "type: Opaque, data: {a: Yg==}",
        "Yg==",
        "Yw==",
    ),
    "v1 ServiceAccount": (
        "imagePullSecrets: [{name: mine}]",
        "imagePullSecrets: [{name: mine}, {name: s-dockercfg-x}], secrets: [{name: s-dockercfg-x}]",
        "{name: mine}",
        "{name: other}",
    ),
    "v1 LimitRange": (
        "spec: {limits: [{type: Container, max: {cpu: '1'}}]}",
        "spec: {limits: [{type: Container, max: {cpu: '1'}, default: {cpu: '1'},"
        " defaultRequest: {cpu: '1'}}]}",
        "defaultRequest: {cpu: '1'}",
        "defaultRequest: {cpu: 100m}",
    ),
    "v1 ConfigMap": ("", "data: {service-ca.crt: x}", "service-ca.crt", "other.crt"),
    "admissionregistration.k8s.io/v1 ValidatingAdmissionPolicy": (
        "spec: {matchConstraints: {resourceRules: [{resources: [pods]}]}}",
        "spec: {failurePolicy: Fail, matchConstraints: {matchPolicy: Equivalent, namespaceSelector: {},"
        " objectSelector: {}, resourceRules: [{resources: [pods], scope: '*'}]}}",
        "failurePolicy: Fail",
        "failurePolicy: Ignore",
    ),
    "route.openshift.io/v1 Route": (
        "spec: {to: {kind: Service, name: s}}",
        "spec: {host: s.apps.example.com, to: {kind: Service, name: s, weight: 100}, wildcardPolicy: None}",
        "wildcardPolicy: None",
        "wildcardPolicy: Subdomain",
    ),
    "security.openshift.io/v1 SecurityContextConstraints": (
        "runAsUser: {type: RunAsAny}",
        "allowHostNetwork: false, allowPrivilegeEscalation: true, allowedCapabilities: null, fsGroup: {type:"
        " RunAsAny}, groups: [], runAsUser: {type: RunAsAny}, volumes: ['*']",
        "allowHostNetwork: false",
        "allowHostNetwork: true",
    ),
    "apiextensions.k8s.io/v1 CustomResourceDefinition": (
        "spec: {preserveUnknownFields: false, versions: [{name: v1, schema: {openAPIV3Schema: {properties:"
        " {a: {type: object, nullable: false, properties: {clusterIP: {type: string}}}}}}}]}",
        "spec: {conversion: {strategy: None}, versions: [{name: v1, served: true, schema: {openAPIV3Schema:"
        " {properties: {a: {type: object, properties: {clusterIP: {type: string}}}}}}}]}",
        "{clusterIP: {type: string}}",
        "{clusterIP: {type: string}, nodePort: {type: string}}",
    ),
    "example.com/v1 Thing": (
        "spec: {size: 1}",
        "spec: {size: 1}",
        "size: 1",
        "size: 1, replicas: 1",
    ),
}


def manifest(kind: str, text: str, **more: Any) -> Manifest:
    version, name = kind.split()
    meta: JsonObject = {"name": "x", "namespace": "y", **more}
    said = f"{{apiVersion: {version}, kind: {name}, {text}}}"
    (found,) = read_yaml_documents(said, dialect=Dialect.KUBECTL)
    return Manifest(body={**found, "metadata": meta}, sources=())


def told(*sides: Manifest | list[Manifest]) -> tuple[ReviewedChange, ...]:
    parts = [StateObjects(objects=each if isinstance(each, list) else [each]) for each in sides]
    before, after = (SourceState(name="", parts={"": part}, texts={}) for part in parts)
    return compare_states(before, after, NOTHING_DECLARED).changes


@pytest.mark.parametrize("kind", CASES)
def test_what_servers_fill_in_is_left_out(kind: str) -> None:
    said, has, _, _ = CASES[kind]
    sides = [manifest(kind, said), manifest(kind, has, **ASSIGNED)]
    assert (told(*sides), told(*sides[::-1])) == ((), ())


@pytest.mark.parametrize("kind", CASES)
def test_what_is_changed_by_hand_is_told(kind: str) -> None:
    said, has, old, new = CASES[kind]
    assert old in has
    assert told(manifest(kind, said), manifest(kind, has.replace(old, new), **ASSIGNED))


def test_how_many_pods_there_are_is_for_the_autoscaler_to_say() -> None:
    kind = "apps/v1 Deployment"
    scaler = manifest(
        "autoscaling/v2 HorizontalPodAutoscaler",
        "spec: {maxReplicas: 9, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: x}}",
    )
    for said, found in (("spec: {}", 0), ("spec: {replicas: 2}", 1)):
        live = manifest(kind, "spec: {replicas: 5}", **ASSIGNED)
        assert len(told([manifest(kind, said), scaler], [live])) == found


def test_two_clusters_are_compared_without_what_each_assigns() -> None:
    kind = "v1 ConfigMap"
    one = manifest(kind, "data: {a: b}, status: {x: 1}", **ASSIGNED)
    for data, found in (("b", 0), ("c", 1)):
        other = manifest(kind, f"data: {{a: {data}}}", **{**ASSIGNED, "uid": "other", "resourceVersion": "9"})
        assert len(told(one, other)) == found
