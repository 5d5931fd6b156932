"""`kitgen rbac` tells who can do what where."""

from __future__ import annotations

import json
from pathlib import Path

import kits
import pytest
from running import run

BINDING = """\
apiVersion: rbac.authorization.k8s.io/v1
kind: {kind}
metadata: {{name: a, namespace: apps}}
roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: {role}}}
subjects: [{subject}]
---
"""
ROLE = """\
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: mine, labels: {rbac.authorization.k8s.io/aggregate-to-edit: "true"}}
rules:
- {apiGroups: ["", batch], resources: [jobs, pods], verbs: [get, list, watch]}
- {apiGroups: [""], resources: [secrets], resourceNames: [a, b], verbs: [get]}
- {nonResourceURLs: [/metrics], verbs: [get]}
---
"""
POD = """\
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: apps}
spec: {serviceAccountName: worker, containers: [{name: web, image: quay.io/apps/web:v1}]}
"""
WORKER = "{kind: ServiceAccount, name: worker, namespace: apps}"
ALL = '{kind: Group, name: "system:authenticated"}'


def told(text: str, *more: str) -> str:
    result = run("rbac", "-", *more, stdin=text)
    assert result.code == 0, result.err
    return result.out


def bound(role: str, subject: str = WORKER, kind: str = "RoleBinding") -> str:
    return BINDING.format(kind=kind, role=role, subject=subject)


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")


def test_what_somebody_may_do_in_few_lines() -> None:
    assert told(ROLE + bound("mine") + POD).splitlines() == [
        "ServiceAccount apps/worker, runs Pod/web",
        "WHERE  VERBS  ON                                 ROLE",
        "apps   read   core/jobs, pods; batch/jobs, pods  mine",
        "apps   get    core/secrets [a, b]; /metrics      mine",
        "",
        "Whoever has Kubernetes' own admin or edit",
        "WHERE        VERBS  ON                                 ROLE",
        "where bound  read   core/jobs, pods; batch/jobs, pods  mine",
        "where bound  get    core/secrets [a, b]; /metrics      mine",
    ]


def test_roles_of_kubernetes_are_named_and_groups_count_for_accounts() -> None:
    text = told(bound("edit", ALL, "ClusterRoleBinding") + bound("gone") + POD)
    assert "cluster  -      all that Kubernetes' own role grants     edit by system:authenticated" in text
    assert "apps     -      what the role grants, which is not here  gone" in text
    assert text.count("edit") == 2
    assert "nothing" in told(POD)


def test_nobody_gets_a_permission() -> None:
    result = run("rbac", "-", stdin=ROLE.replace("aggregate-to-edit", "other"))
    assert (result.code, result.out, result.err) == (0, "", "nobody gets a permission here\n")


def test_sources_are_named_as_everywhere(tmp_path: Path) -> None:
    kit = kits.make_kit(tmp_path / "kit", kits.CASES / "valid" / "exceptions")
    whole = run("rbac", "odh", "--root", kit)
    assert (whole.code, "ServiceAccount" in whole.out) == (0, True)
    assert run("rbac", "target:odh/hello", "--root", kit).out == whole.out
    assert run("rbac", "component:hello@v1.0.0", "--root", kit).code == 0
    assert run("rbac", "release:v1.0.0", "--root", kit).code == 2
    assert run("rbac", "nothing", "--root", kit).code == 2


@pytest.mark.parametrize(
    "text",
    [
        "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: a}, rules: {a: 1}}",
        "{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: a}, roleRef: [1]}",
        "{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: a}, roleRef: {}, "
        "subjects: 3}",
        "{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: a}, roleRef: {}, "
        "subjects: [{kind: [1], name: {a: 1}}]}",
        "{apiVersion: operators.coreos.com/v1alpha1, kind: ClusterServiceVersion, metadata: {name: a}, "
        "spec: {install: {spec: {clusterPermissions: [1, {rules: 3}]}}}}",
        "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: a, labels: 3}, "
        "aggregationRule: {clusterRoleSelectors: [1, {matchLabels: 1}]}}",
    ],
)
def test_values_of_any_shape(text: str) -> None:
    told(text)
    json.loads(told(text, "-o", "json"))
