"""snapshots/ holds what the targets render, for reviewers to read."""

from __future__ import annotations

from pathlib import Path

import kits
import project
import pytest
from snapshot_files import FOLDER, SnapshotFiles
from syrupy.assertion import SnapshotAssertion

from kitgen.emit.snapshot import snapshots
from kitgen.pipeline.opened import Opened, open_kit
from kitgen.yamlio import dump, read

REVIEW = "run make snapshots and read the diff"


@pytest.fixture
def snapshot(snapshot: SnapshotAssertion) -> SnapshotAssertion:
    return snapshot.use_extension(SnapshotFiles)


@pytest.fixture(scope="session")
def made(opened: Opened) -> dict[str, dict[str, str]]:
    return {name: snapshots([opened.plan(target)]) for name, target in opened.kit.targets.items()}


# The files lie where reviewers look, not beside the test.
@pytest.mark.filterwarnings(r"ignore:\s*Can not relate snapshot")
@pytest.mark.parametrize("target", project.targets())
def test_snapshots_are_current(
    made: dict[str, dict[str, str]], snapshot: SnapshotAssertion, target: str
) -> None:
    stale = [path for path, text in made[target].items() if text != snapshot(name=path)]
    assert stale == [], REVIEW


def test_no_snapshot_is_unused(made: dict[str, dict[str, str]], request: pytest.FixtureRequest) -> None:
    used = {FOLDER / path for files in made.values() for path in files}
    unused = sorted(path for path in FOLDER.rglob("*") if path.is_file() and path not in used)
    if request.config.getoption("update_snapshots"):
        for path in unused:
            path.unlink()
        return
    assert [str(path.relative_to(FOLDER)) for path in unused] == [], REVIEW


def test_every_object_has_its_own_file(opened: Opened, made: dict[str, dict[str, str]]) -> None:
    for name, files in made.items():
        plan = opened.plan(opened.target(name))
        objects = sum(len(unit.final) for unit in plan.units) + len(plan.outside)
        assert len(files) == objects + 2, "an inventory and a list of images stand beside them"
        assert len({path.casefold() for path in files}) == len(files)


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
    assert len(snapshots([opened.plan(opened.target("olm"))])) == 1 + 1 + 8 + 2


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
  metadata: {name: keys}
  data: {password: aHVudGVyMg==}
  stringData: {token: hunter2}
""",
        },
    )
    opened = open_kit(root)
    text = snapshots([opened.plan(opened.target("olm"))])["olm/hello/Secret.core__keys.yaml"]
    assert read(text)["data"] == {"password": "(masked)"}
    assert read(text)["stringData"] == {"token": "(masked)"}


def test_the_hash_of_a_generated_name_is_left_out(tmp_path: Path) -> None:
    opened = open_kit(kits.make_kit(tmp_path))
    plan = opened.plan(opened.target("odh"))
    hashed = [each.id.name for unit in plan.units for each in unit.final if each.id.kind == "ConfigMap"]
    assert hashed != ["hello-params"]
    found = snapshots([plan])
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
    component.write_text(component.read_text() + dump({"objects": [body]}))
    opened = open_kit(root)
    listed = snapshots([opened.plan(opened.target("olm"))])["olm/images.txt"].splitlines()
    assert [line for line in listed if f"{kind}/worker/" in line or f"{kind}/hello-worker/" in line] == [
        f"a:1 {kind}/worker/first",
        f"b:2 {kind}/worker/main",
    ]
