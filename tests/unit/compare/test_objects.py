"""Objects are compared as a cluster sees them: what it cannot see gives nothing, and all else something."""

from __future__ import annotations

import copy
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kitgen.compare.objects.compare import compare_object_sets
from kitgen.compare.objects.difference import ABSENT, Difference
from kitgen.kube.identity import ObjectId
from kitgen.kube.quantities import parse_amount
from kitgen.text.yaml import read_yaml

DEPLOYMENT = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: a, namespace: ns, labels: {x: w}}
spec:
  replicas: 1
  template:
    metadata: {labels: {app: a}}
    spec:
      containers:
      - name: one
        args: [--a, --b]
        env: [{name: A, value: "1"}, {name: B, value: "2"}]
        ports: [{name: http, containerPort: 80}, {containerPort: 81}, {containerPort: 81, protocol: UDP}]
        resources: {limits: {cpu: 1, memory: 1Gi}}
        volumeMounts: [{name: v, mountPath: /v}, {name: w, mountPath: /w}]
      - name: two
        image: x
      volumes: [{name: v, emptyDir: {sizeLimit: 1Gi}}, {name: w}]
"""
ROLE = """
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: r}
rules:
- {apiGroups: ["", apps], resources: [pods, deployments], verbs: [get, list]}
- {apiGroups: [""], resources: [pods], resourceNames: [a], verbs: [delete]}
- {nonResourceURLs: [/metrics], verbs: [get]}
"""
CONFIG = """
apiVersion: v1
kind: ConfigMap
metadata: {name: c-2456789bcd, namespace: ns}
data:
  a.yaml: |
    # about
    x: 1
    ports: [{name: a}, {name: b}]
  b: "text: [broken"
"""
CRD = """
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: as.x.y, annotations: {controller-gen.kubebuilder.io/version: v1}}
spec:
  group: x.y
  names: {kind: A, plural: as}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        description: words
        required: [a, b]
        properties:
          description: {type: string, description: words, enum: [x, w]}
          ports: {type: array, default: [{name: a}, {name: b}]}
  - {name: v2, served: true, storage: false, schema: {openAPIV3Schema: {type: object}}}
"""
ALERTS = """
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata: {name: p, namespace: ns}
spec: {groups: [{name: g, rules: [{alert: a, expr: up, annotations: {summary: s, url: u}}, {record: r}]}]}
"""
CSV = """
apiVersion: operators.coreos.com/v1alpha1
kind: ClusterServiceVersion
metadata: {name: o.v1}
spec:
  install:
    spec:
      clusterPermissions:
      - {serviceAccountName: a, rules: [{apiGroups: [x], resources: [w, z], verbs: [get]}]}
      - {serviceAccountName: b, rules: [{apiGroups: [x], resources: [w], verbs: [get]}]}
