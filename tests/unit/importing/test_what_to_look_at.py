"""What an import tells people to look at, permissions aside: webhooks, policies, pods, findings."""

from __future__ import annotations

from looking import side, told

from kitgen.importing.review.sides import TreeSide
from kitgen.text.yaml import JsonObject, read_all

CAME, CHANGED, WENT = (
    "new webhooks and admission policies",
    "webhooks and admission policies that changed",
    "webhooks and admission policies that went away",
)
PRIVILEGES = "new holds on nodes, and tokens in Secrets"
ADMISSION = """
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: {name: op-webhooks}
webhooks:
- name: mpod.example.com
  namespaceSelector: {matchLabels: {a: b}}
  rules: [{apiGroups: [""], apiVersions: [v1], resources: [pods], operations: [CREATE]}]
- name: mjob.example.com
  failurePolicy: Ignore
  rules: [{apiGroups: [batch], apiVersions: [v1], resources: [jobs, jobs/status], operations: ["*"]}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: op-policy}
spec:
  failurePolicy: Fail
  matchConstraints:
    resourceRules:
    - {apiGroups: [ray.io], apiVersions: [v1], resources: [rayjobs], operations: [CREATE, UPDATE]}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: op-policy-binding}
spec: {policyName: op-policy, validationActions: [Deny, Audit]}
---
apiVersion: admissionregistration.k8s.io/v1beta1
kind: MutatingAdmissionPolicy
metadata: {name: op-defaults}
spec: {failurePolicy: Ignore}
"""
JUDGES = [
    "mutating policy defaults, fails open, not bound here:",
    "  acts on nothing",
    "mutating webhook mjob.example.com, fails open:",
    "  batch/jobs,jobs/status: *",
    "mutating webhook mpod.example.com, fails closed, only where its selectors fit:",
    "  core/pods: CREATE",
    "validating policy policy, fails closed, Audit, Deny:",
    "  ray.io/rayjobs: CREATE UPDATE",
]


def admission(*edits: tuple[str, str]) -> TreeSide:
    text = ADMISSION
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    return side(*read_all(text))


def test_webhooks_and_policies_that_come_and_go_are_told() -> None:
    bare = side({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "op-map"}})
    assert told(bare, admission()) == {CAME: JUDGES}
    assert told(admission(), bare) == {WENT: JUDGES}
    assert told(admission(), admission()) == {}
    assert told(None, admission()) == {}, "all of a new component is new"


def test_webhooks_and_policies_that_change_are_told() -> None:
    now = admission(
        ("failurePolicy: Ignore\n  rules", "failurePolicy: Fail\n  rules"),
        ("  namespaceSelector: {matchLabels: {a: b}}\n", ""),
        ("resources: [pods], operations: [CREATE]", "resources: [pods], operations: [DELETE]"),
        ("[Deny, Audit]", "[Audit]"),
    )
    assert told(admission(), now) == {
        CHANGED: [
            "no longer Deny:",
            "  validating policy policy",
            "no longer core/pods: CREATE:",
            "  mutating webhook mpod.example.com",
            "no longer fails open:",
            "  mutating webhook mjob.example.com",
            "no longer only where its selectors fit:",
            "  mutating webhook mpod.example.com",
            "now core/pods: DELETE:",
            "  mutating webhook mpod.example.com",
            "now fails closed:",
            "  mutating webhook mjob.example.com",
        ]
    }


POD: JsonObject = {
    "hostNetwork": True,
    "volumes": [{"name": "logs", "hostPath": {"path": "/var/log"}}],
    "containers": [
        {"name": "a", "securityContext": {"privileged": True, "capabilities": {"add": ["NET_ADMIN"]}}},
        {"name": "b", "securityContext": {"privileged": False, "capabilities": {"drop": ["ALL"]}}},
    ],
}
TOKEN: JsonObject = {
    "apiVersion": "v1",
    "kind": "Secret",
    "type": "kubernetes.io/service-account-token",
    "metadata": {"name": "op-token", "annotations": {"kubernetes.io/service-account.name": "op-operator"}},
}


def deployment(pod: JsonObject) -> JsonObject:
    meta = {"name": "op-manager", "namespace": "op-system"}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": meta,
        "spec": {"template": {"spec": pod}},
    }


def test_holds_on_nodes_and_tokens_are_told_once_they_are_new() -> None:
    lines = [
        "Deployment/manager: container a has the capability NET_ADMIN",
        "Deployment/manager: container a is privileged",
        "Deployment/manager: hostNetwork",
        "Deployment/manager: hostPath /var/log",
        "Secret/token: holds the token of the ServiceAccount operator",
    ]
    now = side(deployment(POD), TOKEN)
    assert told(side(deployment({})), now) == {PRIVILEGES: lines}
    assert told(None, now) == {PRIVILEGES: lines}, "of a new component too"
    assert told(now, now) == {}


def test_the_same_image_twice_is_told_once() -> None:
    pod: JsonObject = {"containers": [{"name": "proxy", "image": "quay.io/example/proxy:v1"}]}
    second = deployment(pod)
    second["metadata"] = {"name": "op-other"}
    assert told(side(), side(deployment(pod), second)) == {"new images": ["proxy: quay.io/example/proxy:v1"]}
