"""snapshots/ holds what the targets render, for reviewers to read."""

from __future__ import annotations

from pathlib import Path

import kits
import pytest
from syrupy.assertion import SnapshotAssertion

from kitgen.render.snapshots import merge_shared_files, render_snapshots
from kitgen.testing.kit import assert_snapshots
from kitgen.text.yaml import dump_yaml, read_yaml
from kitgen.workspace.kit import OpenedKit, open_kit

LISTS = ("inventory.txt", "images.txt", "permissions.txt")


def test_snapshots_are_current(request: pytest.FixtureRequest, snapshot: SnapshotAssertion) -> None:
    assert_snapshots(kits.PROJECT, request, snapshot)


def test_every_object_has_its_own_file(opened: OpenedKit) -> None:
    for name in opened.kit.targets:
        plan = opened.plan(opened.target(name))
        files = render_snapshots([plan])
        objects = sum(len(unit.final) for unit in plan.units) + len(plan.outside_objects)
        assert len(files) == objects + len(LISTS)
        assert len({path.casefold() for path in files}) == len(files)


def test_what_targets_share_is_kept_once() -> None:
    files = {
        "d": {"x/a.yaml": "1\n", "b.yaml": "1\n", "c.txt": "4\n"},
        "a": {"x/a.yaml": "1\n", "b.yaml": "2\n", "c.txt": "2\n"},
        "c": {"x/a.yaml": "1\n", "b.yaml": "2\n", "c.txt": "3\n"},
        "b": {"x/a.yaml": "1\n", "b.yaml": "1\n"},
    }
    assert merge_shared_files(files) == {
        "a/x/a.yaml": "# a, b, c, d\n1\n",
        "a/b.yaml": "# a, c\n2\n",
        "b/b.yaml": "# b, d\n1\n",
        "a/c.txt": "2\n",
        "c/c.txt": "3\n",
        "d/c.txt": "4\n",
    }


def test_all_that_a_target_has_is_told_for_it(opened: OpenedKit) -> None:
    plans = {name: opened.plan(target) for name, target in opened.kit.targets.items()}
    together = render_snapshots(plans.values())
    assert len(together) < sum(len(render_snapshots([plan])) for plan in plans.values())
    for name, plan in plans.items():
        told = {}
        for path, text in together.items():
            first, _, rest = text.partition("\n")
            folder, _, below = path.partition("/")
            many = first.removeprefix("# ").split(", ") if first.startswith("# ") and "," in first else []
            if name in (many or [folder]):
                told[f"{name}/{below}"] = rest if many else text
        assert told == render_snapshots([plan])


def test_a_target_that_leaves_adds_a_file_and_changes_a_line() -> None:
    for leaving in ("a", "b", "c"):
        before = {name: {"x.yaml": "same\n"} for name in "abc"}
        was, now = merge_shared_files(before), merge_shared_files({**before, leaving: {"x.yaml": "own\n"}})
        assert len(was) == 1
        assert was.keys() < now.keys()
        assert len(now) == 2


def test_names_cannot_collide(tmp_path: Path) -> None:
    root = kits.write(
        kits.make_kit(tmp_path),
        {
            "components/hello/v1.0.0/component.yaml": """
component: hello
version: v1.0.0
kubernetes: "1.29"
namespace: home
objects:
- {apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: "a:b"}, rules: []}
- {apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: "a%3Ab"}, rules: []}
- {apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: "a_b"}, rules: []}
- {apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: "a__b"}, rules: []}
- {apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: "b", namespace: a}, rules: []}
- {apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: "a__b"}, rules: []}
- {apiVersion: serving.example.com/v1, kind: Service, metadata: {name: a}}
- {apiVersion: v1, kind: Service, metadata: {name: a}}
"""
        },
    )
    opened = open_kit(root)
    assert len(render_snapshots([opened.plan(opened.target("olm"))])) == 1 + 1 + 8 + len(LISTS)


