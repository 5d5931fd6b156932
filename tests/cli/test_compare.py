"""`kitgen compare` tells what differs from the real thing, and which line of the specs is about it."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import kits
import pytest
from running import Run, run
from some import first

from kitgen.files.programs import find_kustomize
from kitgen.text.yaml import Dialect, dump_yaml_documents, read_yaml_documents

COMPONENT = "components/hello/v1.0.0/component.yaml"
SPEC = """\
component: hello
version: v1.0.0
about: A small operator
kubernetes: "1.29"
prefix: hello-
namespace: hello-system
labels:
- pairs: {app.kubernetes.io/name: hello}
  selectors: true
images:
  manager: quay.io/example/hello:v1.0.0
serviceAccount: controller-manager
deployment:
  name: manager
  containers:
    manager:
      image: manager
      args: [--verbose]
      env:
        API_TOKEN: abc
      resources: {cpu: 100m, memory: 64Mi}
roles:
  manager-role:
    permissions:
      core/configmaps: read
      example.com/greetings: manage
config:
  values:
    greeting: goodbye
    log:
      level: info
objects:
- apiVersion: v1
  kind: ConfigMap
  metadata: {name: notes}
  data:
    password: first
    note: one
features:
  calm:
    about: Less noise
    deployment:
      containers:
        manager:
          env:
            CALM: "1"
  params:
    about: The ODH operator rewrites this on the cluster before it builds
    params:
      configMap: params
      keys:
        hello-image: {image: manager}
"""
TARGET = """\
target: odh
about: For the ODH operator
release: v1.0.0
namespace: opendatahub
components:
  hello:
    features: [params, calm]
    replicas: 3
    images: {manager: quay.io/example/hello:odh}
    patches:
    - name: annotated
      why: somebody reads it
      object: Deployment/hello-manager
      merge:
        metadata:
          annotations:
            example.com/b: "2"
