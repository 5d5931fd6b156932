"""What servers and controllers set in live objects is left out; what a person changed is not."""

from __future__ import annotations

import time
from copy import deepcopy
from typing import Any

import pytest

from kitgen.compare.review.live_objects import build_live_listing, has_live_objects, strip_server_fields
from kitgen.kube.manifest import Manifest
from kitgen.text.yaml import Dialect, JsonObject, read_yaml_documents

META = "uid: a, resourceVersion: '1', creationTimestamp: x, generation: 2, managedFields: [{manager: m}]"
APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
PAIRS = {
    "Deployment": (
        """
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: a, namespace: b}
        spec:
          selector: {matchLabels: {a: b}}
          template:
            metadata: {labels: {a: b}}
            spec:
              serviceAccountName: a
              volumes: [{name: v, secret: {secretName: s}}]
              containers:
              - name: a
                image: quay.io/a/b:v1
                ports: [{containerPort: 80}]
                readinessProbe: {httpGet: {path: /, port: 80}}
                env: [{name: N, valueFrom: {fieldRef: {fieldPath: metadata.name}}}]
        """,
        f"""
        apiVersion: apps/v1
        kind: Deployment
        metadata: {{name: a, namespace: b, {META}, annotations: {{{APPLIED}: x,
          deployment.kubernetes.io/revision: "2"}}}}
        spec:
          progressDeadlineSeconds: 600
          replicas: 1
          revisionHistoryLimit: 10
          strategy: {{type: RollingUpdate, rollingUpdate: {{maxSurge: 25%, maxUnavailable: 25%}}}}
          selector: {{matchLabels: {{a: b}}}}
          template:
            metadata: {{labels: {{a: b}}, creationTimestamp: null}}
            spec:
              dnsPolicy: ClusterFirst
              restartPolicy: Always
              schedulerName: default-scheduler
              securityContext: {{}}
              serviceAccount: a
              serviceAccountName: a
              terminationGracePeriodSeconds: 30
              volumes: [{{name: v, secret: {{secretName: s, defaultMode: 420}}}}]
              containers:
              - name: a
                image: quay.io/a/b:v1
                imagePullPolicy: IfNotPresent
                resources: {{}}
                terminationMessagePath: /dev/termination-log
                terminationMessagePolicy: File
                ports: [{{containerPort: 80, protocol: TCP}}]
                readinessProbe: {{httpGet: {{path: /, port: 80, scheme: HTTP}}, failureThreshold: 3,
                  periodSeconds: 10, successThreshold: 1, timeoutSeconds: 1}}
                env: [{{name: N, valueFrom: {{fieldRef: {{fieldPath: metadata.name, apiVersion: v1}}}}}}]
        status: {{replicas: 1}}
        """,
    ),
    "Service": (
        "{apiVersion: v1, kind: Service, metadata: {name: a, namespace: b},"
        " spec: {selector: {a: b}, ports: [{port: 80}]}}",
        f"{{apiVersion: v1, kind: Service, metadata: {{name: a, namespace: b, {META}, annotations: "
        "{service.beta.openshift.io/serving-cert-signed-by: x}},"
        " spec: {selector: {a: b}, type: ClusterIP, clusterIP: 10.0.0.1, clusterIPs: [10.0.0.1],"
        " internalTrafficPolicy: Cluster, ipFamilies: [IPv4], ipFamilyPolicy: SingleStack,"
        " sessionAffinity: None, ports: [{port: 80, protocol: TCP, targetPort: 80}]},"
        " status: {loadBalancer: {}}}",
    ),
    "ServiceAccount": (
        "{apiVersion: v1, kind: ServiceAccount, metadata: {name: a, namespace: b}}",
        f"{{apiVersion: v1, kind: ServiceAccount, metadata: {{name: a, namespace: b, {META},"
        " annotations: {openshift.io/internal-registry-pull-secret-ref: x}},"
        " secrets: [{name: a-dockercfg-x}], imagePullSecrets: [{name: a-dockercfg-x}]}",
    ),
    "Secret": (
        "{apiVersion: v1, kind: Secret, metadata: {name: a, namespace: b}}",
        f"{{apiVersion: v1, kind: Secret, metadata: {{name: a, namespace: b, {META}}},"
        " type: Opaque, data: {token: eA==}}",
    ),
    "Namespace": (
        "{apiVersion: v1, kind: Namespace, metadata: {name: a}}",
        f"{{apiVersion: v1, kind: Namespace, metadata: {{name: a, {META},"
        " labels: {kubernetes.io/metadata.name: a, pod-security.kubernetes.io/warn: restricted},"
        " annotations: {openshift.io/sa.scc.mcs: x}}, spec: {finalizers: [kubernetes]},"
        " status: {phase: Active}}",
    ),
    "an aggregated ClusterRole": (
        "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: a},"
        " aggregationRule: {clusterRoleSelectors: [{matchLabels: {a: b}}]}, rules: []}",
        f"{{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {{name: a, {META}}},"
        " aggregationRule: {clusterRoleSelectors: [{matchLabels: {a: b}}]},"
        " rules: [{apiGroups: [''], resources: [pods], verbs: [get]}]}",
    ),
    "webhooks": (
        "{apiVersion: admissionregistration.k8s.io/v1, kind: MutatingWebhookConfiguration,"
        " metadata: {name: a}, webhooks: [{name: a.b, sideEffects: None, admissionReviewVersions: [v1],"
        " clientConfig: {service: {name: a, namespace: b, path: /x}},"
        " rules: [{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [pods]}]}]}",
        "{apiVersion: admissionregistration.k8s.io/v1, kind: MutatingWebhookConfiguration,"
        f" metadata: {{name: a, {META}}},"
        " webhooks: [{name: a.b, sideEffects: None, admissionReviewVersions: [v1],"
        " clientConfig: {caBundle: eA==, service: {name: a, namespace: b, path: /x, port: 443}},"
        " failurePolicy: Fail, matchPolicy: Equivalent, namespaceSelector: {}, objectSelector: {},"
        " reinvocationPolicy: Never, timeoutSeconds: 10, rules: [{apiGroups: [''], apiVersions: [v1],"
        " operations: [CREATE], resources: [pods], scope: '*'}]}]}",
    ),
    "a CRD": (
        "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: as.b.c},"
        " spec: {group: b.c, scope: Namespaced, names: {kind: A, plural: as}, conversion: {strategy: Webhook,"
        " webhook: {conversionReviewVersions: [v1], clientConfig: {service: {name: a, namespace: b}}}},"
        " versions: [{name: v1, served: true, storage: true}]}}",
        "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition,"
        f" metadata: {{name: as.b.c, {META}}},"
        " spec: {group: b.c, scope: Namespaced, names: {kind: A, plural: as, singular: a, listKind: AList},"
        " conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig:"
        " {caBundle: eA==, service: {name: a, namespace: b, port: 443}}}},"
        " versions: [{name: v1, served: true, storage: true}]}, status: {storedVersions: [v1]}}",
    ),
}
CRD = """
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: as.b.c}
spec:
  group: b.c
  names: {kind: A, plural: as}
  scope: Namespaced
  versions:
  - name: v1
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              size: {type: integer, default: 3}
              deep: {type: object, default: {}, properties: {active: {type: boolean, default: true}}}
"""
HAND = {
    "Deployment": lambda body: body["spec"].update(replicas=2),
    "Service": lambda body: body["spec"].update(type="NodePort"),
    "ServiceAccount": lambda body: body.update(automountServiceAccountToken=True),
    "Secret": lambda body: body["metadata"].update(labels={"a": "b"}),
    "Namespace": lambda body: body["metadata"]["labels"].update(
        {"pod-security.kubernetes.io/enforce": "privileged"}
    ),
    "an aggregated ClusterRole": lambda body: body["aggregationRule"].update(clusterRoleSelectors=[]),
    "webhooks": lambda body: body["webhooks"][0].update(failurePolicy="Ignore"),
    "a CRD": lambda body: body["spec"]["versions"][0].update(served=False),
}


