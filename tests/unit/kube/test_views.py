"""Views of pods, Services and CRDs read objects of any shape."""

from __future__ import annotations

import pytest
from checking import manifest

from kitgen.kube.crds import CrdView
from kitgen.kube.pods import Port, is_port_name, pods_of
from kitgen.kube.services import list_target_ports, service_ports, service_selector
from kitgen.text.yaml import Json, JsonObject, read_yaml

DEPLOYMENT = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: a, namespace: web}
spec:
  template:
    metadata: {labels: {app: a}}
    spec:
      serviceAccount: old
      initContainers:
      - {name: first, ports: [{containerPort: 1}]}
      - {name: beside, restartPolicy: Always, ports: [{containerPort: 2, protocol: UDP}]}
      containers:
      - {name: main, command: [run, 3], args: [--x], ports: [{name: http, containerPort: 80}, text]}
      - text
"""


def test_a_pod_knows_its_containers_and_their_paths() -> None:
    (pod,) = pods_of([manifest(read_yaml(DEPLOYMENT))])
    above = ("spec", "template", "spec")
    assert (pod.namespace, pod.service_account, pod.labels) == ("web", "old", {"app": "a"})
    assert {each.name: (each.path, each.is_long_running) for each in pod.containers} == {
        "main": ((*above, "containers", 0), True),
        "first": ((*above, "initContainers", 0), False),
        "beside": ((*above, "initContainers", 1), True),
    }
    assert pod.ports == [Port("http", 80, "TCP"), Port("", 2, "UDP")]
    assert pod.containers[0].arguments == [(("command", 0), "run"), (("args", 0), "--x")]


@pytest.mark.parametrize("spec", [None, {"template": []}, {"template": {"spec": None}}])
def test_what_has_no_pod_is_left_out(spec: Json) -> None:
    assert list(pods_of([manifest({"apiVersion": "apps/v1", "kind": "Deployment", "spec": spec})])) == []


@pytest.mark.parametrize(
    ("spec", "ports", "numbers"),
    [
        ({}, [], set()),
        ({"ports": [{"name": "a", "port": 80}]}, [Port("a", 80, "TCP")], {80}),
        ({"ports": [{"port": 80, "targetPort": 8080}]}, [Port("", 80, "TCP")], {8080}),
        ({"ports": [{"port": 80, "targetPort": "http"}]}, [Port("", 80, "TCP")], None),
    ],
)
def test_ports_of_a_service(spec: JsonObject, ports: list[Port], numbers: set[int] | None) -> None:
    assert service_ports({"spec": spec}) == ports
    assert list_target_ports({"spec": spec}) == numbers
    assert service_selector({"spec": spec}) == ()


def test_digits_are_no_name_of_a_port() -> None:
    assert [is_port_name(each) for each in ("http", "80", "", 80, None)] == [True, False, False, False, False]


def test_a_crd_of_any_shape() -> None:
    empty = CrdView({"spec": []})
    assert (empty.group, empty.kind, empty.plural, empty.versions, empty.has_subresource("scale")) == (
        "",
        "",
        "",
        [],
        False,
    )
    body = {"spec": {"group": "g", "scope": "Cluster", "versions": [{}, {"subresources": {"status": {}}}]}}
    assert CrdView(body).has_subresource("status")