def test_secrets_are_masked(tmp_path: Path) -> None:
    root = kits.write(
        kits.make_kit(tmp_path),
        {
            "components/hello/v1.0.0/component.yaml": """
component: hello
version: v1.0.0
kubernetes: "1.29"
objects:
- apiVersion: v1
  kind: Secret
  metadata:
    name: keys
    annotations:
      kubectl.kubernetes.io/last-applied-configuration: '{"kind": "Secret", "data": {"user": "hunter2"}}'
  data: {password: aHVudGVyMg==}
  stringData: {token: hunter2}
""",
        },
    )
    opened = open_kit(root)
    text = render_snapshots([opened.plan(opened.target("olm"))])["olm/hello/Secret.core__keys.yaml"]
    assert read_yaml(text)["data"] == {"password": "(masked)"}
    assert read_yaml(text)["stringData"] == {"token": "(masked)"}
    assert "hunter2" not in text


def test_the_hash_of_a_generated_name_is_left_out(tmp_path: Path) -> None:
    opened = open_kit(kits.make_kit(tmp_path))
    plan = opened.plan(opened.target("odh"))
    hashed = [each.id.name for unit in plan.units for each in unit.final if each.id.kind == "ConfigMap"]
    assert hashed != ["hello-params"]
    found = render_snapshots([plan])
    assert "odh/hello/ConfigMap.core__hello-params.yaml" in found
    assert "hello ConfigMap.core opendatahub/hello-params\n" in found["odh/inventory.txt"]


CONTAINERS = {
    "initContainers": [{"name": "first", "image": "a:1"}],
    "containers": [{"name": "main", "image": "b:2"}],
}
POD = {"spec": {**CONTAINERS, "restartPolicy": "Never"}}
LABELLED = {"metadata": {"labels": {"a": "b"}}, "spec": CONTAINERS}
SELECTED = {"selector": {"matchLabels": {"a": "b"}}, "template": LABELLED}
PODS = {
    "Pod": ("v1", POD["spec"]),
    "Job": ("batch/v1", {"template": POD}),
    "CronJob": ("batch/v1", {"schedule": "0 * * * *", "jobTemplate": {"spec": {"template": POD}}}),
    "DaemonSet": ("apps/v1", SELECTED),
    "StatefulSet": ("apps/v1", {"serviceName": "x", **SELECTED}),
    "Deployment": ("apps/v1", SELECTED),
}


@pytest.mark.parametrize("kind", PODS)
def test_images_of_every_kind_that_runs_pods_are_listed(tmp_path: Path, kind: str) -> None:
    version, spec = PODS[kind]
    body = {"apiVersion": version, "kind": kind, "metadata": {"name": "worker"}, "spec": spec}
    root = kits.make_kit(tmp_path)
    component = root / "components/hello/v1.0.0/component.yaml"
    component.write_text(component.read_text() + dump_yaml({"objects": [body]}))
    opened = open_kit(root)
    listed = render_snapshots([opened.plan(opened.target("olm"))])["olm/images.txt"].splitlines()
    assert [line for line in listed if f"{kind}/worker/" in line or f"{kind}/hello-worker/" in line] == [
        f"a:1 {kind}/worker/first",
        f"b:2 {kind}/worker/main",
    ]


def with_objects(tmp_path: Path, text: str) -> dict[str, str]:
    root = kits.make_kit(tmp_path)
    component = root / "components/hello/v1.0.0/component.yaml"
    component.write_text(component.read_text() + "objects:\n" + text)
    opened = open_kit(root)
    return render_snapshots([opened.plan(opened.target("odh"))])