def body(text: str) -> Any:
    return next(iter(read_yaml_documents(text, dialect=Dialect.KUBECTL)))


def manifest(value: JsonObject) -> Manifest:
    return Manifest(body=value, sources=())


@pytest.mark.parametrize("what", PAIRS)
def test_what_a_cluster_sets_is_left_out(what: str) -> None:
    wanted, live = map(body, PAIRS[what])
    found = strip_server_fields(live, wanted)
    for place in (wanted, found):
        for key in ("annotations", "labels"):
            if not place["metadata"].get(key):
                place["metadata"].pop(key, None)
    assert _bare(found) == _bare(wanted)


@pytest.mark.parametrize("what", PAIRS)
def test_what_a_person_changed_is_not(what: str) -> None:
    wanted, live = map(body, PAIRS[what])
    changed = deepcopy(live)
    HAND[what](changed)
    assert strip_server_fields(changed, wanted) != strip_server_fields(live, wanted)


def test_defaults_of_a_crd_are_left_out() -> None:
    crd = manifest(body(CRD))
    resource = body("{apiVersion: b.c/v1, kind: A, metadata: {name: a, namespace: b}, spec: {}}")
    for spec, rest in (
        ({"size": 3, "deep": {"active": True}}, {}),
        ({"size": 4, "deep": {"active": True}}, {"size": 4}),
        ({"size": 3, "deep": {"active": False}}, {"deep": {"active": False}}),
    ):
        live = {**resource, "metadata": {**resource["metadata"], "uid": "a"}, "spec": spec}
        found = build_live_listing([crd, manifest(resource)], [manifest(live)])
        assert found.live[0].body["spec"] == rest


