"""kitgen argocd health prints health checks for Argo CD, and tries them."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import kits
import pytest
from running import run

from kitgen.files.programs import run_program
from kitgen.text.yaml import read_yaml

PREFIX = "resource.customizations.health."
QUEUE = """\
apiVersion: v1
kind: List
items:
- apiVersion: kueue.x-k8s.io/v1beta1
  kind: ClusterQueue
  metadata: {name: all}
  status: {conditions: [{type: Active, status: "True", message: Can admit new workloads}]}
- apiVersion: ray.io/v1
  kind: RayJob
  metadata: {name: nightly, namespace: team-a}
  status: {jobStatus: FAILED, message: "exit code 1"}
- {apiVersion: v1, kind: ConfigMap, metadata: {name: more}}
"""
OWN = "argocd/health/example.com_Greeting.lua"
SOUND = "return {status = 'Healthy', message = 'hello'}\n"
GREETING = "{apiVersion: example.com/v1, kind: Greeting, metadata: {name: a}, status: {phase: Up}}\n"


@pytest.fixture
def kit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make the small kit the current folder, with some objects in it."""
    root = kits.make_kit(tmp_path / "kit")
    kits.write(root, {"live.yaml": QUEUE, "greeting.yaml": GREETING})
    monkeypatch.chdir(root)
    return root


def test_the_patch_has_a_key_a_kind() -> None:
    done = run("argocd", "health")
    data = read_yaml(done.out)["data"]
    assert (done.code, list(data)) == (0, sorted(data))
    assert {f"{PREFIX}ray.io_RayCluster", f"{PREFIX}argoproj.io_Application"} <= set(data)
    assert all(key.startswith(PREFIX) and "return {status" in lua for key, lua in data.items())


@pytest.mark.parametrize("name", ["RayJob", "ray.io_RayJob"])
def test_one_kind_is_named_with_or_without_its_group(name: str) -> None:
    assert list(read_yaml(run("argocd", "health", name).out)["data"]) == [f"{PREFIX}ray.io_RayJob"]


def test_a_kind_without_a_check_is_wrong_usage() -> None:
    done = run("argocd", "health", "RayJobs")
    assert (done.code, done.out) == (2, "")
    assert "no health check for 'RayJobs'" in done.err
    assert "RayJob" in done.err


@pytest.mark.skipif(not shutil.which("kubectl"), reason="needs kubectl")
def test_kubectl_takes_the_patch(tmp_path: Path) -> None:
    patch, before = tmp_path / "patch.yaml", tmp_path / "argocd-cm.yaml"
    patch.write_text(run("argocd", "health").out)
    before.write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: argocd-cm}\ndata: {url: here}\n")
    command = ["kubectl", "patch", "--local", "-f", str(before), "--type", "merge", "-o", "yaml"]
    done = run_program([*command, "--patch-file", str(patch)])
    assert done.is_successful, done.stderr
    assert read_yaml(done.stdout)["data"] == read_yaml(patch.read_text())["data"] | {"url": "here"}


def test_objects_are_judged(kit: Path) -> None:
    done = run("argocd", "health", "--check", "live.yaml")
    assert (done.code, done.out) == (
        0,
        "Healthy     ClusterQueue/all: Can admit new workloads\n"
        "Degraded    RayJob/nightly in team-a: exit code 1\n",
    )
    assert "skipped, none of the checks is for it: ConfigMap (1)" in done.err


def test_objects_are_judged_without_a_kit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = run("argocd", "health", "--check", "-", "-o", "json", stdin=QUEUE)
    told = [(each["kind"], each["status"]) for each in json.loads(done.out)["objects"]]
    assert told == [("ClusterQueue", "Healthy"), ("RayJob", "Degraded")]


def test_a_check_of_the_kit_is_added(kit: Path) -> None:
    kits.write(kit, {OWN: SOUND, "argocd/health/README.md": "mine", "argocd/health/Pod.lua": SOUND})
    data = read_yaml(run("argocd", "health").out)["data"]
    assert (data[f"{PREFIX}example.com_Greeting"], data[f"{PREFIX}Pod"]) == (SOUND, SOUND)
    assert run("argocd", "health", "--check", "greeting.yaml").out == "Healthy     Greeting/a: hello\n"


