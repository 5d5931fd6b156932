"""CEL rules of CRDs, as `kitgen check` tells of them."""

from __future__ import annotations

import pytest

from kitgen.check.cel import objects as cel
from kitgen.check.context import CheckContext
from kitgen.kube.manifest import Manifest
from kitgen.text.yaml import Json


def hits(spec: Json) -> list[tuple[str, str]]:
    body = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "spec": spec}
    context = CheckContext(
        targets={"a": [Manifest(body=body, sources=())], "b": [Manifest(body=body, sources=())]}, minors=(32,)
    )
    return [(hit.target, hit.problem.rule.id) for hit in cel.check(context)]


def versions(*rules: str) -> Json:
    names = {"type": "array", "items": {"type": "string"}}
    schema = {"type": "object", "properties": {"names": names}}
    ruled = {**schema, "x-kubernetes-validations": [{"rule": rule} for rule in rules]}
    return {"versions": [{"name": "v1", "schema": {"openAPIV3Schema": ruled}}]}


def test_one_field_without_a_bound_is_told_once_however_many_rules_read_it() -> None:
    endless = "self.names.all(x, x != '')"
    assert hits(versions(endless, f"!({endless})", "self.nope")) == [
        ("a", "cel-invalid"),
        ("a", "cel-unbounded"),
        ("b", "cel-invalid"),
        ("b", "cel-unbounded"),
    ]


@pytest.mark.parametrize(
    "spec",
    [None, [], {"versions": 3}, {"versions": [3, {"schema": []}, {"schema": {"openAPIV3Schema": [1]}}]}],
)
def test_what_is_no_crd_has_no_rules(spec: Json) -> None:
    assert hits(spec) == []
