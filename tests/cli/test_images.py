"""kitgen images lists every image that targets can run, with all that names it."""

from __future__ import annotations

import json
from pathlib import Path

import kits
import pytest
from running import run

from kitgen.files import programs

needs_kustomize = pytest.mark.skipif(
    programs.find_kustomize() is None, reason="neither kustomize nor kubectl is on PATH"
)
COMPONENT = "components/hello/v1.0.0/component.yaml"
OWN = "quay.io/example/hello:v1.0.0"
SDK = "quay.io/example/sdk@sha256:" + "a" * 64
RUNTIME = f"""\
runtimeImages:
  sdk: {{image: "{SDK}", source: default of the SDK, record: sdk@v1.0.0}}
  old: {{image: "quay.io/example/old:v1", source: code}}
"""


def change(root: Path, file: str, old: str, new: str) -> None:
    text = (root / file).read_text()
    assert text.count(old) == 1
    (root / file).write_text(text.replace(old, new))


def with_runtime(root: Path) -> None:
    change(root, COMPONENT, "serviceAccount:", f"{RUNTIME}\nserviceAccount:")


def listed(*args: str) -> dict[str, list[dict[str, str]]]:
    done = run("images", "list", *args, "-o", "json")
    assert done.code == 0, done.err
    return {each["image"]: each["uses"] for each in json.loads(done.out)["images"]}


