"""Show: a spec with all that it builds on, and where each part is said."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import kits
import pytest
from running import run

from kitgen.findings import parse_pointer
from kitgen.kube.manifest import existing_value
from kitgen.text.yaml import Json, read_yaml

VERSION = "components/hello/v1.0.1/component.yaml"
CASES = [
    ("from-a-version", "hello@v1.0.1"),
    ("from-a-version", "release:v1.0.1"),
    ("from-a-version-with-files", "component:hello@v1.2.0"),
    ("from-a-target", "second"),
    ("from-a-target", "target:staging"),
    ("from-a-release", "v1.0.1"),
]


@pytest.fixture
def chained(tmp_path: Path) -> Path:
    return kits.make_kit(tmp_path / "kit", kits.CASES / "valid/from-a-version")


def test_the_result_is_the_spec_with_comments_on_where_parts_come_from(chained: Path) -> None:
    shown = run("show", "hello@v1.0.1", "--root", chained)
    assert (shown.code, shown.err) == (0, "")
    old = "components/hello/v1.0.0/component.yaml"
    for line in (
        "# hello@v1.0.1 from v1.0.0",
        f"component: hello  # {old}:1",
        "version: v1.0.1",
        "  manager: quay.io/example/hello:v1.0.1",
        f"      image: manager  # {old}:21",
        f"        metrics: 8080  # {old}:23",
        "        health: 8081",
        f"      core/secrets[mine]: get  # {old}:34",
        f"# config.yaml: inherited, {old.replace('component.', 'config.')}",
        "# crds/greetings.yaml: inherited, components/hello/v1.0.0/crds/greetings.yaml",
    ):
        assert line in shown.out.split("\n"), line
    assert "remove" not in shown.out
    assert "from" not in read_yaml(shown.out)


@pytest.mark.parametrize(("case", "source"), CASES)
def test_the_json_says_of_every_value_where_it_is(case: str, source: str, tmp_path: Path) -> None:
    root = kits.make_kit(tmp_path / "kit", kits.CASES / "valid" / case)
    told = json.loads(run("show", source, "--root", root, "-o", "json").out)
    text = run("show", source, "--root", root).out
    assert read_yaml(text) == told["data"]
    for pointer, place in told["origins"].items():
        value, lines = (
            existing_value(told["data"], parse_pointer(pointer)),
            (root / place["file"]).read_text().split("\n"),
        )
        there = existing_value(read_yaml("\n".join(lines)), parse_pointer(place["pointer"]))
        assert there == value or isinstance(value, dict | list) or value is True
        last = parse_pointer(place["pointer"])[-1:]
        named = last and isinstance(last[0], str)
        assert not named or last[0] in lines[place["line"] - 1]
    above = {
        pointer: told["origins"][pointer.rpartition("/")[0]]["file"] for pointer in told["origins"] if pointer
    }
    others = [pointer for pointer, file in above.items() if told["origins"][pointer]["file"] != file]
    assert len(re.findall(r"[^,#\s]+\.yaml:\d+", text)) == len(others)


def test_files_beside_are_own_inherited_or_changed(tmp_path: Path) -> None:
    root = kits.make_kit(tmp_path / "kit", kits.CASES / "valid/from-a-version-with-files")
    write = "components/hello/v1.3.0"
    kits.write(root, {f"{write}/component.yaml": "version: v1.3.0\nfrom: v1.1.0\n"})

    def states(version: str) -> dict[str, tuple[str, int]]:
        told = json.loads(run("show", f"hello@{version}", "--root", root, "-o", "json").out)
        return {each["name"]: (each["state"], len(each["files"])) for each in told["beside"]}

    assert states("v1.0.0") == {"config.yaml": ("own", 1), "crds/greetings.yaml": ("own", 1)}
    assert states("v1.1.0") == {"config.yaml": ("changed", 2), "crds/greetings.yaml": ("changed", 2)}
    assert states("v1.2.0") == {"crds/partings.yaml": ("own", 1)}
    assert states("v1.3.0") == {"config.yaml": ("inherited", 2), "crds/greetings.yaml": ("inherited", 2)}


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("hello@v1.0.2", "no version of hello 'v1.0.2' in this kit"),
        ("odh/hello", "target:odh/hello is no spec as a whole"),
        ("target:odh@v1.0.0", "target:odh@v1.0.0 is no spec as a whole"),
        ("path:kit.yaml", "path:kit.yaml is no spec as a whole"),
        ("-", "- is no spec as a whole"),
        ("ohd", "no target 'ohd' in this kit (hint: did you mean 'odh'?)"),
        ("release:v9", "no release 'v9' in this kit"),
    ],
)
@pytest.mark.parametrize("command", ["show", "flatten"])
def test_what_is_no_spec_is_wrong_usage(kit: Path, command: str, source: str, said: str) -> None:
    shown = run(command, source, "--root", kit)
    assert (shown.code, shown.out) == (2, "")
    assert said in shown.err


def test_a_revision_is_shown_as_it_was(chained: Path) -> None:
    git = ["git", "-c", "user.name=me", "-c", "user.email=me@example.org"]
    for args in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-q", "-m", "Start"]):
        subprocess.run([*git, *args], cwd=chained, check=True)
    spec = chained / VERSION
    spec.write_text(spec.read_text().replace(":v1.0.1", ":v1.0.1-new"))
    shown = run("show", "git:main:hello@v1.0.1", "--root", chained).out
    assert "  manager: quay.io/example/hello:v1.0.1\n" in shown
    assert "component: hello  # main:components/hello/v1.0.0/component.yaml:1\n" in shown


SECRETS = """\
version: v1.0.1
from: v1.0.0
images: {oauth-proxy: "quay.io/example/proxy:v1"}
roles:
  manager-role:
    permissions: {core/secrets: read}
