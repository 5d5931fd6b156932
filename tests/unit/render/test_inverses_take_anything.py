"""Inverses look at strangers' objects: whatever stands where, they leave what they do not understand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inverting import BY_KEY, fresh, recognised, scene_of

from kitgen.render.inverse import RecognisedSection
from kitgen.text.yaml import Json, JsonObject

ODD = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(-5, 99999), st.floats(allow_nan=False), st.text(max_size=5)
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from(["name", "image", "port", "matchLabels", "a"]), inner, max_size=3),
    ),
    max_leaves=5,
)
SERVICE = {"name": "x-webhook-service", "path": "/validate-example-com-v1-thing"}
TREE: list[JsonObject] = [
    {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "x-controller-manager"},
        "spec": {
            "replicas": 1,
            "strategy": {"type": "Recreate"},
            "template": {
                "metadata": {"annotations": {"a": "b"}},
                "spec": {
                    "serviceAccountName": "x-manager",
                    "securityContext": {"runAsNonRoot": True},
                    "volumes": [
                        {
                            "name": "cert",
                            "secret": {"secretName": "x-webhook-server-cert", "defaultMode": 420},
                        },
                        {"name": "config", "configMap": {"name": "x-config"}},
                    ],
                    "containers": [
                        {
                            "name": "manager",
                            "image": "quay.io/example/x:v1",
                            "args": ["--a"],
                            "env": [
                                {"name": "A", "value": "b"},
                                {"name": "B", "valueFrom": {"fieldRef": {}}},
                            ],
                            "ports": [{"name": "webhook-server", "containerPort": 9443, "protocol": "TCP"}],
                            "livenessProbe": {"httpGet": {"path": "/healthz", "port": 8081}},
                            "readinessProbe": {"httpGet": {"path": "/readyz", "port": 8081}},
                            "resources": {"limits": {"cpu": "1"}, "requests": {"cpu": 0.5}},
                            "volumeMounts": [
                                {"name": "cert", "mountPath": "/tmp/k8s-webhook-server/serving-certs"},
                                {"name": "config", "mountPath": "/config.yaml", "subPath": "config.yaml"},
                            ],
                        }
                    ],
                },
            },
        },
    },
    {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "x-config"},
        "data": {"config.yaml": "apiVersion: a/v1\nkind: Config\nport: 80\nkeys: {a.b: 1}\n"},
    },
    {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "x-params"},
        "data": {"image": "quay.io/example/x:v1", "namespace": "there"},
    },
    {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "x-webhook-server-cert"}},
    {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "x-webhook-service"},
        "spec": {"ports": [{"port": 443, "targetPort": 9443, "protocol": "TCP"}]},
    },
    {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "x-metrics", "annotations": {"a": "b"}},
        "spec": {"ports": [{"port": 443, "name": "https"}], "selector": {"a": "b"}},
    },
    {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingWebhookConfiguration",
        "metadata": {"name": "x-validating-webhook-configuration"},
        "webhooks": [
            {
                "name": "vthing.kb.io",
                "admissionReviewVersions": ["v1"],
                "clientConfig": {"service": SERVICE},
                "rules": [
                    {
                        "apiGroups": ["example.com"],
                        "apiVersions": ["v1"],
                        "operations": ["CREATE"],
                        "resources": ["things"],
                    }
                ],
                "failurePolicy": "Ignore",
                "sideEffects": "None",
                "timeoutSeconds": 5,
                "namespaceSelector": {"matchExpressions": [{"key": "a", "operator": "In", "values": ["b"]}]},
                "objectSelector": {"matchLabels": {"a": "b"}},
            }
        ],
    },
    {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "x-key"}, "data": {"key": "c2VjcmV0"}},
]


def places(value: Json, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """Return the paths of everything in a value."""
    steps = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    return [path, *(each for step in steps for each in places(value[step], (*path, step)))]


PLACES = [
    path for path in places(TREE) if len(path) > 1 and path[1] not in ("apiVersion", "kind", "metadata")
]


def changed(value: Json, path: tuple[str | int, ...], new: Json) -> Json:
    """Return a value with another one at a path."""
    if not path:
        return new
    below = changed(value[path[0]], path[1:], new)
    if isinstance(value, dict):
        return {**value, path[0]: below}
    return [below if index == path[0] else each for index, each in enumerate(value)]


def taken(tree: list[JsonObject]) -> dict[str, RecognisedSection]:
    """Return what inverses say of a tree."""
    return recognised(scene_of(tree, prefix="x-", account="x-manager"))


def test_the_tree_is_understood() -> None:
    found = taken(TREE)
    assert {*found} == {"config", "webhooks", "services", "deployment", "params", "objects"}
    assert [*found["objects"].section] == ["Secret//x-key"]


@given(st.sampled_from(PLACES), ODD)
def test_anything_may_stand_anywhere(path: tuple[str | int, ...], odd: Json) -> None:
    tree = changed(TREE, path, odd)
    found = taken(tree)
    left = frozenset().union(*(each.objects for each in found.values()))
    assert len(left) == len(tree)  # nothing is lost
    for key, each in found.items():
        assert fresh(key, each.section)


def test_what_a_secret_holds_is_in_no_spec() -> None:
    secret = taken(TREE)["objects"].section["Secret//x-key"]
    assert secret == {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "x-key"}}


@pytest.mark.parametrize("key", list(BY_KEY))
def test_nothing_is_nothing(key: str) -> None:
    assert BY_KEY[key].recognise(scene_of([])) is None