def test_a_table_json_and_a_plain_list(kit: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    table = run("images", "list", "odh")
    assert [line.split() for line in table.out.splitlines()] == [
        ["IMAGE", "NAMED", "BY", "IN", "TARGET"],
        [OWN, "container", "hello:", "Deployment/hello-manager/manager", "odh"],
        ["params.env", "hello:", "hello-image", "odh"],
    ]
    assert (table.code, table.err) == (0, "1 image of odh v1.0.0\n")
    assert run("images", "list", "-o", "plain").out == f"{OWN}\n"
    assert listed("odh")[OWN][0] == {
        "target": "odh",
        "release": "v1.0.0",
        "component": "hello",
        "by": "container",
        "place": "Deployment/hello-manager/manager",
        "file": COMPONENT,
    }


def test_several_targets_and_another_release(kit: Path) -> None:
    assert {each["target"] for each in listed("olm", "rhoai", "olm")[OWN]} == {"olm", "rhoai"}
    assert {each["target"] for each in listed()[OWN]} == {"odh", "olm", "rhoai"}
    newer = (
        "component: hello\nversion: v1.1.0\nfrom: v1.0.0\nimages: {manager: 'quay.io/example/hello:v1.1.0'}\n"
    )
    kits.write(
        kit,
        {
            "components/hello/v1.1.0/component.yaml": newer,
            "releases/v1.1.0.yaml": "release: v1.1.0\ncomponents: {hello: v1.1.0}\n",
        },
    )
    assert [*listed("odh")] == [OWN]
    assert [*listed("odh", "--release", "v1.1.0")] == ["quay.io/example/hello:v1.1.0"]


@pytest.mark.parametrize("args", [["images", "list", "nobody"], ["images", "check", "x"]])
def test_a_target_that_is_not_there(kit: Path, args: list[str]) -> None:
    done = run(*args)
    assert (done.code, done.out) == (2, "")
    assert "no target " in done.err
    assert f"'{args[-1]}'" in done.err


PLAIN = """\
apiVersion: v1
kind: Pod
metadata: {name: a}
spec: {containers: [{name: a, image: "quay.io/example/a:v1"}]}
---
apiVersion: operators.coreos.com/v1alpha1
kind: ClusterServiceVersion
metadata:
  name: a.v1.0.0
  annotations:
    alm-examples: '[{"kind": "Pod", "spec": {"containers": [{"image": "quay.io/example/b:v1"}]}}]'
spec: {relatedImages: [{name: c, image: "quay.io/example/c:v1"}]}
"""


def test_manifests_of_others(kit: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kits.write(tmp_path, {"real.yaml": PLAIN, "tree/kustomization.yaml": "resources: [../real.yaml]\n"})
    name = f"path:{tmp_path / 'real.yaml'}"
    found = listed(name, "odh")
    uses = {
        image: [(each["by"], each["target"], each["release"]) for each in some]
        for image, some in found.items()
    }
    assert uses.pop(OWN) == [("container", "odh", "v1.0.0"), ("params.env", "odh", "v1.0.0")]
    assert uses == {
        "quay.io/example/a:v1": [("container", name, None)],
        "quay.io/example/b:v1": [("example", name, None)],
        "quay.io/example/c:v1": [("bundle", name, None)],
    }
    monkeypatch.chdir(tmp_path)  # where there is no kit
    done = run("images", "list", "real.yaml", "-o", "plain")
    assert (done.code, done.out.split(), done.err) == (0, [*uses], "3 images of path:real.yaml\n")
    assert run("images", "list", "-", "-o", "plain", stdin=PLAIN).out == done.out


def test_what_comes_twice_is_no_fault_of_a_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pod, _, _ = PLAIN.partition("---")
    named = "metadata: {name: b}\nmetadata: {generateName"
    other = pod.replace("a:v1", "z:v1").replace("metadata: {name", named)
    kits.write(tmp_path, {"one.yaml": pod, "two.yaml": other})
    monkeypatch.chdir(tmp_path)
    done = run("images", "list", ".", "-o", "plain")
    assert (done.code, done.out.split()) == (0, ["quay.io/example/a:v1", "quay.io/example/z:v1"])
    assert run("diff", "one.yaml", "two.yaml").code == 1  # to which it matters


@needs_kustomize
def test_a_folder_that_kustomize_builds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pod, _, _ = PLAIN.partition("---")
    images = "images: [{name: quay.io/example/a, newTag: v2}]"
    kits.write(tmp_path, {"pod.yaml": pod, "kustomization.yaml": f"resources: [pod.yaml]\n{images}\n"})
    monkeypatch.chdir(tmp_path)
    assert run("images", "list", ".", "-o", "plain").out == "quay.io/example/a:v2\n"


def test_other_parts_of_a_kit(kit: Path) -> None:
    assert (
        [*listed("odh/hello")] == [*listed("component:hello@v1.0.0")] == [*listed("release:v1.0.0")] == [OWN]
    )
    twice = json.loads(run("images", "list", "target:odh@v1.0.0", "target:odh", "-o", "json").out)["targets"]
    assert twice == [{"target": "odh", "release": "v1.0.0"}] * 2


@pytest.mark.parametrize(
    ("args", "code", "told"),
    [
        (["path:nowhere"], 2, "no such file or folder: 'nowhere'"),
        (["target:odh@v1.0.0", "--release", "v1.0.0"], 2, "takes no --release"),
        (["release:v1.0.0", "--release", "v1.0.0"], 2, "takes no --release"),
        (["kit.yaml", "--release", "v1.0.0"], 2, "--release is for targets"),
        (["kit.yaml"], 1, "kit.yaml:1 /apiVersion: manifest-invalid: "),
        (["target:odh/nothing"], 2, "no component 'nothing'"),
    ],
    ids=["no file", "twice", "release", "file", "no manifest", "no component"],
)
def test_what_is_no_source(kit: Path, args: list[str], code: int, told: str) -> None:
    done = run("images", "list", *args)
    assert (done.code, done.out, told in done.err) == (code, "", True), done.err


@pytest.mark.parametrize("name", ["check", "lock", "list"])
def test_a_target_that_is_called_like_a_command(kit: Path, name: str) -> None:
    text = (kit / "targets/odh.yaml").read_text().replace("target: odh", f"target: {name}")
    kits.write(kit, {f"targets/{name}.yaml": text})
    done = run("images", "list", name, "-o", "plain")
    assert (done.code, done.out, done.err) == (0, f"{OWN}\n", f"1 image of {name} v1.0.0\n")


def test_configuration_and_its_defaults(kit: Path) -> None:
    field = "  proxy: {type: string, format: image, default: 'quay.io/example/proxy:v1'}\n"
    change(kit, "components/hello/v1.0.0/config.yaml", "fields:\n", f"fields:\n{field}")
    config = "components/hello/v1.0.0/config.yaml"
    assert [
        (each["by"], each["place"], each["file"]) for each in listed("odh")["quay.io/example/proxy:v1"]
    ] == [("configuration", "proxy", config)]
    change(
        kit,
        "targets/odh.yaml",
        "    features:",
        "    config: {proxy: 'quay.io/example/other:v2'}\n    features:",
    )
    found = listed("odh")
    assert "quay.io/example/proxy:v1" not in found
    assert {each["file"] for each in found["quay.io/example/other:v2"]} == {"targets/odh.yaml"}
    assert "quay.io/example/proxy:v1" in listed("olm")


def test_what_only_code_names(kit: Path) -> None:
    with_runtime(kit)
    assert [(each["by"], each["place"]) for each in listed("odh")[SDK]] == [
        ("run time", "default of the SDK")
    ]
    newer = "component: hello\nversion: v1.1.0\nfrom: v1.0.0\nremove: [/runtimeImages/old]\n"
    kits.write(
        kit,
        {
            "components/hello/v1.1.0/component.yaml": newer,
            "releases/v1.1.0.yaml": "release: v1.1.0\ncomponents: {hello: v1.1.0}\n",
        },
    )
    assert "quay.io/example/old:v1" in listed("odh")
    taken = listed("odh", "--release", "v1.1.0")
    assert "quay.io/example/old:v1" not in taken
    assert {each["file"] for each in taken[SDK]} == {COMPONENT}


def test_a_bundle_and_its_examples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = kits.make_kit(tmp_path, kits.CASES / "valid" / "olm-bundle")
    with_runtime(root)
    example = root / "components/hello/v1.0.0/examples/greeting.yaml"
    example.write_text(example.read_text().replace("Good morning", "quay.io/example/sample:v1"))
    monkeypatch.chdir(root)
    found = listed("olm")
    assert [each["by"] for each in found["quay.io/example/sample:v1"]] == ["example"]
    assert {each["by"] for each in found["quay.io/example/hello-bundled:v1.0.0"]} == {"bundle"}
    assert [each["by"] for each in found["quay.io/example/catalog:v1"]] == ["catalog"]
    assert [each["by"] for each in found[SDK]] == ["run time"]
    tests = found["quay.io/operator-framework/scorecard-test:v1.24.1"]
    assert [(each["by"], each["place"]) for each in tests] == [("test", "scorecard")]
    assert "scorecard" not in run("images", "lock", "--check").out


def test_only_the_map_of_parameters_is_told_by_its_keys(kit: Path) -> None:
    named = "{apiVersion: v1, kind: ConfigMap, metadata: {name: hello-params-more}, data: {image: 'a/b:v1'}}"
    change(kit, COMPONENT, "serviceAccount:", f"objects: [{named}]\n\nserviceAccount:")
    assert [each["place"] for each in listed("odh")["a/b:v1"]] == ["ConfigMap/hello-params-more/data/image"]
    assert {each["by"] for each in listed("odh")[OWN]} == {"container", "params.env"}


def test_parameters_that_say_an_image_themselves(kit: Path) -> None:
    own = "        hello-image: {image: manager}\n"
    fills = "fills: [{object: ConfigMap/job, field: data.KEY}]"
    values = {"job": "quay.io/example/job:v1", "run": "run --image=a/b:v1 now", "port": "8080", "name": "a/b"}
    more = "".join(
        f"        {key}: {{value: '{value}', {fills.replace('KEY', key)}}}\n" for key, value in values.items()
    )
    change(kit, COMPONENT, own, own + more)
    named = f"{{apiVersion: v1, kind: ConfigMap, metadata: {{name: job}}, data: {json.dumps(values)}}}"
    change(kit, COMPONENT, "serviceAccount:", f"objects: [{named}]\n\nserviceAccount:")
    found = listed("odh")
    keys = {
        image: [each["place"] for each in uses if each["by"] == "params.env"] for image, uses in found.items()
    }
    assert keys == {OWN: ["hello-image"], "a/b:v1": ["run"], "quay.io/example/job:v1": ["job"]}
    (use,) = (each for each in found["a/b:v1"] if each["by"] == "params.env")
    assert use["file"] == COMPONENT
    assert [each["by"] for each in listed("olm")["a/b:v1"]] == ["text"]


def test_wrong_specs_are_told(kit: Path) -> None:
    (kit / "targets/odh.yaml").write_text("target: odh\nrelease: v9.9.9\n")
    done = run("images", "list", "olm")
    assert (done.code, done.out) == (1, "")
    assert "reference-missing" in done.err


def test_tags_of_a_target_that_has_digests(kit: Path) -> None:
    sha = f"sha256:{'a' * 64}"
    kits.write(kit, {"locks/v1.0.0.yaml": f"release: v1.0.0\nimages: {{'{OWN}': {{digest: '{sha}'}}}}\n"})
    change(kit, "targets/odh.yaml", "release: v1.0.0", "release: v1.0.0\ndigests: true")
    assert run("images", "list", "odh", "-o", "plain").out == f"quay.io/example/hello@{sha}\n"
    assert run("images", "list", "odh", "--tags", "-o", "plain").out == f"{OWN}\n"


def test_tests_of_a_bundle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, _, csv = PLAIN.partition("---")
    tests = "apiVersion: scorecard.operatorframework.io/v1alpha3\nkind: Configuration\n"
    tests += "metadata: {name: config}\nstages: [{tests: [{image: 'quay.io/example/test:v1'}]}]\n"
    files = {
        "metadata/annotations.yaml": "annotations: {}\n",
        "manifests/a.yaml": csv,
        "tests/scorecard/config.yaml": tests,
    }
    kits.write(tmp_path, files)
    monkeypatch.chdir(tmp_path)
    assert "quay.io/example/test:v1" in run("images", "list", ".", "-o", "plain").out