def test_images_that_only_configuration_names_are_listed(tmp_path: Path) -> None:
    found = with_objects(
        tmp_path,
        """
- apiVersion: v1
  kind: ConfigMap
  metadata: {name: texts}
  data:
    plain: quay.io/one/plain:v1
    short: one/short:v1
    side-image: alpine:3
    config.yaml: |
      sidecar:
        image: busybox:1.36
        other: "ghcr.io/one/quoted@sha256:0000000000000000000000000000000000000000000000000000000000000000"
      key: {example.com/label: yes}
      address: example.com:8080/path
      url: https://quay.io/one/linked:v1
    params.env: |
      first=registry.example.com:5000/one/param:v2
    list.json: '["quay.io/one/listed:v1","quay.io/one/second:v1"]'
- apiVersion: v1
  kind: Secret
  metadata: {name: texts}
  stringData: {image: quay.io/one/hidden:v1}
- apiVersion: v1
  kind: Pod
  metadata: {name: worker, annotations: {example.com/proxy: "quay.io/one/annotated:v1"}}
  spec:
    containers:
    - name: main
      image: a:1
      command: [run, --image, "quay.io/one/next:v1"]
      args: [--side-image=quay.io/one/argument:v1, --proxy=quay.io/one/proxy:v1]
      env:
      - {name: RELATED_IMAGE_X, value: "quay.io/one/related:v1"}
      - {name: OAUTH_PROXY, value: "quay.io/one/oauth:v1"}
    volumes:
    - {name: model, image: {reference: "quay.io/one/volume:v1"}}
- apiVersion: example.com/v1
  kind: Thing
  metadata: {name: custom}
  spec: {proxyImage: "one/custom:v1", note: "see one/note:v1"}
""",
    )["odh/images.txt"].splitlines()
    listed = [line for line in found if "hello" not in line]
    assert listed == [
        "a:1 Pod/worker/main",
        "alpine:3 ConfigMap/texts/data/side-image",
        "busybox:1.36 ConfigMap/texts/data/config.yaml",
        f"ghcr.io/one/quoted@sha256:{'0' * 64} ConfigMap/texts/data/config.yaml",
        "one/custom:v1 Thing/custom/spec/proxyImage",
        "one/short:v1 ConfigMap/texts/data/short",
        "quay.io/one/annotated:v1 Pod/worker/metadata/annotations/example.com/proxy",
        "quay.io/one/argument:v1 Pod/worker/main/args",
        "quay.io/one/listed:v1 ConfigMap/texts/data/list.json",
        "quay.io/one/next:v1 Pod/worker/main/command",
        "quay.io/one/oauth:v1 Pod/worker/main/env/OAUTH_PROXY",
        "quay.io/one/plain:v1 ConfigMap/texts/data/plain",
        "quay.io/one/proxy:v1 Pod/worker/main/args",
        "quay.io/one/related:v1 Pod/worker/main/env/RELATED_IMAGE_X",
        "quay.io/one/second:v1 ConfigMap/texts/data/list.json",
        "quay.io/one/volume:v1 Pod/worker/model/reference",
        "registry.example.com:5000/one/param:v2 ConfigMap/texts/data/params.env",
    ]
    assert any("ConfigMap/hello-params/data/" in line for line in found), "parameters are configuration"


def test_files_have_names_that_a_disk_takes(tmp_path: Path) -> None:
    long = "a" * 252
    objects = "".join(
        f"- {{apiVersion: v1, kind: ConfigMap, metadata: {{name: {long}{each}}}}}\n" for each in "bc"
    )
    found = [path for path in with_objects(tmp_path, objects) if "aaa" in path]
    assert len(found) == 2
    assert all(len(path.rpartition("/")[2]) <= 255 for path in found)


def test_roles_are_real_ones_and_a_table_tells_what_they_come_to(tmp_path: Path) -> None:
    found = with_objects(
        tmp_path,
        """
- {apiVersion: v1, kind: ServiceAccount, metadata: {name: reader}}
- apiVersion: rbac.authorization.k8s.io/v1
  kind: ClusterRole
  metadata: {name: reader}
  rules:
  - {apiGroups: [""], resources: [pods, services], verbs: [get, list, watch]}
  - {apiGroups: [""], resources: [pods], verbs: [get]}
- apiVersion: rbac.authorization.k8s.io/v1
  kind: ClusterRoleBinding
  metadata: {name: reader}
  roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: reader}
  subjects: [{kind: ServiceAccount, name: reader, namespace: opendatahub}]
""",
    )
    role = read_yaml(found["odh/hello/ClusterRole.rbac.authorization.k8s.io__reader.yaml"])
    assert (role["apiVersion"], role["kind"]) == ("rbac.authorization.k8s.io/v1", "ClusterRole")
    assert role.keys() == {"apiVersion", "kind", "metadata", "rules"}
    assert len(role["rules"]) == 2
    table = found["odh/permissions.txt"]
    assert "ServiceAccount opendatahub/reader\n  cluster: read: core/pods, services (reader)\n" in table
