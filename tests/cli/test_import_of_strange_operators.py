"""Operators that are set up in other ways than kubebuilder's come in whole; once more, nothing is new."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from kits import PROJECT
from running import run

from kitgen.text.yaml import read_yaml

RBAC = "rbac.authorization.k8s.io/v1"
KIT = 'kit: other\nformat: 2\nkubernetes: ">=1.27 <=1.32"\n'
SELECTED = {"control-plane": "controller-manager"}


def thing(api: str, kind: str, name: str, namespace: str = "", **rest: Any) -> dict[str, Any]:
    metadata = {"name": name, **({"namespace": namespace} if namespace else {}), **rest.pop("metadata", {})}
    return {"apiVersion": api, "kind": kind, "metadata": metadata, **rest}


def binding(name: str, role: str, account: str, namespace: str, **rest: Any) -> dict[str, Any]:
    reference = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role}
    subject = {"kind": "ServiceAccount", "name": account, **({"namespace": namespace} if namespace else {})}
    return thing(RBAC, "ClusterRoleBinding", name, roleRef=reference, subjects=[subject], **rest)


def role(name: str, resource: str, *verbs: str, **rest: Any) -> dict[str, Any]:
    rules = [{"apiGroups": [""], "resources": [resource], "verbs": list(verbs)}]
    return thing(RBAC, "ClusterRole", name, rules=rules, **rest)


def workload(kind: str, name: str, namespace: str, account: str, **more: Any) -> dict[str, Any]:
    container = {"name": "main", "image": f"quay.io/example/{name}:v1", **more.pop("container", {})}
    pod = {"containers": [container], "serviceAccountName": account, **more.pop("pod", {})}
    labels = more.pop("labels", SELECTED)
    spec = {
        **({"replicas": 1} if kind != "DaemonSet" else {}),
        "selector": {"matchLabels": labels},
        "template": {"metadata": {"labels": labels}, "spec": pod},
        **more.pop("spec", {}),
    }
    return thing("apps/v1", kind, name, namespace, spec=spec, **more)


def operator(prefix: str, namespace: str, **more: Any) -> list[dict[str, Any]]:
    return [
        thing("v1", "ServiceAccount", f"{prefix}manager", namespace),
        role(f"{prefix}manager-role", "pods", "get", "list", "watch"),
        binding(f"{prefix}manager-rolebinding", f"{prefix}manager-role", f"{prefix}manager", namespace),
        workload("Deployment", f"{prefix}controller-manager", namespace, f"{prefix}manager", **more),
    ]


def labelled(objects: list[dict[str, Any]], version: str) -> list[dict[str, Any]]:
    labels = {"app.kubernetes.io/name": "hello", "app.kubernetes.io/version": version}
    for each in objects:
        each["metadata"]["labels"] = {**each["metadata"].get("labels", {}), **labels}
    return objects


def crd(scope: str) -> dict[str, Any]:
    names = {"kind": "Zone", "listKind": "ZoneList", "plural": "zones", "singular": "zone"}
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}},
    }
    spec = {"group": "example.com", "names": names, "scope": scope, "versions": [version]}
    return thing("apiextensions.k8s.io/v1", "CustomResourceDefinition", "zones.example.com", spec=spec)


TREES: dict[str, list[dict[str, Any]]] = {
    "no prefix": operator("", "ops"),
    "no namespace": operator("x-", ""),
    "nothing but a Deployment": [operator("x-", "x-system")[-1]],
    "several Deployments": [
        *operator("x-", "x-system"),
        workload("Deployment", "x-server", "x-system", "x-manager", labels={"app": "server"}),
        thing("v1", "Service", "x-server", "x-system", spec={"ports": [{"port": 80}]}),
    ],
    "a DaemonSet": [*operator("", "a")[:3], workload("DaemonSet", "agent", "a", "manager")],
    "a StatefulSet": [
        *operator("", "a")[:3],
        workload("StatefulSet", "db", "a", "manager", spec={"serviceName": "db"}),
    ],
    "custom resources of the cluster": [
        crd("Cluster"),
        *operator("x-", "x-system"),
        thing("example.com/v1", "Zone", "everywhere", spec={"size": 1}),
        thing("other.example.com/v1", "Thing", "unknown", spec={"size": 1}),
        thing("other.example.com/v1", "Thing", "here", "x-system", spec={"size": 1}),
    ],
    "an account without a namespace beside others": [
        *operator("x-", "x-system"),
        thing("v1", "ServiceAccount", "x-floating"),
    ],
    "objects in other namespaces": [
        *operator("x-", "x-system"),
        thing("v1", "ConfigMap", "x-far", "kube-system", data={"a": "b"}),
    ],
    "an aggregated server": [
        *operator("x-", "x-system"),
        thing("v1", "Service", "x-api", "x-system", spec={"ports": [{"port": 443}], "selector": SELECTED}),
        thing(
            "apiregistration.k8s.io/v1",
            "APIService",
            "v1.x.example.com",
            spec={
                "group": "x.example.com",
                "version": "v1",
                "groupPriorityMinimum": 100,
                "versionPriority": 100,
                "service": {"name": "x-api", "namespace": "x-system"},
            },
        ),
    ],
    "one object without the labels": [
        *labelled([*operator("x-", "a"), *(role(f"x-{n}", "pods", "get") for n in range(5))], "v1"),
        thing("v1", "ConfigMap", "x-odd", "a", data={"a": "b"}),
    ],
    "braces": [
        *operator(
            "x-", "a", container={"args": ["--format={{ .Name }}"], "env": [{"name": "A", "value": "{{"}]}
        ),
        thing(
            "v1",
            "ConfigMap",
            "x-text",
            "a",
            metadata={"annotations": {"b": "{{ b }}"}},
            data={"t": "{{ t }}"},
        ),
    ],
    "pods with much to them": operator(
        "x-",
        "a",
        pod={
            "initContainers": [{"name": "first", "image": "quay.io/example/first:v1"}],
            "hostNetwork": True,
            "volumes": [{"name": "tmp", "emptyDir": {}}],
        },
        container={
            "env": [{"name": "A", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}],
            "envFrom": [{"secretRef": {"name": "s"}}],
            "ports": [{"containerPort": 1}, {"containerPort": 2, "name": "b", "protocol": "UDP"}],
            "volumeMounts": [{"name": "tmp", "mountPath": "/tmp"}],
        },
    ),
}


@pytest.fixture
def empty(tmp_path: Path) -> Path:
    root = tmp_path / "kit"
    root.mkdir()
    (root / "kit.yaml").write_text(KIT)
    (root / "schemas").symlink_to(PROJECT / "schemas")
    return root


def tree(folder: Path, objects: list[dict[str, Any]], name: str = "real.yaml") -> Path:
    path = folder / name
    path.write_text(yaml.safe_dump_all(objects))
    return path


def imported(root: Path, real: Path, version: str) -> dict[str, Any]:
    """Import a tree, find no difference, and return the spec."""
    made = run("import", real, "--as", f"other@{version}", "--root", root)
    assert made.code == 0, made.out + made.err
    same = run("compare", f"component:other@{version}", real, "--root", root)
    assert same.code == 0, same.out + same.err
    spec = read_yaml((root / f"components/other/{version}/component.yaml").read_text())
    assert isinstance(spec, dict)
    return spec


@pytest.mark.parametrize("name", TREES)
def test_a_tree_comes_in_whole_and_then_changes_nothing(name: str, empty: Path, tmp_path: Path) -> None:
    real = tree(tmp_path, TREES[name])
    imported(empty, real, "v1.0.0")
    assert imported(empty, real, "v1.1.0") == {"version": "v1.1.0", "from": "v1.0.0"}


def test_one_object_without_the_labels_is_one_patch(empty: Path, tmp_path: Path) -> None:
    spec = imported(empty, tree(tmp_path, TREES["one object without the labels"]), "v1.0.0")
    (rule,) = spec["labels"]
    patches = {each["object"]: each["merge"] for each in spec["patches"]}
    assert rule["scope"] == "operator"
    assert patches["ConfigMap/x-odd"] == {"metadata": {"labels": None}}
    assert {*patches} == {"ConfigMap/x-odd", "Deployment/x-controller-manager"}  # pods without any defaults


def test_a_label_that_follows_the_version_is_changed_in_the_rule_alone(empty: Path, tmp_path: Path) -> None:
    imported(empty, tree(tmp_path, labelled(operator("x-", "a"), "v1")), "v1.0.0")
    spec = imported(empty, tree(tmp_path, labelled(operator("x-", "a"), "v2"), "newer.yaml"), "v1.1.0")
    assert list(spec) == ["version", "from", "labels"]


def test_a_namespace_of_the_tree_follows_that_of_targets(empty: Path, tmp_path: Path) -> None:
    objects = [thing("v1", "Namespace", "x-system"), *operator("x-", "x-system")]
    spec = imported(empty, tree(tmp_path, objects), "v1.0.0")
    assert spec["namespace"] == {"name": "x-system", "create": True}


def test_a_second_namespace_comes_in_with_all_objects_as_they_are(empty: Path, tmp_path: Path) -> None:
    real = tree(tmp_path, [*operator("x-", "x-system"), thing("v1", "Namespace", "other")])
    made = run("import", real, "--as", "other@v1.0.0", "--root", empty)
    assert made.code == 0, made.err
    assert run("compare", "component:other@v1.0.0", real, "--root", empty).code == 0


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"metadata": {"name": ["a"]}}, "expected the name of an object"),
        ({"metadata": {}}, "found an object without a name"),
        ({"metadata": {"name": "a", "namespace": 5}}, "expected the name of a namespace"),
        ({"kind": "a/b"}, "expected a kind such as ConfigMap"),
        ({"apiVersion": "A/B/C"}, "expected group/version"),
    ],
)
def test_what_no_spec_can_hold_is_told_where_it_stands(
    wrong: dict[str, Any], told: str, empty: Path, tmp_path: Path
) -> None:
    real = tree(tmp_path, [*operator("x-", "a"), {**thing("v1", "ConfigMap", "a"), **wrong}])
    made = run("import", real, "--as", "other@v1.0.0", "--root", empty)
    assert made.code == 1
    assert told in made.out + made.err
    assert str(real) in made.out + made.err
    assert not (empty / "components").exists()


@pytest.mark.parametrize(
    "objects",
    [
        [{**binding("b", "c", "d", "a"), "subjects": [{"kind": "ServiceAccount", "name": {}}]}],
        [{**binding("b", "c", "d", "a"), "subjects": "x"}],
        [thing("apps/v1", "Deployment", "a", "a", spec={"template": {"spec": {"containers": [None, 5]}}})],
        [thing("apps/v1", "StatefulSet", "a", "a", spec={"volumeClaimTemplates": [{"metadata": {}}, None]})],
        [thing("v1", "Service", "a", "a", spec={"ports": [None], "selector": []})],
        [thing("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration", "a", webhooks=[[]])],
    ],
)
def test_wrong_types_are_kept_or_told(objects: list[dict[str, Any]], empty: Path, tmp_path: Path) -> None:
    real = tree(tmp_path, [*labelled(operator("x-", "a"), "v1"), *objects])
    made = run("import", real, "--as", "other@v1.0.0", "--root", empty)
    assert made.code in (0, 1)
    assert "kitgen failed" not in made.err


def test_a_newer_tree_may_have_another_prefix_and_namespace(empty: Path, tmp_path: Path) -> None:
    def objects(name: str) -> list[dict[str, Any]]:
        own = [
            *operator(f"{name}-", f"{name}-system"),
            *(role(f"{name}-{n}", "pods", "get") for n in range(5)),
        ]
        odd = thing("v1", "ConfigMap", f"{name}-odd", f"{name}-system", data={"a": "b"})
        return [thing("v1", "Namespace", f"{name}-system"), *labelled(own, "v1"), odd]

    imported(empty, tree(tmp_path, objects("x")), "v1.0.0")
    spec = imported(empty, tree(tmp_path, objects("y"), "newer.yaml"), "v1.1.0")
    assert (spec["prefix"], spec["namespace"]) == ("y-", {"name": "y-system", "create": True})
    gone = [
        "/objects/ConfigMap/x-odd",
        "/patches/configmap-x-odd",
        "/patches/deployment-x-controller-manager",
    ]
    assert spec["remove"] == gone
    assert [each["metadata"]["name"] for each in spec["objects"]] == ["y-odd"]
    assert {*spec} == {"version", "from", "remove", "prefix", "namespace", "images", "objects", "patches"}


def test_what_an_object_no_longer_says_goes(empty: Path, tmp_path: Path) -> None:
    own = thing("example.com/v1", "Thing", "x-thing", "a", spec={"size": 1, "more": {"deep": True}})
    imported(empty, tree(tmp_path, [*operator("x-", "a"), own]), "v1.0.0")
    newer = thing("example.com/v1", "Thing", "x-thing", "a", spec={"size": 1})
    spec = imported(empty, tree(tmp_path, [*operator("x-", "a"), newer], "newer.yaml"), "v1.1.0")
    assert spec == {"version": "v1.1.0", "from": "v1.0.0", "remove": ["/objects/Thing/x-thing/spec/more"]}


def test_a_variable_that_comes_from_elsewhere_is_another_one(empty: Path, tmp_path: Path) -> None:
    def objects(source: dict[str, Any]) -> list[dict[str, Any]]:
        return operator("x-", "a", container={"env": [{"name": "A", "valueFrom": source}]})

    imported(empty, tree(tmp_path, objects({"fieldRef": {"fieldPath": "metadata.name"}})), "v1.0.0")
    newer = objects({"secretKeyRef": {"name": "s", "key": "k"}})
    spec = imported(empty, tree(tmp_path, newer, "newer.yaml"), "v1.1.0")
    assert "patches" not in spec
    assert spec["deployment"]["containers"]["main"]["env"] == {
        "A": {"secretKeyRef": {"name": "s", "key": "k"}}
    }
