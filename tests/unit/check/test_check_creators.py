"""What is absent beside a custom resource, and who among the objects may create it."""

from __future__ import annotations

import pytest
from checking import checked

FAULTS = """
apiVersion: v1
kind: ServiceAccount
metadata: {name: web, namespace: apps}
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: apps, labels: {app: web}}
spec: {selector: {app: web}, ports: [{name: http, port: 80}]}
---
apiVersion: v1
kind: Service
metadata: {name: other, namespace: apps}
spec: {selector: {tier: front}, ports: [{port: 80}]}
---
apiVersion: v1
kind: Secret
metadata: {name: login, namespace: apps}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: apps}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: web, namespace: apps}
rules: [{apiGroups: [""], resources: [pods], verbs: [get]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: web, namespace: apps}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: reading}
subjects: [{kind: ServiceAccount, name: web, namespace: apps}]
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: web, namespace: apps}
spec: {minAvailable: 1, selector: {matchLabels: {tier: back}}}
---
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata: {name: web, namespace: apps}
spec: {selector: {matchLabels: {tier: back}}, endpoints: [{port: http}]}
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: web, namespace: apps}
spec: {defaultBackend: {service: {name: pages, port: {number: 80}}}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: apps}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      serviceAccountName: pages
      volumes: [{name: certs, secret: {secretName: certs}}, {name: rules, configMap: {name: rules}}]
      containers:
      - {name: web, image: 'example.com/web:v1.0.0', ports: [{name: http, containerPort: 80}]}
"""
EVERY = sorted(
    (
        ("configuration-missing", "Deployment/web"),
        ("configuration-missing", "Deployment/web"),
        ("role-missing", "RoleBinding/web"),
        ("selector-unmatched", "PodDisruptionBudget/web"),
        ("selector-unmatched", "Service/other"),
        ("selector-unmatched", "ServiceMonitor/web"),
        ("service-account-missing", "Deployment/web"),
        ("service-missing", "Ingress/web"),
    )
)
CUSTOM = """
apiVersion: opendatahub.io/v1alpha
kind: OdhDashboardConfig
metadata: {name: main, namespace: %s}
"""
WIDE = """
apiVersion: platform.example.com/v1
kind: Platform
metadata: {name: main}
"""
OPERATOR = """
apiVersion: v1
kind: ServiceAccount
metadata: {{name: operator, namespace: system}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {{name: operator, namespace: system}}
spec:
  selector: {{matchLabels: {{app: operator}}}}
  template:
    metadata: {{labels: {{app: operator}}}}
    spec:
      serviceAccountName: operator
      containers: [{{name: operator, image: 'example.com/operator:v1.0.0', args: [{args}]}}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {{name: operator}}
rules:
{rules}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: {binding}
metadata: {{name: operator{place}}}
roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: operator}}
subjects: [{{kind: ServiceAccount, name: operator, namespace: system}}]
"""
RULE = "- {{apiGroups: ['{}'], resources: [{}], verbs: [{}]}}"


def operator(*rules: tuple[str, str, str], where: str = "", args: str = "run") -> str:
    place, binding = (f", namespace: {where}", "RoleBinding") if where else ("", "ClusterRoleBinding")
    lines = "\n".join(RULE.format(*each) for each in rules)
    return OPERATOR.format(rules=lines, place=place, binding=binding, args=args)


def absent(*parts: str) -> list[tuple[str, str, str]]:
    """Return what is absent: rule, object and hint."""
    wanted = {rule for rule, _ in EVERY}
    return sorted(
        (each.rule.id, each.subject.partition(" ")[0], each.hint)
        for each in checked("---".join(parts))
        if each.rule.id in wanted
    )


@pytest.mark.parametrize("custom", [CUSTOM % "apps", WIDE], ids=["namespaced", "cluster-scoped"])
def test_a_custom_resource_alone_excuses_nothing(custom: str) -> None:
    name = "OdhDashboardConfig/main" if "Odh" in custom else "Platform/main"
    found = absent(FAULTS, custom)
    assert [each[:2] for each in found] == EVERY
    assert {hint for *_, hint in found} == {f"correct only if {name} creates it"}


@pytest.mark.parametrize("custom", ["", CUSTOM % "elsewhere"], ids=["none", "elsewhere"])
def test_no_hint_names_a_custom_resource_that_is_not_there(custom: str) -> None:
    found = absent(*filter(None, (FAULTS, custom)))
    assert [each[:2] for each in found] == EVERY
    assert not any("correct only if" in hint for *_, hint in found)