deployment:
  containers:
    auth-proxy:
      image: oauth-proxy
      args: [--password, swordfish, --token=swordfish]
      env: {API_TOKEN: swordfish, LEVEL: info}
objects:
- apiVersion: v1
  kind: Secret
  metadata: {name: keys}
  stringData: {user: swordfish}
- apiVersion: v1
  kind: ConfigMap
  metadata: {name: settings}
  data: {url: "https://me:swordfish@example.com/", apiKey: swordfish}
patches:
- name: secret
  why: for the test
  object: ConfigMap/settings
  merge: {data: {password: swordfish}}
"""


@pytest.mark.parametrize("form", ["text", "json"])
def test_secrets_are_hidden_and_names_are_not(kit: Path, form: str) -> None:
    kits.write(kit, {VERSION: SECRETS})
    shown = run("show", "hello@v1.0.1", "-o", form)
    assert shown.code == 0, shown.err
    assert "swordfish" not in shown.out
    data: Json = read_yaml(shown.out) if form == "text" else json.loads(shown.out)["data"]
    assert data["roles"]["manager-role"]["permissions"]["core/secrets"] == "read"
    assert data["images"]["oauth-proxy"] == "quay.io/example/proxy:v1"
    assert data["deployment"]["containers"]["auth-proxy"]["image"] == "oauth-proxy"
    assert data["deployment"]["containers"]["auth-proxy"]["env"] == {"API_TOKEN": "(hidden)", "LEVEL": "info"}
    assert data["features"]["params"]["params"]["keys"] == {"hello-image": {"image": "manager"}}


def test_variables_of_a_target_are_hidden_by_their_names(kit: Path) -> None:
    env = "{manager: {API_TOKEN: swordfish, LEVEL: info}}"
    text = f"target: staging\nfrom: odh\ncomponents: {{hello: {{env: {env}}}}}\n"
    kits.write(kit, {"targets/staging.yaml": text})
    shown = read_yaml(run("show", "staging").out)
    hidden = {"manager": {"API_TOKEN": "(hidden)", "LEVEL": "info"}}
    assert shown["components"]["hello"]["env"] == hidden


def test_why_follows_the_chain(chained: Path) -> None:
    def told(target: str, name: str, field: str) -> str:
        return run("why", target, name, field, "--root", chained).out

    image = told("rhoai", "Deployment/hello-manager", "image")
    assert f"{VERSION}:8 /images/manager: " in image
    assert "components/hello/v1.0.0/component.yaml:21 /deployment/containers/manager/image: " in image
    assert VERSION not in told("odh", "Deployment/hello-manager", "image")
    rule = told("rhoai", "ClusterRole/hello-manager-role", "/rules/1")
    place = (
        "components/hello/v1.0.0/component.yaml:34 /roles/manager-role/permissions/core~1secrets,nodes[mine]"
    )
    assert f"{place}: " in rule
    assert f"{VERSION}:16 /roles/manager-role/permissions/core~1pods: " in told(
        "rhoai", "ClusterRole/hello-manager-role", "/rules/3"
    )


def test_why_follows_a_chain_of_targets_and_files(tmp_path: Path) -> None:
    root = kits.make_kit(tmp_path / "a", kits.CASES / "valid/from-a-target")
    told = run("why", "second", "Deployment/hello-manager", "/spec/replicas", "--root", root).out
    assert "targets/staging.yaml:8 /components/hello/replicas: " in told
    told = run("why", "second", "Deployment/hello-manager", "/metadata/namespace", "--root", root).out
    assert "targets/staging.yaml:3 /namespace: " in told
    root = kits.make_kit(tmp_path / "b", kits.CASES / "valid/from-a-version-with-files")
    crd = "CustomResourceDefinition/greetings.example.com"
    told = run("why", "odh", crd, "mood", "--root", root).out
    assert "components/hello/v1.1.0/crds/greetings.yaml:6 /$add/v1~1spec.mood: " in told
    assert "components/hello/v1.0.0/crds/greetings.yaml:5 /versions/v1: " in told
    told = run("why", "odh", "ConfigMap/hello-config", "--root", root).out
    assert "components/hello/v1.0.0/config.yaml:1: family config\n" in told
    assert "components/hello/v1.1.0/component.yaml:4 /config/values/workers: " in told