def test_a_check_of_the_kit_takes_the_place_of_another(kit: Path) -> None:
    kits.write(kit, {"argocd/health/ray.io_RayJob.lua": SOUND})
    assert (
        "Healthy     RayJob/nightly in team-a: hello" in run("argocd", "health", "--check", "live.yaml").out
    )


@pytest.mark.parametrize(
    ("lua", "line", "message"),
    [
        ("local a = 1\nwhile true do end\n", 2, "does not end in time"),
        ("local s = 'x'\nwhile true do s = s .. s end\n", 2, "takes more than 64 MiB"),
        ("\nreturn {status = obj.status.phase}\n", 2, "fails: attempt to index field 'status'"),
        ("return 1\n", 1, "returns number, expected a table"),
        ("return {status = 'Health'}\n", 1, "returns the status 'Health'"),
        ("os.execute('touch here')\n", 1, "fails: attempt to index global 'os'"),
    ],
)
def test_a_wrong_check_of_the_kit_is_a_finding(kit: Path, lua: str, line: int, message: str) -> None:
    kits.write(kit, {OWN: lua})
    done = run("argocd", "health", "--check", "greeting.yaml")
    assert (done.code, done.out) == (1, "")
    assert f"{OWN}:{line}: health-lua: {message}" in done.err
    assert done.err.count("health-lua") == 1


def test_a_file_that_names_no_kind_is_a_finding(kit: Path) -> None:
    kits.write(kit, {"argocd/health/example.com-greeting.lua": SOUND})
    done = run("argocd", "health")
    assert (done.code, done.out) == (1, "")
    assert (
        "argocd/health/example.com-greeting.lua:1: health-name: found 'example.com-greeting.lua'" in done.err
    )


def test_a_link_out_of_the_kit_is_not_read(kit: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret.lua"
    secret.write_text("return {status = 'secret'}")
    (kit / OWN).parent.mkdir(parents=True)
    (kit / OWN).symlink_to(secret)
    done = run("argocd", "health")
    assert (done.code, done.out) == (1, "")
    assert f"{OWN}:1: path-symlink" in done.err


def test_an_object_that_no_cluster_would_have_is_a_finding(kit: Path) -> None:
    kits.write(
        kit, {"odd.yaml": "apiVersion: ray.io/v1\nkind: RayJob\nmetadata: {name: a}\nstatus: Running\n"}
    )
    done = run("argocd", "health", "--check", "odd.yaml", "--check", "live.yaml")
    assert done.code == 1
    assert "odd.yaml:1: health-lua: fails: attempt to index" in done.err
    assert "RayJob/nightly" in done.out


def test_all_objects_together_have_a_bound(kit: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kitgen.argocd.health.run.MAX_SECONDS", 0.0)
    kits.write(kit, {OWN: SOUND, "many.yaml": f"---\n{GREETING}" * 9})
    done = run("argocd", "health", "--check", "many.yaml")
    assert (done.code, done.out) == (1, "Healthy     Greeting/a: hello\n")
    assert f"{OWN}:1: health-lua: found more objects than can be judged in 0 seconds" in done.err
    assert done.err.count("health-lua") == 1


@pytest.mark.parametrize("text", ["a: [", "kind: RayJob\n"])
def test_what_is_no_object_is_a_finding(kit: Path, text: str) -> None:
    kits.write(kit, {"odd.yaml": text})
    assert run("argocd", "health", "--check", "odd.yaml").code == 1


def test_without_lua_the_patch_is_printed_and_nothing_is_judged(
    kit: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "lupa", None)
    assert run("argocd", "health").code == 0
    done = run("argocd", "health", "--check", "live.yaml")
    assert (done.code, done.out) == (3, "")
    assert "pip install 'kitgen[lua]'" in done.err
