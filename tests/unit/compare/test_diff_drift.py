"""Differences between two sides are meant by a declaration, by a reason in the specs, or not at all."""

from __future__ import annotations

from typing import Any

import pytest

from kitgen.compare.drift import Drift, compute_drift
from kitgen.findings import Origin
from kitgen.kit.model import DeclaredDifference
from kitgen.kube.manifest import Manifest
from kitgen.text.yaml import JsonObject
from kitgen.workspace.states import StateObjects

RBAC = "rbac.authorization.k8s.io"


def config(name: str = "a", space: str = "one", **data: str) -> JsonObject:
    meta = {"name": name, "namespace": space}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta, "data": data}


def role(*verbs: str) -> JsonObject:
    rules = [{"apiGroups": [""], "resources": ["pods"], "verbs": list(verbs)}]
    return {"apiVersion": f"{RBAC}/v1", "kind": "ClusterRole", "metadata": {"name": "a"}, "rules": rules}


def side(bodies: tuple[JsonObject, ...], component: str = "") -> StateObjects:
    objects = [Manifest(body=each, sources=()) for each in bodies]
    return StateObjects(objects=objects, components={each.id: component for each in objects})


def means(**given: Any) -> DeclaredDifference:
    return DeclaredDifference(**{"origin": Origin("t.yaml"), "reason": "so it is", **given})


def held(left: JsonObject, right: JsonObject, *declared: DeclaredDifference, component: str = "") -> Drift:
    return compute_drift(("left", "right"), side((left,), component), side((right,), component), declared)


def test_equal_sides_have_no_drift() -> None:
    assert held(config(a="1"), config(a="1")).found == ()


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ({"object": "ConfigMap/a"}, True),
        ({"object": "ConfigMap/*"}, True),
        ({"object": "*/a"}, True),
        ({"object": "ConfigMap/b"}, False),
        ({"object": "onfigMap/a"}, False),
        ({"field": "data.k"}, True),
        ({"field": "data*"}, True),
        ({"field": "data"}, False),
        ({"field": "*t*.*"}, True),
        ({"field": "d**a*a.*k"}, True),
        ({"field": "*a*a*a*"}, False),
        ({"field": "data.k*k"}, False),
        ({"field": "data.k", "component": "hello"}, True),
        ({"field": "data.k", "component": "other"}, False),
        ({"namespace": True}, False),
    ],
)
def test_a_declaration_means_what_it_names(given: dict[str, Any], meant: bool) -> None:
    declared = means(**given)
    found = held(config(k="1"), config(k="2"), declared, component="hello")
    assert bool(found.undeclared_differences) is not meant
    assert found.stale == (() if meant else (declared,))


def test_a_namespace_follows_through_texts_as_a_whole_word() -> None:
    left, right = config(k="svc.one.svc"), config(space="two", k="svc.two.svc")
    assert held(left, right, means(namespace=True)).undeclared_differences == ()
    other = config(space="two", k="svc.two-more.svc")
    assert [
        each.difference.field for each in held(left, other, means(namespace=True)).undeclared_differences
    ] == ["data.k"]
    assert len(held(left, right).undeclared_differences) == 2


def test_permissions_are_told_verb_by_verb() -> None:
    found = held(role("get", "list"), role("get", "watch"))
    assert [each.difference.field for each in found.undeclared_differences] == [
        "rules[core/pods] list",
        "rules[core/pods] watch",
    ]


def test_a_reason_is_asked_of_the_first_declaration_that_fits() -> None:
    first, second = means(field="data.*"), means(field="data.k", reason="another")
    found = held(config(k="1"), config(k="2"), first, second)
    assert [each.reason for each in found.found] == ["so it is"]
    assert found.stale == (second,)


def test_another_namespace_is_meant_wherever_it_stands_as_a_word() -> None:
    left = config(space="one", where="svc.one.svc, one", other="one")
    right = config(space="two", where="svc.two.svc, two", other="two-more")
    found = held(left, right, means(namespace=True))
    assert [each.difference.field for each in found.undeclared_differences] == ["data.other"]
