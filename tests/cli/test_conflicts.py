"""kitgen conflicts tells what two sources would both own on one cluster."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

import kits
import pytest
from running import run

CRD = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: boats.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Boat, plural: boats}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
"""
ACCOUNT = "---\napiVersion: v1\nkind: ServiceAccount\nmetadata: {name: a, namespace: NAMESPACE}\n"
HOOK = """\
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: NAME}
webhooks:
- name: boats.example.com
  admissionReviewVersions: [v1]
  sideEffects: None
  clientConfig: {service: {name: SERVICE, namespace: a}}
  rules: [{apiGroups: [example.com], apiVersions: ["*"], resources: [boats], operations: [CREATE]}]
"""
RULES = re.compile(r"rules: .*")


def told(tmp_path: Path, one: str, other: str) -> tuple[int, list[str]]:
    kits.write(tmp_path, {"one.yaml": one, "other.yaml": other})
    done = run("conflicts", tmp_path / "one.yaml", tmp_path / "other.yaml", "-o", "json")
    return done.code, [each["subject"] for each in json.loads(done.out)["conflicts"]]


def hook(name: str, service: str) -> str:
    return HOOK.replace("NAME", name).replace("SERVICE", service)


def test_targets_own_the_same_crds(kit: Path) -> None:
    done = run("conflicts", "odh", "rhoai")
    assert done.code == 1
    assert "CustomResourceDefinition/greetings.example.com" in done.out
    assert done.err == "target:odh and target:rhoai: 3 conflicts\n"
    assert "hello-controller-manager in " not in done.out  # each has its own namespace


def test_nothing_in_common(tmp_path: Path) -> None:
    assert told(tmp_path, CRD, ACCOUNT.replace("NAMESPACE", "a")) == (0, [])


def test_a_namespace_tells_objects_apart(tmp_path: Path) -> None:
    one, other = (ACCOUNT.replace("NAMESPACE", each) for each in ("a", "b"))
    assert told(tmp_path, one, other) == (0, [])
    assert told(tmp_path, one, one) == (1, ["ServiceAccount/a in a"])


def test_a_bundle_owns_what_it_lists(tmp_path: Path) -> None:
    bundle = (
        "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata: {name: a.v1.0.0}\n"
        "spec: {customresourcedefinitions: {owned: [{name: boats.example.com, kind: Boat, version: v1}]}}\n"
    )
    assert told(tmp_path, bundle, CRD) == (1, ["CustomResourceDefinition/boats.example.com"])


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (("a", "boats"), ("a", "boats"), ["ValidatingWebhookConfiguration/a"]),
        (("a", "boats"), ("b", "boats"), ["requests for example.com/boats"]),
        (("a", "boats"), ("b", "ships"), []),
    ],
)
def test_webhooks_of_one_program(
    tmp_path: Path, one: tuple[str, str], other: tuple[str, str], expected: list[str]
) -> None:
    assert told(tmp_path, hook(*one), hook(*other)) == (int(bool(expected)), expected)


def test_the_worst_comes_first(kit: Path) -> None:
    data = json.loads(run("conflicts", "odh", "rhoai", "-o", "json").out)
    kinds = [each["kind"] for each in data["conflicts"]]
    assert kinds[0] == "CustomResourceDefinition"
    assert data["conflicts"][0]["one"]["file"] == "components/hello/v1.0.0/crds/greetings.yaml"


def test_markdown_is_a_table(kit: Path) -> None:
    out = run("conflicts", "odh", "rhoai", "-o", "markdown").out
    assert out.startswith(
        "**`target:odh` and `target:rhoai` on one cluster: 3 conflicts**\n\n| both would own"
    )


@pytest.mark.parametrize(
    "names", [("odh", "git:HEAD"), ("odh", "nothing.yaml"), ("-", "-"), ("release:v1.0.0", "odh")]
)
def test_what_is_no_source_of_one_thing(kit: Path, names: tuple[str, str]) -> None:
    done = run("conflicts", *names)
    assert (done.code in (2, 3), done.out) == (True, "")


ROLE = """\
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: a, labels: {team: x}}
rules: [{apiGroups: [""], resources: [pods], verbs: [get, list]}]
"""
BINDING = """\
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: a}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: a}
subjects: [{kind: ServiceAccount, name: a, namespace: b}]
"""
LIMITS = """\
apiVersion: security.openshift.io/v1
kind: SecurityContextConstraints
metadata: {name: a}
users: ["system:serviceaccount:a:b"]
allowPrivilegedContainer: false
"""
OWN, WORDING = "identical; both own it", "identical but for wording; both own it"
OVER = "each writes its own over the other's"
SCHEMA = "{openAPIV3Schema: {type: object}}"
LAST = "requests reach the service of whichever wrote last"
REASONS = [
    (CRD, "", "", OWN),
    (CRD, SCHEMA, "{openAPIV3Schema: {type: object, description: a}}", WORDING),
    (CRD, SCHEMA, "{openAPIV3Schema: {type: object, maxItems: 2}}", f"they differ in schema, and {OVER}"),
    (CRD, "served: true", "served: false", f"they differ in versions, and {OVER}"),
    (CRD, "scope: Namespaced", "scope: Cluster", f"they differ in spec.scope, and {OVER}"),
    (ROLE, "", "", OWN),
    (ROLE, "[get, list]", "[list, get]", WORDING),
    (ROLE, "team: x", "team: y", "identical but for labels; both own it"),
    (ROLE, "pods", "nodes", f"they differ in permissions, and {OVER}"),
    (BINDING, "namespace: b", "namespace: c", f"they differ in subjects, and {OVER}"),
    (
        BINDING,
        "ClusterRole, name: a",
        "ClusterRole, name: b",
        "they differ in role, and whichever comes second is refused: a binding keeps its role",
    ),
    (LIMITS, "a:b", "c:d", f"they differ in accounts, and {OVER}"),
    (LIMITS, "false", "true", f"they differ in allowPrivilegedContainer, and {OVER}"),
    (hook("a", "boats"), "", "", OWN),
    (hook("a", "boats"), "name: boats,", "name: ships,", f"they differ in service, and {LAST}"),
    (hook("a", "boats"), "[CREATE]", "[UPDATE]", f"they differ in webhooks, and {OVER}"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "old", "new", "reason"), REASONS)
def test_the_reason_is_what_is_different(tmp_path: Path, text: str, old: str, new: str, reason: str) -> None:
    kits.write(tmp_path, {"one.yaml": text, "other.yaml": text.replace(old, new) if old else text})
    done = run("conflicts", tmp_path / "one.yaml", tmp_path / "other.yaml", "-o", "json")
    (found,) = (each["reason"] for each in json.loads(done.out)["conflicts"])
    removed, taken = found.removeprefix(f"{reason}; "), ("its custom resources along", "from the other")
    assert removed.startswith("whichever is removed takes ")
    assert removed.endswith(taken)


@pytest.mark.parametrize(("rules", "words"), [(2_000, 1), (1, 15_000), (200, 70)])
def test_many_rules_of_webhooks_are_looked_through_in_time(tmp_path: Path, rules: int, words: int) -> None:
    def many(name: str) -> str:
        listed = [
            {
                "apiGroups": [f"{name}{number}.{word}" for word in range(words)],
                "resources": [f"{name}{word}" for word in range(words)],
                "operations": ["CREATE"],
            }
            for number in range(rules)
        ]
        return RULES.sub(f"rules: {json.dumps(listed)}", hook(name, "a"))

    sides = many("one"), many("two")
    before = time.process_time()
    assert told(tmp_path, *sides) == (0, [])
    assert time.process_time() - before < 3
