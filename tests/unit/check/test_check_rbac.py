"""Permissions: what is told of roles in a bundle, of specs in their own words, and what is told once."""

from __future__ import annotations

import pytest
from checking import manifest

from kitgen.check.context import CheckContext
from kitgen.check.rbac.objects import check
from kitgen.findings import Origin
from kitgen.kube.manifest import FieldSource, Manifest
from kitgen.text.yaml import JsonObject

RBAC = "rbac.authorization.k8s.io/v1"


def role(*rules: JsonObject, verbatim: bool = True, name: str = "worker") -> Manifest:
    body = {"apiVersion": RBAC, "kind": "ClusterRole", "metadata": {"name": name}, "rules": [*rules]}
    source = FieldSource(path=(), cause="object", origin=Origin("x.yaml"), verbatim=verbatim)
    return Manifest(body=body, sources=(source,))


def rule(group: str, resource: str, *verbs: str) -> JsonObject:
    return {"apiGroups": [group], "resources": [resource], "verbs": [*verbs]}


def found(*objects: Manifest) -> list[str]:
    hits = check(CheckContext(targets={"": objects}, minors=(31, 32)))
    return [f"{hit.problem.rule}: {hit.problem.message}" for hit in hits]


@pytest.mark.parametrize(
    ("given", "rules"),
    [
        (rule("", "secret", "get"), []),  # told when the spec is read
        (rule("", "pods", "gte"), []),
        (rule("btach", "jobs", "get"), []),
        (rule("events.k8s.io", "kube-scheduler", "get"), ["role-resource-unknown"]),
        (rule("widgets.k8s.io", "widgets", "get"), []),  # another version may have the CRD
        (rule("authorization.k8s.io", "subjectaccessreviews", "get"), ["role-verb-unknown"]),
    ],
)
def test_specs_are_told_once(given: JsonObject, rules: list[str]) -> None:
    assert [each.partition(":")[0] for each in found(role(given, verbatim=False))] == rules
    assert len(found(role(given))) == 1


def test_one_finding_a_role_and_rule_with_all_of_it() -> None:
    rules = [
        rule("", "secrets", "get"),
        rule("", "secrets", "list", "watch", "delete"),
        rule("", "pods", "*"),
    ]
    assert found(role(*rules, rule("apps", "*", "get"))) == [
        "permission-wildcard: found permission to do anything with pods of core and to get every resource of "
        "apps",
        "permission-secrets: found permission to read and delete secrets in the whole cluster",
    ]


def test_all_verbs_on_roles_are_escalation_too() -> None:
    (_, escalation, writing) = found(role(rule("rbac.authorization.k8s.io", "clusterroles", "*")))
    assert escalation == "permission-escalation: found permission to do anything with clusterroles"
    assert writing.startswith("permission-roles: ")


def test_what_a_bundle_gives_counts_too() -> None:
    body = {
        "apiVersion": "operators.coreos.com/v1alpha1",
        "kind": "ClusterServiceVersion",
        "metadata": {"name": "worker.v1.0.0", "namespace": "apps"},
        "spec": {
            "install": {
                "spec": {
                    "clusterPermissions": [
                        {"serviceAccountName": "worker", "rules": [rule("", "secrets", "list")]}
                    ],
                    "permissions": [{"serviceAccountName": "worker", "rules": [rule("", "secrets", "get")]}],
                }
            }
        },
    }
    (hit,) = check(CheckContext(targets={"": [manifest(body)]}, minors=(31, 32)))
    assert hit.problem.message == "found permission to list secrets in the whole cluster"
    assert hit.problem.path[3:] == ("clusterPermissions", 0, "rules", 0, "resources", 0)


def test_what_others_declare_counts_as_known() -> None:
    crd = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "queues.example.com"},
        "spec": {
            "group": "example.com",
            "names": {"kind": "Queue", "plural": "queues"},
            "versions": [{"name": "v1"}],
        },
    }
    worker = role(rule("example.com", "queues", "get"))
    assert found(worker) == []  # it may be anybody's
    assert not [*check(CheckContext(targets={"": [worker]}, minors=(31, 32), crds=[crd]))]
    misplaced = role(rule("example.org", "queues", "get"))
    (hit,) = check(CheckContext(targets={"": [misplaced]}, minors=(31, 32), crds=[crd]))
    assert hit.problem.hint == "did you mean 'example.com'?"


def test_what_a_target_left_of_a_rule_need_not_belong_together() -> None:
    """A rule for pods and deployments of two groups is taken apart when a target withholds a part of it."""
    whole = role(rule("", "deployments", "get"))
    withheld = FieldSource(path=("rules", 0), cause="withhold", origin=Origin("targets/odh.yaml"))
    assert found(whole) != []
    assert found(Manifest(body=whole.body, sources=(*whole.sources, withheld))) == []


def test_a_role_that_is_taken_apart_at_its_limit_is_still_told_of() -> None:
    many = {"apiGroups": [""], "resources": [f"r{each}" for each in range(5_000)], "verbs": ["get"]}
    (message,) = found(role(many))
    assert message.startswith('role-resource-unknown: found the resources "core/r0"')
    assert len(message) < 2_000
