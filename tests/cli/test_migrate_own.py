"""The kit's own migrations, tried on AppWrappers as people wrote them."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import kits
import pytest
from running import run

from docs.console import copy_kit
from kitgen.text.yaml import JsonObject, read_yaml_documents

OLD = """\
apiVersion: mcad.ibm.com/v1beta1
kind: AppWrapper
metadata:
  name: train
  namespace: team
  uid: 6f1f
  labels: {appwrapper.mcad.ibm.com: train}
spec:
  service: {spec: {type: ClusterIP, ports: [{port: 80}]}}
  resources:
    Items: []
    GenericItems:
    - replicas: 3
      metadata: {}
      generictemplate:
        apiVersion: v1
        kind: Pod
        metadata: {name: p, labels: {appwrapper.mcad.ibm.com: train}}
        spec: {containers: [{name: a, image: b}], volumes: [{name: x, emptyDir: {}}]}
status: {state: Running}
"""


def resources(name: str, text: str, folder: Path) -> tuple[int, list[JsonObject], str]:
    file = kits.write(folder, {"old.yaml": text}) / "old.yaml"
    found = run("migrate", "resources", name, file, "--root", kits.PROJECT)
    return found.code, read_yaml_documents(found.out), found.err


def test_an_app_wrapper_of_mcad_moves_to_the_new_group(tmp_path: Path) -> None:
    code, (made,), _ = resources("mcad-groups", OLD, tmp_path)
    assert (code, made["apiVersion"]) == (0, "workload.codeflare.dev/v1beta1")
    assert made["metadata"] == {
        "name": "train",
        "namespace": "team",
        "labels": {"appwrapper.mcad.ibm.com": "train"},
    }
    spec = made["spec"]
    assert spec["service"] == {"spec": {"type": "ClusterIP", "ports": [{"port": 80}]}}
    (item,) = spec["resources"]["GenericItems"]
    assert item["generictemplate"]["spec"]["volumes"] == [{"name": "x", "emptyDir": {}}]


def test_one_of_an_older_migration_is_not_passed_on(tmp_path: Path) -> None:
    code, made, err = resources("appwrapper-v1beta2", OLD, tmp_path)
    assert (code, made) == (1, [])
    assert "migration-unmoved: found AppWrapper of mcad.ibm.com/v1beta1, which mcad-groups moves" in err


def test_what_is_lost_tells_how_much(tmp_path: Path) -> None:
    text = OLD.replace("mcad.ibm.com/v1beta1", "workload.codeflare.dev/v1beta1")
    code, (made,), err = resources("appwrapper-v1beta2", text, tmp_path)
    assert (code, made["apiVersion"]) == (0, "workload.codeflare.dev/v1beta2")
    assert "found spec.resources.GenericItems[].replicas 3, which has no counterpart" in err
    assert "found spec.service, which has no counterpart" in err


@pytest.mark.parametrize("name", ["mcad-groups", "appwrapper-v1beta2"])
def test_a_check_tells_what_is_worth_reading_alone(name: str) -> None:
    found = run("migrate", "check", name, "-o", "json", "--root", kits.PROJECT)
    told = [each for each in json.loads(found.out)["findings"] if not each["accepted"]]
    assert (found.code, len(told) < 8) == (0, True)
    assert {each["rule"] for each in told} <= {"migration-schema", "upgrade-webhook"}


@pytest.mark.parametrize(
    ("name", "before"), [("mcad-groups", "v0.1.0"), ("appwrapper-v1beta2", "v1.0.0")], ids=str
)
def test_the_pin_at_the_end_of_the_runbook_is_taken(name: str, before: str, tmp_path: Path) -> None:
    copy_kit(tmp_path)
    target = tmp_path / "targets/olm.yaml"
    target.write_text(re.sub("^release: .*", f"release: {before}", target.read_text(), flags=re.MULTILINE))
    plan = run("migrate", "plan", name, "--target", "olm", "--root", tmp_path).out
    (pin,) = re.findall("^kitgen (pin .*)", plan, re.MULTILINE)
    assert run(*shlex.split(pin), "--root", tmp_path).code == 0
