"""Pods: images that are there, and one of several alternatives, in the kinds of Kubernetes itself."""

from __future__ import annotations

import pytest
from checking import CRD, DEPLOYMENT, checked, told

CUSTOM = """
apiVersion: elastic.example.org/v1
kind: Search
metadata: {name: search, namespace: apps}
spec:
  nodeSets:
  - podTemplate: {spec: {containers: [{name: search, env: [{name: A, value: a}]}]}}
  template: {spec: {containers: [{name: search}]}}
"""
WRAPPED = """
apiVersion: wrap.example.org/v1
kind: Wrapper
metadata: {name: wrap, namespace: apps}
spec:
  components:
  - template: {apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{name: a}]}}
"""


def rules(text: str) -> list[str]:
    return [each.rule.id for each in checked(text) if each.rule.id != "kind-unknown"]


def test_an_operator_completes_the_templates_of_its_own_kinds() -> None:
    assert rules(CUSTOM) == []


def test_an_object_inside_another_one_is_an_object() -> None:
    assert rules(WRAPPED) == ["custom-template"]


def test_a_schema_is_no_pod() -> None:
    assert rules(CRD) == []


@pytest.mark.parametrize(
    ("more", "keys"),
    [
        ("volumes: [{name: a, emptyDir: {}, secret: {secretName: a}}]", "emptyDir and secret"),
        ("containers: [{name: web, image: 'a:1', livenessProbe: {exec: {}, tcpSocket: {port: 1}}}]",
         "exec and tcpSocket"),
        ("initContainers: [{name: i, image: 'a:1', lifecycle: {preStop: {exec: {}, sleep: {seconds: 1}}}}]",
         "exec and sleep"),
    ],
)  # fmt: skip
def test_one_of_several(more: str, keys: str) -> None:
    pod = f"apiVersion: v1\nkind: Pod\nmetadata: {{name: a}}\nspec: {{{more}}}"
    found = [each for each in told(checked(pod)) if each.startswith("field-alternatives")]
    assert len(found) == 1
    assert f"found {keys}, expected one of them" in found[0]


@pytest.mark.parametrize(
    "env",
    [
        "{name: A, value: '', valueFrom: {fieldRef: {fieldPath: metadata.name}}}",
        "{name: A}",
        "{name: A, value: a}",
    ],
)
def test_one_is_enough(env: str) -> None:
    assert rules(DEPLOYMENT + f"        env: [{env}]") == []
