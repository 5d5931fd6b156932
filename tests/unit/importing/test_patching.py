"""Patches that an import writes: as small as can be, and none that a check refuses."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from some import rows

from kitgen.compare.objects.compare import compare_object_sets
from kitgen.importing.patches import build_patch, describe_patch
from kitgen.kube.identity import ObjectId
from kitgen.render.patches import has_patch_findings
from kitgen.text.yaml import JsonObject

DEPLOYMENT: dict[str, Any] = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "manager"},
    "spec": {
        "template": {
            "spec": {
                "securityContext": {"runAsNonRoot": True},
                "containers": [{"name": "a", "args": ["x"]}, {"name": "b", "args": ["y"]}],
            }
        }
    },
}


def patched(made: JsonObject, real: JsonObject, final: JsonObject | None = None) -> JsonObject | None:
    """Return the patch for the differences of two objects; `final` is what kustomize makes of the first."""
    differences = compare_object_sets([final or made], [real]).differences
    patch = build_patch(ObjectId.of(made), differences, real, made)
    assert patch is None or not has_patch_findings(patch, made)
    return patch


def test_what_is_in_maps_is_merged() -> None:
    real = deepcopy(DEPLOYMENT)
    del real["spec"]["template"]["spec"]["securityContext"]
    real["metadata"]["annotations"] = {"a": "b"}
    patch = patched(DEPLOYMENT, real)
    assert patch is not None
    assert patch["merge"] == {
        "metadata": {"annotations": {"a": "b"}},
        "spec": {"template": {"spec": {"securityContext": None}}},
    }


def test_what_is_in_lists_is_changed_in_its_place() -> None:
    real = deepcopy(DEPLOYMENT)
    real["spec"]["template"]["spec"]["containers"][1]["tty"] = True
    patch = patched(DEPLOYMENT, real)
    assert patch is not None
    place = "/spec/template/spec/containers/1/tty"
    assert patch["ops"] == [{"op": "add", "path": place, "value": True}]


def test_another_order_replaces_the_list() -> None:
    real = deepcopy(DEPLOYMENT)
    real["spec"]["template"]["spec"]["containers"].reverse()
    patch = patched(DEPLOYMENT, real)
    assert patch is not None
    (operation,) = patch["ops"]
    assert [each["name"] for each in operation["value"]] == ["b", "a"]


def test_maps_around_a_new_value_come_with_it() -> None:
    real = deepcopy(DEPLOYMENT)
    real["metadata"]["labels"] = {"a": "b", "c": "d"}
    real["spec"]["template"]["spec"]["containers"][0]["tty"] = True
    final = deepcopy(DEPLOYMENT)
    final["metadata"]["labels"] = {"c": "d"}  # a rule for all gives it, after patches
    patch = patched(DEPLOYMENT, real, final)
    assert patch is not None
    assert {"op": "add", "path": "/metadata/labels", "value": {"a": "b"}} in patch["ops"]


def test_what_comes_after_patches_is_no_matter_of_patches() -> None:
    binding: dict[str, Any] = {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "RoleBinding",
        "metadata": {"name": "a"},
        "subjects": [{"kind": "ServiceAccount", "name": "a"}],
    }
    final = deepcopy(binding)
    final["subjects"][0]["namespace"] = "system"
    assert patched(binding, binding, final) is None


def test_rules_of_roles_are_replaced_as_a_whole() -> None:
    role: dict[str, Any] = {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": {"name": "a:b"},
        "rules": [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}],
    }
    real = {**role, "rules": [{"apiGroups": [""], "resources": ["pods"], "verbs": ["list"]}]}
    patch = patched(role, real)
    assert patch is not None
    assert patch["name"] == "clusterrole-a-b"
    assert patch["ops"] == [{"op": "replace", "path": "/rules", "value": real["rules"]}]


@rows(
    ("words", "reason"),
    [
        ({"merge": {"spec": {"replicas": None}}}, "has no spec.replicas"),
        ({"merge": {"metadata": {"labels": {"a": "b", "c": "d"}}}}, "sets metadata.labels"),
        (
            {"merge": {"spec": {"a": 1, "b": {"c": None}}}},
            "sets spec.a and has no spec.b.c",
        ),
        ({"ops": [{"op": "add", "path": "/rules/-", "value": {}}]}, "sets rules"),
        (
            {"ops": [{"op": "replace", "path": f"/spec/{each}", "value": 1} for each in "abcde"]},
            "sets spec.a, spec.b, spec.c and 2 more fields",
        ),
    ],
)
def test_a_reason_says_what_a_patch_does(words: JsonObject, reason: str) -> None:
    assert describe_patch(words) == f"the imported tree {reason}; no other key can say that"