def test_what_was_not_listed_is_not_compared() -> None:
    service, account = (body(PAIRS[each][0]) for each in ("Service", "ServiceAccount"))
    other = {**service, "metadata": {"name": "kubernetes", "namespace": "default", "uid": "a"}}
    found = build_live_listing([manifest(service), manifest(account)], [manifest(other)])
    assert (found.unlisted, found.others, found.live) == (("ServiceAccount",), 1, ())
    assert [each.id.kind for each in found.target] == ["Service"]


def test_a_cluster_is_known_by_what_only_servers_set() -> None:
    wanted, live = map(body, PAIRS["Service"])
    assert (has_live_objects([manifest(wanted)]), has_live_objects([manifest(live)])) == (False, True)


def _bare(value: Any) -> Any:
    """Return a value without mappings that are empty, which say nothing."""
    if isinstance(value, dict):
        inner = {key: _bare(each) for key, each in value.items()}
        return {key: each for key, each in inner.items() if each != {}}
    return [_bare(each) for each in value] if isinstance(value, list) else value


A_CRD = "apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition"
ODD = {
    "a CRD without a mapping": f"{{{A_CRD}, spec: text}}",
    "a schema of a wrong type": f"{{{A_CRD}, spec: {{names: {{kind: B}}, versions: [{{schema: a}}]}}}}",
    "labels that are no mapping": "apiVersion: v1\nkind: ConfigMap\nmetadata: {labels: 3, annotations: [a]}",
    "a limit that is no mapping": """
        apiVersion: v1
        kind: LimitRange
        spec: {limits: [{min: a, max: 3, default: [b]}]}
        """,
    "names that are lists": "apiVersion: v1\nkind: ServiceAccount\nsecrets: [{name: [a]}, {name: {b: c}}, d]",
    "ports and containers that are called lists": """
        apiVersion: v1
        kind: Pod
        spec:
          hostNetwork: true
          containers: [{name: [a], ports: [{containerPort: {b: c}, hostPort: {b: c}}, {}]}]
          initContainers: [{name: {a: b}}]
        """,
}


@pytest.mark.parametrize("what", ODD)
def test_what_no_server_would_store_is_a_difference_all_the_same(what: str) -> None:
    odd = body(ODD[what])
    right = {key: odd[key] for key in ("apiVersion", "kind")} | {"metadata": {"labels": {"a": "b"}}}
    right |= {
        "spec": {
            "limits": [{"min": {"cpu": "1"}, "default": {"cpu": "1"}}],
            "containers": [{"name": "a", "ports": [{"containerPort": 80, "hostPort": 80}]}],
        },
        "secrets": [{"name": "a-token-b"}],
    }
    for one, other in ((odd, right), (right, odd), (odd, odd)):
        assert len(build_live_listing([manifest(one)], [manifest(other)]).live) == 1


def test_many_items_of_a_list_find_their_partners_in_time() -> None:
    names = [{"name": f"n{number}", "value": "a"} for number in range(20_000)]
    one, other = (
        {"apiVersion": "a/v1", "kind": "B", "spec": {"env": some}} for some in (names, [*reversed(names)])
    )
    before = time.process_time()
    assert strip_server_fields(one, other) == one
    assert time.process_time() - before < 5