"""
ALL = [DEPLOYMENT, ROLE, CONFIG, CRD, ALERTS, CSV]


def edited(text: str, *edits: tuple[str, str]) -> Any:
    for old, new in edits:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return read_yaml(text)


def told(text: str, *edits: tuple[str, str]) -> list[tuple[str, Any, Any]]:
    """Return what is different about an object after an edit of its text."""
    found = compare_object_sets([read_yaml(text)], [edited(text, *edits)]).differences
    return [(each.field, each.left, each.right) for each in found]


UNSEEN = [
    (DEPLOYMENT, ("labels: {x: w}", "labels: {x: w}, annotations: {}, creationTimestamp: null")),
    (DEPLOYMENT, ("labels: {app: a}", "creationTimestamp: null, labels: {app: a}")),
    (DEPLOYMENT, ("kind: Deployment", "kind: Deployment\nstatus: {replicas: 2}")),
    (
        DEPLOYMENT,
        (
            "[{name: v, mountPath: /v}, {name: w, mountPath: /w}]",
            "[{name: w, mountPath: /w}, {name: v, mountPath: /v}]",
        ),
    ),
    (
        DEPLOYMENT,
        (
            "{containerPort: 81}, {containerPort: 81, protocol: UDP}",
            "{containerPort: 81, protocol: UDP}, {containerPort: 81}",
        ),
    ),
    (DEPLOYMENT, ("{cpu: 1, memory: 1Gi}", "{cpu: 1000m, memory: 1024Mi}")),
    (DEPLOYMENT, ("sizeLimit: 1Gi", "sizeLimit: 1048576Ki")),
    (
        ROLE,
        ("[get, list]}", '[list]}\n- {apiGroups: ["", apps], resources: [pods, deployments], verbs: [get]}'),
    ),
    (ROLE, ("[pods, deployments]", "[deployments, pods]")),
    (CONFIG, ("# about\n    x: 1", "x:   1  # one")),
    (CONFIG, ("x: 1\n", "x: 2\n    x: 1\n")),
    (CONFIG, ("name: c-2456789bcd", "name: c-bcdfghkmt2")),
    (CRD, ("description: words\n", "description: others\n")),
    (CRD, ("required: [a, b]", "required: [b, a]")),
    (CRD, ("enum: [x, w]", "enum: [w, x]")),
    (CRD, ("version: v1", "version: v2")),
    (ALERTS, ("summary: s", "summary: other words")),
    (
        CSV,
        (
            "resources: [w, z], verbs: [get]}",
            "resources: [z], verbs: [get]}, {apiGroups: [x], resources: [w], verbs: [get]}",
        ),
    ),
]
SEEN = [
    (DEPLOYMENT, ("replicas: 1", "replicas: 1.0"), "spec.replicas"),
    (DEPLOYMENT, ("replicas: 1", "replicas: true"), "spec.replicas"),
    (DEPLOYMENT, ("[--a, --b]", "[--b, --a]"), "spec.template.spec.containers[one].args"),
    (DEPLOYMENT, ('value: "2"', 'value: "3"'), "spec.template.spec.containers[one].env[B].value"),
    (
        DEPLOYMENT,
        ('{name: A, value: "1"}, {name: B, value: "2"}', '{name: B, value: "2"}, {name: A, value: "1"}'),
        "spec.template.spec.containers[one].env",
    ),
    (
        DEPLOYMENT,
        ("containerPort: 80", "containerPort: 8"),
        "spec.template.spec.containers[one].ports[http/80]",
    ),
    (DEPLOYMENT, ("cpu: 1,", "cpu: 2,"), "spec.template.spec.containers[one].resources.limits.cpu"),
    (DEPLOYMENT, ("labels: {x: w}", "labels: {x: w, a.b/c: z}"), "metadata.labels[a.b/c]"),
    (ROLE, ("verbs: [delete]", "verbs: [delete, get]"), "rules[core/pods[a]]"),
    (ROLE, ('apiGroups: [""]', "apiGroups: [core]"), "rules['core'/pods[a]]"),
    (ROLE, ("[/metrics]", "[/healthz]"), "rules[/healthz]"),
    (CONFIG, ("x: 1", 'x: "1"'), "data[a.yaml].x"),
    (CONFIG, ("[{name: a}, {name: b}]", "[{name: b}, {name: a}]"), "data[a.yaml].ports"),
    (CONFIG, ("x: 1\n", "x: 1\n    creationTimestamp:\n"), "data[a.yaml].creationTimestamp"),
    (CONFIG, ("[broken", "[ broken"), "data.b"),
    (
        CRD,
        ("enum: [x, w]", "enum: [x]"),
        "spec.versions[v1].schema.openAPIV3Schema.properties.description.enum",
    ),
    (
        CRD,
        ("[{name: a}, {name: b}]", "[{name: b}, {name: a}]"),
        "spec.versions[v1].schema.openAPIV3Schema.properties.ports.default",
    ),
    (CRD, ("name: v2, served: true", "name: v2, served: false"), "spec.versions[v2].served"),
    (CRD, ("scope: Namespaced", "scope: Namespaced\n  creationTimestamp:"), "spec.creationTimestamp"),
    (ALERTS, ("summary: s, ", ""), "spec.groups[g].rules[0].annotations.summary"),
    (ALERTS, ("url: u", "url: v"), "spec.groups[g].rules[0].annotations.url"),
    (CSV, ("resources: [w, z]", "resources: [w]"), "spec.install.spec.clusterPermissions[a][x/z]"),
    (CSV, ("serviceAccountName: b", "serviceAccountName: c"), "spec.install.spec.clusterPermissions.b"),
]


@pytest.mark.parametrize(("text", "edit"), UNSEEN)
def test_what_a_cluster_cannot_see_does_not_count(text: str, edit: tuple[str, str]) -> None:
    assert told(text, edit) == []


@pytest.mark.parametrize(("text", "edit", "field"), SEEN)
def test_what_a_cluster_sees_is_told_by_its_place(text: str, edit: tuple[str, str], field: str) -> None:
    assert field in [each[0] for each in told(text, edit)]


def test_an_object_that_one_side_has_is_one_difference() -> None:
    found = compare_object_sets([read_yaml(ROLE)], [read_yaml(CONFIG)])
    assert found.both == 0
    assert [(str(each.object), each.field, each.left is ABSENT) for each in found.differences] == [
        ("ClusterRole/r", "", False),
        ("ConfigMap/c-2456789bcd", "", True),
    ]


def test_a_namespace_of_security_constraints_does_not_count() -> None:
    body = {"apiVersion": "security.openshift.io/v1", "kind": "SecurityContextConstraints"}
    left, right = ({**body, "metadata": {"name": "s", **more}} for more in ({"namespace": "ns"}, {}))
    assert compare_object_sets([left], [right]).differences == ()


def test_amounts_are_exact() -> None:
    assert parse_amount("0.1") == parse_amount("100m") == parse_amount("1e-1")
    assert parse_amount("1Ei") == 1 << 60
    assert parse_amount(".5") == parse_amount("500m")
    assert [parse_amount(each) for each in ("", "Gi", "1 Gi", "1KB", True, None, "1e9999")] == [None] * 7


def leaves(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    if isinstance(value, dict | list):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        return [leaf for key, each in items for leaf in leaves(each, (*path, key))]
    return [path]


def at(value: Any, path: tuple[Any, ...]) -> Any:
    for step in path:
        value = value[step]
    return value


def shuffled(value: Any, order: random.Random) -> Any:
    """Return a value with its keys in another order."""
    if isinstance(value, dict):
        keys = order.sample(sorted(value), len(value))
        return {key: shuffled(value[key], order) for key in keys}
    return [shuffled(each, order) for each in value] if isinstance(value, list) else value


bodies = st.sampled_from(ALL).map(read_yaml)
QUIET = ("description", "summary")


@given(bodies, st.randoms(use_true_random=False))
def test_an_object_is_equal_to_itself_in_any_order_of_keys(body: Any, order: random.Random) -> None:
    assert compare_object_sets([body], [shuffled(body, order)]).differences == ()


@given(st.lists(bodies, unique_by=lambda body: body["kind"]), st.randoms(use_true_random=False))
def test_the_order_of_objects_does_not_count(body: list[Any], order: random.Random) -> None:
    assert compare_object_sets(body, order.sample(body, len(body))).differences == ()


@given(bodies, st.data())
def test_any_other_value_is_told_and_the_sides_can_be_swapped(body: Any, data: st.DataObject) -> None:
    paths = [path for path in leaves(body) if path[0] not in ("apiVersion", "kind") and path[-1] not in QUIET]
    path = data.draw(st.sampled_from(paths))
    other = copy.deepcopy(body)
    at(other, path[:-1])[path[-1]] = data.draw(st.sampled_from(["zz", 77, 1.5, {"z": 1}, ["z"]]))
    if path == ("metadata", "annotations", "controller-gen.kubebuilder.io/version"):
        return
    there, back = (
        compare_object_sets([body], [other]).differences,
        compare_object_sets([other], [body]).differences,
    )
    assert there
    if all(each.field for each in there):
        assert sorted(map(plain, there)) == sorted(map(plain, map(swapped, back)))


def plain(difference: Difference) -> tuple[str, str, str]:
    return difference.field, repr(difference.left), repr(difference.right)


def swapped(difference: Difference) -> Difference:
    return Difference(
        object=difference.object,
        field=difference.field,
        path=difference.path,
        left=difference.right,
        right=difference.left,
    )


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(anything, st.sampled_from(ALL), st.data())
def test_anything_anywhere_is_compared_without_an_error(value: Any, text: str, data: st.DataObject) -> None:
    body, other = read_yaml(text), read_yaml(text)
    path = data.draw(st.sampled_from([path[: data.draw(st.integers(2, 9))] for path in leaves(body)]))
    if path[0] not in ("apiVersion", "kind") and path != ("metadata", "name"):
        at(other, path[:-1])[path[-1]] = value
    compare_object_sets([body], [other])
    compare_object_sets([other], [body])
    assert compare_object_sets([other], [copy.deepcopy(other)]).differences == ()


def test_deep_and_long_values_are_compared() -> None:
    deep: Any = 1
    other: Any = 2
    for _ in range(5_000):
        deep, other = {"x": [deep]}, {"x": [other]}
    body = {"apiVersion": "x.y/v1", "kind": "A", "metadata": {"name": "a"}}
    (found,) = compare_object_sets([{**body, "spec": deep}], [{**body, "spec": other}]).differences
    assert (found.left, found.right) == ([1], [2])
    many = [{"name": f"n{number}", "value": number} for number in range(10_000)]
    (found,) = compare_object_sets([{**body, "spec": many}], [{**body, "spec": many[::-1]}]).differences
    assert found.order
    assert len(compare_object_sets([{**body, "spec": many}], [{**body, "spec": many[:-1]}]).differences) == 1


def config_map(name: str, **data: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}


def test_objects_that_differ_in_the_hash_alone_are_each_compared() -> None:
    one, two = config_map("c-2456789bcd", a="1"), config_map("c-2456789bcf", a="2")
    renamed = config_map("c-2456789bcg", a="2")
    assert compare_object_sets([one], [two, one]).differences == (
        Difference(object=ObjectId.of(two), left=ABSENT, right=two),
    )
    assert compare_object_sets([one, two], [two]).differences == (
        Difference(object=ObjectId.of(one), left=one, right=ABSENT),
    )
    assert compare_object_sets([one, two], [two, one]).differences == ()
    assert compare_object_sets([two], [renamed]).differences == ()


def test_constraints_in_two_namespaces_are_each_compared() -> None:
    said = {"apiVersion": "security.openshift.io/v1", "kind": "SecurityContextConstraints"}
    here, there = ({**said, "metadata": {"name": "a", "namespace": where}} for where in ("x", "y"))
    assert [each.object.namespace for each in compare_object_sets([here], [here, there]).differences] == ["y"]
    assert compare_object_sets([here], [there]).differences == ()


@pytest.mark.parametrize("scalar", ["", "apiGroups", "verbs"])
def test_rules_that_multiply_are_compared_as_they_stand(scalar: str) -> None:
    keys = ("apiGroups", "resources", "resourceNames", "verbs")
    rule: dict[str, Any] = {key: [f"{key}{number}" for number in range(40)] for key in keys}
    rule |= {scalar: "one"} if scalar else {}
    one = {**read_yaml(ROLE), "rules": [rule]}
    other = {**one, "rules": [{**rule, "resources": rule["resources"][1:]}]}
    assert not compare_object_sets([one], [copy.deepcopy(one)]).differences
    assert [each.field for each in compare_object_sets([one], [other]).differences] == ["rules[0].resources"]


def test_what_is_no_text_where_one_belongs_is_told_as_json_writes_it() -> None:
    one, rule = read_yaml(ROLE), {"apiGroups": [{"a": True}], "resources": [None, ["x"]], "verbs": ["get"]}
    found = compare_object_sets([{**one, "rules": []}], [{**one, "rules": [rule]}]).differences
    assert [each.field for each in found] == ['rules[{"a": true}/]', 'rules[{"a": true}/["x"]]']