MAY = (
    ("", "secrets, configmaps", "create"),
    ("", "services, serviceaccounts", "'*'"),
    ("apps", "deployments", "create, get"),
    ("rbac.authorization.k8s.io", "roles", "create"),
)


@pytest.mark.parametrize("where", ["", "apps"], ids=["cluster", "namespace"])
def test_an_account_that_may_create_it_excuses_an_absent_object(where: str) -> None:
    assert absent(FAULTS, CUSTOM % "apps", operator(*MAY, where=where)) == []


@pytest.mark.parametrize(
    ("given", "left"),
    [
        (operator(*MAY, where="elsewhere"), EVERY),
        (operator(("*", "'*'", "get, list, update, patch, delete")), EVERY),
        (operator(("", "pods/exec, services/proxy", "create")), EVERY),
        # A role for the election of a leader is no sign of a ConfigMap for others.
        (operator(("", "configmaps", "create"), ("coordination.k8s.io", "leases", "create")), EVERY),
        (operator(("batch", "jobs", "create")), [each for each in EVERY if each[1] not in (
            "PodDisruptionBudget/web", "Service/other")]),
        (operator(("", "services", "create")), [each for each in EVERY if each[1] not in (
            "Ingress/web", "ServiceMonitor/web")]),
    ],
)  # fmt: skip
def test_other_permissions_do_not(given: str, left: list[tuple[str, str]]) -> None:
    assert [each[:2] for each in absent(FAULTS, CUSTOM % "apps", given)] == left


OWN = """
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: own}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}
subjects: [{kind: ServiceAccount, name: %s, namespace: apps}]
"""


def test_what_waits_for_an_object_does_not_create_it() -> None:
    faults = FAULTS.replace("serviceAccountName: pages", "serviceAccountName: web")
    found = [each[:2] for each in absent(faults, CUSTOM % "apps", OWN % "web")]
    assert found == [("configuration-missing", "Deployment/web")] * 2 + [("role-missing", "RoleBinding/web")]
    # Nor does the account that its pod was surely meant to run as.
    assert ("service-account-missing", "Deployment/web") in [
        each[:2] for each in absent(FAULTS, CUSTOM % "apps", OWN % "web")
    ]


@pytest.mark.parametrize(
    ("given", "count"),
    [
        ("", 2),
        (operator(("", "secrets, configmaps", "create")), 2),  # anywhere, for whatever it is asked
        (operator(("", "secrets, configmaps", "create"), where="apps"), 0),
        (operator(("", "secrets, configmaps", "create"), args="--secret-name=certs"), 1),
        (operator(("", "configmaps", "get"), args="'kubectl create configmap rules -n apps'"), 1),
        (operator(("", "secrets", "create"), where="elsewhere", args="--secret-name=certs"), 2),
    ],
)
def test_configuration_that_something_else_in_the_files_creates_is_not_missing(
    given: str, count: int
) -> None:
    found = [each for each in absent(*filter(None, (FAULTS, given))) if each[0] == "configuration-missing"]
    assert len(found) == count


INIT = """
apiVersion: v1
kind: Secret
metadata: {{name: store-settings, namespace: apps}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {{name: store, namespace: apps}}
spec:
  selector: {{matchLabels: {{app: store}}}}
  template:
    metadata: {{labels: {{app: store}}}}
    spec:
      serviceAccountName: store
      {field}: [{{name: setup, image: 'example.com/cli:v1.0.0', command: [cli, first-password]}}]
      containers:
      - name: store
        image: example.com/store:v1.0.0
        env: [{{name: PASSWORD, valueFrom: {{secretKeyRef: {{name: password, key: auth}}}}}}]
---
apiVersion: v1
kind: ServiceAccount
metadata: {{name: store, namespace: apps}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {{name: store, namespace: apps}}
rules: [{{apiGroups: [""], resources: [secrets], verbs: [create]}}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {{name: store, namespace: apps}}
roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: Role, name: store}}
subjects: [{{kind: ServiceAccount, name: store, namespace: apps}}]
"""


def test_an_init_container_creates_what_the_others_read() -> None:
    assert absent(INIT.format(field="initContainers")) == []
    assert [each[0] for each in absent(INIT.format(field="ephemeralContainers"))] == ["configuration-missing"]