"""
Objects = dict[str, Any]


@pytest.fixture
def kit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = kits.make_kit(tmp_path / "kit")
    (root / COMPONENT).write_text(SPEC)
    (root / "targets/odh.yaml").write_text(TARGET)
    monkeypatch.chdir(root)
    return root


def built(source: str = "odh/hello") -> Objects:
    """Return what the kit builds: kind and name → object."""
    made = run("build", source)
    assert made.code == 0, made.err
    return {
        f"{each['kind']}/{each['metadata']['name']}": each
        for each in read_yaml_documents(made.out, dialect=Dialect.KUBECTL)
    }


def against(objects: Objects, *options: str, source: str = "odh/hello") -> Run:
    """Compare with objects as the real thing."""
    return run("compare", source, "-", *options, stdin=dump_yaml_documents(list(objects.values())))


def container(objects: Objects) -> Any:
    return objects["Deployment/hello-manager"]["spec"]["template"]["spec"]["containers"][0]


def line(file: str, text: str) -> str:
    """Return the place of the only line of a spec that holds a text."""
    lines = Path(file).read_text().splitlines()
    (found,) = [number for number, each in enumerate(lines, 1) if text in each]
    return f"{file}:{found}"


def set_config(objects: Objects, text: str) -> None:
    data = objects["ConfigMap/hello-config"]["data"]
    data["config.yaml"] = text.format(data["config.yaml"])


CASES: dict[str, tuple[Callable[[Objects], object], str, str, str]] = {
    "a value of the component": (
        lambda objects: container(objects)["args"].append("--more"),
        "spec.template.spec.containers[manager].args",
        COMPONENT,
        "args: [--verbose]",
    ),
    "a value of a feature": (
        lambda objects: container(objects)["env"][1].update(value="2"),
        "spec.template.spec.containers[manager].env[CALM].value",
        COMPONENT,
        'CALM: "1"',
    ),
    "a setting of the target": (
        lambda objects: objects["Deployment/hello-manager"]["spec"].update(replicas=1),
        "spec.replicas",
        "targets/odh.yaml",
        "replicas: 3",
    ),
    "an image": (
        lambda objects: container(objects).update(image="quay.io/example/hello:other"),
        "spec.template.spec.containers[manager].image",
        "targets/odh.yaml",
        "images:",
    ),
    "a label rule": (
        lambda objects: objects["ClusterRole/hello-manager-role"]["metadata"]["labels"].update(
            {"app.kubernetes.io/name": "other"}
        ),
        "metadata.labels[app.kubernetes.io/name]",
        COMPONENT,
        "pairs: {app",
    ),
    "a namespace in a binding": (
        lambda objects: objects["ClusterRoleBinding/hello-manager-rolebinding"]["subjects"][0].update(
            namespace="other"
        ),
        "subjects[hello-controller-manager].namespace",
        "targets/odh.yaml",
        "namespace: opendatahub",
    ),
    "a parameter": (
        lambda objects: objects["ConfigMap/hello-params-t9g85ffk6d"]["data"].update({"hello-image": "x"}),
        "data.hello-image",
        "targets/odh.yaml",
        "images:",
    ),
    "a patch": (
        lambda objects: objects["Deployment/hello-manager"]["metadata"]["annotations"].update(
            {"example.com/b": "3"}
        ),
        "metadata.annotations[example.com/b]",
        "targets/odh.yaml",
        "example.com/b",
    ),
    "typed configuration": (
        lambda objects: set_config(objects, "# words\n{}workers: 3\n"),
        "data[config.yaml].workers",
        COMPONENT,
        "  values:",
    ),
    "a value of typed configuration": (
        lambda objects: objects["ConfigMap/hello-config"]["data"].update(
            {"config.yaml": "{greeting: goodbye, log: {level: debug}, grace: 1, ceiling: 1}"}
        ),
        "data[config.yaml].log.level",
        COMPONENT,
        "level: info",
    ),
    "a permission": (
        lambda objects: objects["ClusterRole/hello-manager-role"]["rules"][0]["verbs"].append("delete"),
        "rules[core/configmaps]",
        COMPONENT,
        "core/configmaps: read",
    ),
    "a permission that is not granted yet": (
        lambda objects: objects["ClusterRole/hello-manager-role"]["rules"].append(
            {"apiGroups": ["apps"], "resources": ["deployments"], "verbs": ["get"]}
        ),
        "rules[apps/deployments]",
        COMPONENT,
        "    permissions:",
    ),
    "an object as it is": (
        lambda objects: objects["ConfigMap/notes"]["data"].update(note="two"),
        "data.note",
        COMPONENT,
        "note: one",
    ),
    "a declaration of a CRD": (
        lambda objects: objects["CustomResourceDefinition/greetings.example.com"]["spec"]["names"].update(
            shortNames=["gr"]
        ),
        "spec.names.shortNames",
        "components/hello/v1.0.0/crds/greetings.yaml",
        "names: {kind: Greeting}",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_difference_names_the_line_that_would_change_it(kit: Path, case: str) -> None:
    change, field, file, text = CASES[case]
    objects = built()
    change(objects)
    made = against(objects)
    assert made.code == 1
    (told,) = [each for each in made.out.splitlines() if each.startswith(f"  {field}: ")]
    assert told.endswith(f"({line(file, text)})"), told


def test_an_object_of_one_side_names_the_section_that_has_or_could_have_it(kit: Path) -> None:
    objects = built()
    role = objects.pop("ClusterRole/hello-manager-role")
    objects["more"] = {**role, "metadata": {"name": "more"}}
    objects["job"] = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "job", "namespace": "x"}}
    objects["hook"] = {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingWebhookConfiguration",
        "metadata": {"name": "hook"},
    }
    made = against(objects)
    assert made.out.splitlines() == [
        f"ClusterRole/hello-manager-role: only in the kit ({line(COMPONENT, 'manager-role:')})",
        f"ClusterRole/more: only in the real thing ({line(COMPONENT, 'roles:')})",
        f"Job/job in x: only in the real thing ({line(COMPONENT, 'objects:')})",
        f"ValidatingWebhookConfiguration/hook: only in the real thing ({COMPONENT}:1)",
    ]
    assert made.err == "7 objects in both, 4 differences\n"
    whole = against(objects, source="odh")
    assert "Job/job in x: only in the real thing (targets/odh.yaml:1)" in whole.out


def test_equal_is_quiet_and_exits_with_0(kit: Path) -> None:
    made = against(built())
    assert (made.code, made.out, made.err) == (0, "", "8 objects in both, no differences\n")
    assert against(built(), "-q") == Run(code=0, out="", err="")


def test_quietly_only_the_exit_code_tells(kit: Path) -> None:
    objects = built()
    objects["Deployment/hello-manager"]["spec"]["replicas"] = 9
    assert against(objects, "--quiet") == Run(code=1, out="", err="")


def test_markdown_is_one_table(kit: Path) -> None:
    objects = built()
    objects["Deployment/hello-manager"]["spec"]["replicas"] = 9
    del objects["ConfigMap/notes"]
    place = line(COMPONENT, "kind: ConfigMap").replace(
        str(line(COMPONENT, "kind: ConfigMap")).split(":")[1], ""
    )
    made = against(objects, "-o", "markdown")
    assert made.out.splitlines()[:5] == [
        "**7 objects in both, 2 differences**",
        "",
        "| object | field | kit | real thing | spec |",
        "|---|---|---|---|---|",
        made.out.splitlines()[4],
    ]
    assert made.out.splitlines()[4].startswith(
        f"| `ConfigMap/notes in opendatahub` |  | there | absent | {place}"
    )
    (told,) = [each for each in made.out.splitlines() if "replicas" in each]
    place = line("targets/odh.yaml", "replicas: 3")
    assert told == f"| `Deployment/hello-manager in opendatahub` | `spec.replicas` | 3 | 9 | {place} |"


def test_json_has_values_and_places(kit: Path) -> None:
    objects = built()
    objects["Deployment/hello-manager"]["spec"]["replicas"] = 9
    data = json.loads(against(objects, "-o", "json").out)
    assert data["summary"] == {"both": 8, "differences": 1}
    assert data["differences"] == [
        {
            "kind": "Deployment",
            "group": "apps",
            "namespace": "opendatahub",
            "name": "hello-manager",
            "field": "spec.replicas",
            "pointer": "/spec/replicas",
            "inSource": True,
            "inReal": True,
            "source": 3,
            "real": 9,
            "order": False,
            "file": "targets/odh.yaml",
            "line": 8,
            "specPointer": "/components/hello/replicas",
        }
    ]


SECRET = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "data": {"a": "b3BlbjE="}}


@pytest.mark.parametrize("output", ["text", "json", "markdown"])
def test_secrets_are_never_shown(kit: Path, output: str) -> None:
    objects = built()
    container(objects)["env"][0]["value"] = "open2"
    container(objects)["env"].append({"name": "DB_PASSWORD", "value": "open3"})
    container(objects)["args"] += ["--token=open4", "--password", "open5"]
    objects["ConfigMap/notes"]["data"].update(password="open6", more="x: 1\napiKey: open7\n")
    set_config(objects, "{}auth:\n  clientSecret: open8\n")
    Path("ours.yaml").write_text(dump_yaml_documents([*built().values(), SECRET]))
    changed = {**SECRET, "data": {"a": "b3BlbjI=", "b": "b3BlbjM="}, "stringData": {"c": "open9"}}
    made = run(
        "compare", "ours.yaml", "-", "-o", output, stdin=dump_yaml_documents([*objects.values(), changed])
    )
    assert made.code == 1
    told = made.out + made.err
    assert "open" not in told.replace("opendatahub", "").replace("openAPI", "")
    assert "b3Blb" not in told
    assert "first" not in told
    assert "abc" not in told
    assert "(hidden)" in told


def test_what_is_long_is_shown_from_where_it_is_different(kit: Path) -> None:
    objects = built()
    container(objects)["args"] = ["--verbose", *(f"--option-{number}" for number in range(30))]
    objects["ConfigMap/notes"]["data"]["note"] = "word " * 100
    Path("ours.yaml").write_text(dump_yaml_documents(list(objects.values())))
    container(objects)["args"].append("--last")
    objects["ConfigMap/notes"]["data"]["note"] += "end"
    told = run("compare", "ours.yaml", "-", stdin=dump_yaml_documents(list(objects.values()))).out
    assert 'args: ours.yaml has ["…"], - ["…", "--last"]' in told
    assert told.count('word end"') == 1


def test_names_of_secrets_are_shown(kit: Path) -> None:
    volumes = [{"name": "v", "secret": {"secretName": name}} for name in ("one", "two")]
    objects = built()
    spec = objects["Deployment/hello-manager"]["spec"]["template"]["spec"]
    spec["volumes"] = volumes[:1]
    Path("ours.yaml").write_text(dump_yaml_documents(list(objects.values())))
    spec["volumes"] = volumes[1:]
    made = run("compare", "ours.yaml", "-", stdin=dump_yaml_documents(list(objects.values())))
    assert 'volumes[v].secret.secretName: ours.yaml has "one", - "two"' in made.out


def test_a_schema_is_told_in_words_and_nothing_of_it_is_missing(kit: Path) -> None:
    objects = built()
    version = objects["CustomResourceDefinition/greetings.example.com"]["spec"]["versions"][0]
    schema = version["schema"]["openAPIV3Schema"]
    schema["properties"]["fresh"] = {"type": "string"}
    made = against(objects)
    assert "  v1 .fresh: string is new (components/hello/v1.0.0/crds/greetings.yaml:" in made.out
    assert "openAPIV3Schema" not in made.out
    schema["properties"]["spec"]["example"] = {"a": 1}
    made = against(objects)
    assert "  v1 .fresh: string is new" in made.out
    assert '.properties.spec.example: only the real thing has {"a": 1}' in made.out
    assert made.err == "8 objects in both, 2 differences\n"


def test_both_sides_may_be_anything(kit: Path) -> None:
    (kit / "all.yaml").write_text(dump_yaml_documents(list(built().values())))
    assert run("compare", "all.yaml", "odh/hello").code == 0
    assert run("compare", "odh/hello", "odh/hello").code == 0
    assert run("compare", "-", "all.yaml", stdin=(kit / "all.yaml").read_text()).code == 0
    made = run("compare", "target:odh/hello", "component:hello@v1.0.0")
    assert made.code == 1
    assert 'namespace: target:odh/hello has "opendatahub", component:hello@v1.0.0 "hello-system"' in made.out


def test_a_component_may_be_taken_in_another_version(kit: Path) -> None:
    (kit / "components/hello/v1.1.0").mkdir()
    (kit / "components/hello/v1.1.0/component.yaml").write_text(
        "component: hello\nversion: v1.1.0\nfrom: v1.0.0\nserviceAccount: other\n"
    )
    assert "ServiceAccount/hello-other" in built("odh/hello=v1.1.0")
    assert run("check", "-o", "lines", "target:odh/hello=v1.1.0").code == 0
    made = run("compare", "odh/hello=v1.1.0", "odh/hello=v1.0.0")
    assert "ServiceAccount/hello-other in opendatahub: only in odh/hello=v1.1.0" in made.out
    made = against(built(), source="target:odh/hello=v1.1.0")
    assert "ServiceAccount/hello-other in opendatahub: only in the kit (components/hello/v1.1.0" in made.out
    for command in (
        ["build", "odh/hello=v7"],
        ["compare", "odh/hello=v7", "-"],
        ["check", "target:odh/hello=v7"],
    ):
        wrong = run(*command)
        assert wrong.code == 2
        assert "no version of hello 'v7' in this kit (hint: known are v1.0.0, v1.1.0)" in wrong.err


def test_only_what_is_compared_has_to_be_sound(kit: Path) -> None:
    objects = built()
    (kit / "components/hello/v2.0.0").mkdir()
    (kit / "components/hello/v2.0.0/component.yaml").write_text("nonsense: true\n")
    assert against(objects).code == 0
    assert against(objects, source="target:odh/hello").code == 0
    assert against(objects, source="component:hello@v1.0.0").code == 1


def test_files_are_compared_without_a_sound_kit_or_any(
    kit: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = dump_yaml_documents(list(built().values()))
    for folder in (kit, tmp_path):
        kits.write(folder, {"a.yaml": text, "tree/b.yaml": text})
    (kit / "kit.yaml").write_text("nonsense: true\n")
    assert run("compare", "a.yaml", "path:tree").code == 0
    monkeypatch.chdir(tmp_path)
    assert run("compare", "a.yaml", "tree").code == 0
    wrong = run("compare", "target:odh", "tree")
    assert wrong.code == 2
    assert "target:odh needs a kit, and there is none here" in wrong.err


def test_a_revision_is_compared_and_named(kit: Path) -> None:
    git = ["git", "-c", "user.name=me", "-c", "user.email=me@example.org"]
    for command in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-q", "-m", "Start"]):
        subprocess.run([*git, *command], check=True, cwd=kit)
    objects = built()
    (kit / "targets/odh.yaml").write_text(TARGET.replace("replicas: 3", "replicas: 4"))
    assert against(objects, source="git:main:target:odh/hello").code == 0
    made = run("compare", "git:main:odh/hello", "odh/hello")
    assert made.out.splitlines()[1] == (
        "  spec.replicas: git:main:odh/hello has 3, odh/hello 4 (main:targets/odh.yaml:8)"
    )


BROKEN = {
    "broken YAML": ({"a.yaml": "kind: [\n"}, "tree/a.yaml:1 /kind/0: yaml-syntax: "),
    "an object twice": (
        {"a.yaml": "{apiVersion: v1, kind: Secret, metadata: {name: a}}\n---\n" * 2},
        "tree/a.yaml:3: object-duplicate: found a second Secret/a, expected every object once",
    ),
    "no object": ({"a.yaml": "[1]\n"}, "a.yaml:1: manifest-invalid: "),
    "nothing in a folder": (
        {"notes.txt": "x"},
        "tree: tree-empty: found no objects, expected at least one",
    ),
    "a name that is none": (
        {"a.yaml": "{apiVersion: v1, kind: Secret, metadata: {name: A_b}}\n"},
        "a.yaml:1 /metadata/name: ",
    ),
    "a remote base": (
        {"kustomization.yaml": "resources:\n- https://example.com/x//y?ref=v1\n"},
        "tree/kustomization.yaml:2 /resources/0: tree-remote: ",
    ),
    "a file that is missing": (
        {"kustomization.yaml": "resources:\n- gone.yaml\n"},
        "tree/kustomization.yaml:1: tree-build: kustomize cannot build it: ",
    ),
    "a broken bundle": (
        {"metadata/annotations.yaml": "annotations: {}\n", "manifests/csv.yaml": "kind: {\n"},
        "tree/manifests/csv.yaml:1 /kind/: yaml-syntax: ",
    ),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_tree_is_told_with_its_place(kit: Path, case: str) -> None:
    files, message = BROKEN[case]
    if "tree-build" in message and find_kustomize() is None:
        pytest.skip("neither kustomize nor kubectl is here")
    kits.write(kit / "tree", files)
    made = run("compare", "odh/hello", "tree")
    assert made.code == 1
    assert message in made.err
    assert made.out == ""
    assert "traceback" not in made.err.lower()
    assert "fault of kitgen" not in made.err


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["-", "-"], "both sides are standard input"),
        (["odh/hello", "none.yaml"], "no target and no file 'none.yaml'"),
        (["odh/hello", "path:none.yaml"], "none.yaml"),
        (["nobody", "kit.yaml"], "no target and no file 'nobody'"),
        (["release:v1.0.0", "kit.yaml"], "release:v1.0.0 is neither a target nor a component"),
        (["odh/nobody", "-"], "no component 'nobody'"),
    ],
)
def test_wrong_usage_is_told(kit: Path, args: list[str], message: str) -> None:
    made = run("compare", *args, stdin="{apiVersion: v1, kind: Secret, metadata: {name: a}}")
    assert made.code in (2, 3)
    assert message in made.err


def test_specs_that_do_not_compile_are_told(kit: Path) -> None:
    (kit / COMPONENT).write_text(SPEC.replace("level: info", "level: 7"))
    made = run("compare", "odh/hello", "-", stdin="{apiVersion: v1, kind: Secret, metadata: {name: a}}")
    assert made.code == 1
    assert f"{line(COMPONENT, 'level: 7')} /config/values/log/level: " in made.err


@pytest.mark.parametrize("case", first(kits.cases("invalid"), 20))
def test_no_invalid_kit_is_a_fault_of_kitgen(tmp_path: Path, case: str) -> None:
    root = kits.make_kit(tmp_path / "kit", kits.CASES / "invalid" / case)
    stdin = "{apiVersion: v1, kind: Secret, metadata: {name: a}}"
    made = run("compare", "target:odh", "-", "--root", root, stdin=stdin)
    assert made.code in (1, 2, 3)
    assert "fault of kitgen" not in made.err
