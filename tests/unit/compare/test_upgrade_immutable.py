"""What of each kind never changes, and what is no change: two states of one object, side by side."""

from __future__ import annotations

from collections.abc import Callable

import kits
import pytest

from kitgen.compare.upgrade.immutable import check_immutable_fields
from kitgen.findings import format_pointer
from kitgen.text.yaml import Dialect, JsonObject, read_yaml

KINDS = {
    "ClusterRoleBinding": "rbac.authorization.k8s.io/v1",
    "ConfigMap": "v1",
    "CSIDriver": "storage.k8s.io/v1",
    "CSIStorageCapacity": "storage.k8s.io/v1",
    "CustomResourceDefinition": "apiextensions.k8s.io/v1",
    "DaemonSet": "apps/v1",
    "Deployment": "apps/v1",
    "EndpointSlice": "discovery.k8s.io/v1",
    "IngressClass": "networking.k8s.io/v1",
    "IPAddress": "networking.k8s.io/v1",
    "Job": "batch/v1",
    "PersistentVolume": "v1",
    "PersistentVolumeClaim": "v1",
    "Pod": "v1",
    "PriorityClass": "scheduling.k8s.io/v1",
    "ResourceQuota": "v1",
    "ResourceSlice": "resource.k8s.io/v1beta1",
    "RoleBinding": "rbac.authorization.k8s.io/v1",
    "RuntimeClass": "node.k8s.io/v1",
    "Secret": "v1",
    "Service": "v1",
    "ServiceCIDR": "networking.k8s.io/v1",
    "StatefulSet": "apps/v1",
    "StorageClass": "storage.k8s.io/v1",
    "StorageVersionMigration": "storagemigration.k8s.io/v1alpha1",
}

CASES = read_yaml((kits.CASES / "upgrade" / "updates.yaml").read_text(), dialect=Dialect.TEXT)


def body(kind: str, data: JsonObject, **meta: str | JsonObject) -> JsonObject:
    whole = {"apiVersion": KINDS[kind], "kind": kind, "metadata": {"name": "a", "namespace": "b", **meta}}
    return {**whole, **data}


def spec(kind: str, text: str, **meta: str | JsonObject) -> JsonObject:
    return body(kind, {"spec": read_yaml(text, dialect=Dialect.TEXT)}, **meta)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['kind']}{case.get('at', '')}")
def test_an_update(case: JsonObject) -> None:
    old, new = (body(case["kind"], case[key]) for key in ("old", "new"))
    found = [format_pointer(each.path) for each in check_immutable_fields(old, new, (32,))]
    assert found == ([case["at"]] if "at" in case else [])
    for each in (old, new):
        assert list(check_immutable_fields(each, each)) == []


def test_what_a_cluster_filled_in_is_no_change() -> None:
    text = "{clusterIP: 10.0.0.1, loadBalancerClass: a/b, type: LoadBalancer}"
    assert (
        list(check_immutable_fields(spec("Service", text, uid="x"), spec("Service", "{type: LoadBalancer}")))
        == []
    )
    old = spec("PersistentVolumeClaim", "{volumeName: v, storageClassName: s}", uid="x")
    assert list(check_immutable_fields(old, spec("PersistentVolumeClaim", "{}"))) == []


def test_the_history_of_a_stateful_set_is_free_in_newer_minors() -> None:
    old, new = spec("StatefulSet", "{}"), spec("StatefulSet", "{revisionHistoryLimit: 2}")
    assert len(list(check_immutable_fields(old, new, (32, 33)))) == 1
    assert list(check_immutable_fields(old, new, (33, 34))) == []


@pytest.mark.parametrize(
    "note", [{"helm.sh/hook": "pre-upgrade"}, {"argocd.argoproj.io/sync-options": "Force=true,Replace=true"}]
)
def test_a_job_that_is_made_anew_may_change(note: JsonObject) -> None:
    old, new = spec("Job", "{completions: 1}"), spec("Job", "{completions: 2}", annotations=note)
    assert list(check_immutable_fields(old, new)) == []


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        (
            "Job",
            lambda value: {"spec": {"template": {"spec": {"containers": [{"env": [{"value": value}]}]}}}},
        ),
        ("Job", lambda value: {"spec": {"template": {"spec": {"containers": [{"args": [value]}]}}}}),
        ("Secret", lambda value: {"immutable": True, "stringData": {"a": value}}),
    ],
)
def test_a_value_that_may_be_a_secret_is_not_told(kind: str, data: Callable[[str], JsonObject]) -> None:
    (found,) = check_immutable_fields(body(kind, data("hunter2")), body(kind, data("correct-horse")))
    assert "hunter2" not in f"{found}"
    assert "horse" not in f"{found}"


def test_a_manifest_that_names_another_object_by_its_uid() -> None:
    old, new = (body("ConfigMap", {}, uid=each) for each in "ab")
    assert [each.path for each in check_immutable_fields(old, new)] == [("metadata", "uid")]


STRANGE = [None, 1, [], [1], {"a": "b"}, "text", [[]], {"matchLabels": [1]}, [None]]


@pytest.mark.parametrize("kind", KINDS)
def test_values_of_any_shape(kind: str) -> None:
    inside = ("selector", "template", "containers", "tolerations", "volumeClaimTemplates", "ipFamilies")
    for value in STRANGE:
        whole = body(kind, {"spec": dict.fromkeys(inside, value)})
        for key in ("spec", "roleRef", "data", "template", "immutable", "parameters"):
            strange = body(kind, {key: value})
            for old, new in ((strange, whole), (whole, strange)):
                list(check_immutable_fields(old, new))
