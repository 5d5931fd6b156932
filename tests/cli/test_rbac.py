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


@pytest.mark.parametrize(
    ("question", "who"),
    [
        ("get pods", ["ServiceAccount", "Group", "ClusterRole", "ClusterRole"]),
        ("delete secrets", ["ServiceAccount", "Group"]),
        ("delete secrets.core", ["ServiceAccount", "Group"]),
        ("create pods/exec", ["ServiceAccount", "Group"]),
        ("get /metrics", ["ServiceAccount", "Group", "ClusterRole", "ClusterRole"]),
        ("get nodes", []),
    ],
)
def test_who_may_do_one_thing(question: str, who: list[str]) -> None:
    manifests = ROLE + bound("mine") + bound("edit", ALL).replace("name: a,", "name: b,") + POD
    found = json.loads(told(manifests, "--can", question, "-o", "json"))["holders"]
    kinds = [each["kind"] for each in found]
    assert kinds == who
    assert all(each["permissions"][0]["verbs"] == [question.partition(" ")[0]] for each in found)


def test_nobody_is_said_and_a_wrong_question_is_wrong_usage() -> None:
    result = run("rbac", "-", "--can", "delete nodes", stdin=ROLE)
    assert (result.code, result.out, result.err) == (0, "", "nobody may delete nodes here\n")
    result = run("rbac", "-", "--can", "delete", stdin=ROLE)
    assert (result.code, result.err) == (
        2,
        "error: 'delete' is no question (hint: write a verb and a resource, such as 'delete secrets', "
        "'create pods/exec' or 'get /metrics')\n",
    )


CRD = """\
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: boats.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Boat, plural: boats, singular: boat, shortNames: [bt]}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema: {openAPIV3Schema: {type: object}}
"""
SAILOR = """\
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: mine}
rules:
- {apiGroups: [example.com], resources: [boats, boats/status], verbs: [get]}
- {apiGroups: [other.org], resources: [things], verbs: [get]}
- {apiGroups: [apps], resources: [deployments], verbs: [get]}
---
"""


@pytest.mark.parametrize(
    "what",
    [
        *(
            "boats",
            "boat",
            "Boat",
            "BOATS",
            "bt",
            "boats.example.com",
            "bt.example.com",
            "boat.v1.example.com",
        ),
        *("example.com/boats", "example.com/Boat", "boat/status", "example.com/bt/status", "things"),
        *("other.org/things", "deploy", "Deployment", "deployment.apps", "apps/deploy", "apps/deployments"),
    ],
)
def test_a_resource_has_many_names(what: str) -> None:
    text = SAILOR + bound("mine") + CRD
    found = json.loads(told(text, "--can", f"get {what}", "-o", "json"))["holders"]
    assert [each["name"] for each in found] == ["worker"]


@pytest.mark.parametrize(
    ("question", "message"),
    [
        (
            "get podz",
            "found no resource \"podz\" in Kubernetes, CRDs or roles here (hint: did you mean 'pod'?)",
        ),
        ("get pods/logs", "found no resource \"pods/logs\" (hint: did you mean 'pods/log'?)"),
        ("get boat/scale", 'found no resource "boats/scale" (hint: there is boats/status)'),
        ("get secrets.batch", 'found no resource "batch/secrets" (hint: there is secrets.core)'),
        ("get example.com/boots", "found no resource \"example.com/boots\" (hint: did you mean 'boats'?)"),
        ("get pods.cor", "found no API group \"cor\" (hint: did you mean 'core'?)"),
        ("gte pods", "found the unknown verb 'gte' (hint: did you mean 'get'?)"),
        ("read pods", "'read' stands for several verbs (hint: ask for one of get, list or watch)"),
        (
            "get routes",
            'found no resource "routes" in Kubernetes, CRDs or roles here (hint: did you mean',
        ),
    ],
)
def test_what_is_not_known_is_told(question: str, message: str) -> None:
    result = run("rbac", "-", "--can", question, stdin=SAILOR + CRD)
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith(f"error: {message}")


def test_what_others_have_may_be_asked_for_with_its_group() -> None:
    result = run("rbac", "-", "--can", "get routes.route.openshift.io", stdin=SAILOR + CRD)
    assert (result.code, result.err) == (0, "nobody may get routes.route.openshift.io here\n")


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
