"""How lists are merged, as Kubernetes' own definitions say."""

from __future__ import annotations

import pytest

from kitgen.kube.merge_keys import DefinitionField, definition_of

POD = ("spec", "template", "spec")


def at(api_version: str, kind: str, *path: str, minor: int = 29) -> DefinitionField | None:
    """Return a field; [] goes on with what the items of a list are."""
    field = definition_of({"apiVersion": api_version, "kind": kind}, minor)
    for step in path:
        field = (field.item if step == "[]" else field.get_field(step)) if field else None
    return field


@pytest.mark.parametrize(
    ("path", "keys"),
    [
        ((*POD, "containers"), ("name",)),
        ((*POD, "initContainers"), ("name",)),
        ((*POD, "containers", "[]", "env"), ("name",)),
        ((*POD, "containers", "[]", "ports"), ("containerPort", "protocol")),
        ((*POD, "containers", "[]", "volumeMounts"), ("mountPath",)),
        ((*POD, "containers", "[]", "args"), None),
        ((*POD, "containers", "[]", "envFrom"), None),
        ((*POD, "volumes"), ("name",)),
        ((*POD, "imagePullSecrets"), ("name",)),
        ((*POD, "tolerations"), None),
        ((*POD, "hostAliases"), ("ip",)),
        ((*POD, "topologySpreadConstraints"), ("topologyKey", "whenUnsatisfiable")),
        (("metadata", "finalizers"), ()),
        (("metadata", "ownerReferences"), ("uid",)),
        (("status", "conditions"), ("type",)),
    ],
)
def test_lists_of_a_deployment(path: tuple[str, ...], keys: tuple[str, ...] | None) -> None:
    field = at("apps/v1", "Deployment", *path)
    assert field is not None and field.merge_keys == keys


def test_lists_of_other_kinds() -> None:
    ports = at("v1", "Service", "spec", "ports")
    hooks = at("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration", "webhooks")
    rules = at("rbac.authorization.k8s.io/v1", "ClusterRole", "rules")
    found = [field.merge_keys if field else "nothing" for field in (ports, hooks, rules)]
    assert found == [("port", "protocol"), ("name",), None]


def test_a_kind_that_only_another_minor_serves() -> None:
    assert at("autoscaling/v2beta2", "HorizontalPodAutoscaler", "spec", minor=32) is not None
    assert at("v1", "Pod", "spec", minor=3) is not None


def test_kinds_and_fields_that_kubernetes_does_not_define() -> None:
    assert at("example.com/v1", "Greeting") is None
    assert at("v1", "Pod", "spec", "greeting") is None
    assert definition_of({"kind": 3}, 29) is None
