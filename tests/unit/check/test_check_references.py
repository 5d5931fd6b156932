"""What objects say of each other, where a table says more than examples with marked lines."""

from __future__ import annotations

import pytest
from checking import DEPLOYMENT, bodies, checked, manifest

from kitgen.check.context import CheckContext
from kitgen.check.references import objects
from kitgen.text.yaml import Json

ROUTE = """
apiVersion: route.openshift.io/v1
kind: Route
metadata: {name: web, namespace: apps}
spec: {to: {kind: Service, name: %s}, port: {targetPort: %s}}
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: apps}
spec: {selector: {app: web}, ports: [{name: http, port: 80}]}
"""


def rules(text: str) -> list[str]:
    return [each.rule.id for each in checked(text) if each.rule.id != "kind-unknown"]


@pytest.mark.parametrize(
    ("name", "port", "want"),
    [
        ("web", "http", []),
        ("web", "80", []),
        ("web", "https", ["service-port-missing"]),
        ("wbe", "http", ["service-missing"]),
    ],
)
def test_a_route_leads_to_a_service(name: str, port: str, want: list[str]) -> None:
    assert rules(ROUTE % (name, port)) == want


def test_an_object_without_a_namespace_may_be_in_any() -> None:
    service = """
        apiVersion: v1
        kind: Service
        metadata: {name: web}
        spec: {selector: {app: web}, ports: [{port: 80, targetPort: http}]}
        """
    assert rules(DEPLOYMENT + "---" + service) == ["service-port"]


@pytest.mark.parametrize("odd", [None, 0, True, "", "x" * 5000, [], [None], {}, {"a": []}, [[{}]]])
def test_values_of_any_shape_are_looked_at(odd: Json) -> None:
    kinds = [
        ("v1", "Service"), ("apps/v1", "Deployment"), ("apps/v1", "StatefulSet"), ("v1", "Secret"),
        ("rbac.authorization.k8s.io/v1", "RoleBinding"), ("autoscaling/v2", "HorizontalPodAutoscaler"),
        ("networking.k8s.io/v1", "Ingress"), ("networking.k8s.io/v1", "NetworkPolicy"),
        ("monitoring.coreos.com/v1", "PodMonitor"), ("route.openshift.io/v1", "Route"),
        ("apiextensions.k8s.io/v1", "CustomResourceDefinition"),
        ("security.openshift.io/v1", "SecurityContextConstraints"), ("cert-manager.io/v1", "Certificate"),
        ("gateway.networking.k8s.io/v1", "HTTPRoute"), ("gateway.networking.k8s.io/v1", "Gateway"),
        ("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicyBinding"), ("v1", "ServiceAccount"),
        ("scheduling.k8s.io/v1", "PriorityClass"), ("policy/v1", "PodDisruptionBudget"),
        ("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration"), ("v1", "ConfigMap"),
    ]  # fmt: skip
    found = [
        {
            "apiVersion": api,
            "kind": kind,
            "metadata": {"name": "web"},
            "spec": odd,
            "users": odd,
            "roleRef": odd,
            "webhooks": odd,
            "data": odd,
        }
        for api, kind in kinds
    ]
    whole = bodies(DEPLOYMENT)
    context = CheckContext(targets={"": [manifest(body) for body in [*found, *whole]]}, minors=(32, 33))
    assert [hit for hit in objects.check(context) if hit.manifest.body["metadata"]["name"] != "web"] == []
