"""The happy path of each command, and what it leaves behind."""

from __future__ import annotations

import json
from pathlib import Path

import kits
import pytest
from running import Run, run

from kitgen.files import programs
from kitgen.text import schema_check as schemafiles
from kitgen.text.yaml import Dialect, read_yaml_documents

DEPLOYMENT = "Deployment/hello-manager"
POD = "spec.template.spec"


def test_render_writes_and_tells(kit: Path) -> None:
    first = run("render")
    assert first == Run(code=0, out="", err="3 targets, 21 objects, 18 files: 18 changed\n")
    before = kits.contents(kit)
    assert run("render") == Run(code=0, out="", err="3 targets, 21 objects, 18 files: 0 changed\n")
    again = run("render", "--no-cache")
    assert again == Run(code=0, out="", err="3 targets, 21 objects, 18 files: 0 changed\n")
    assert kits.contents(kit) == before


def test_no_tree_is_written_over_another_kit_or_the_root(kit: Path, tmp_path: Path) -> None:
    other = kits.make_kit(tmp_path / "other")
    before = kits.contents(other)
    assert (
        run("export", "odh", other).err
        == f"error: {other} is another kit (hint: choose a folder of its own)\n"
    )
    assert run("render", "--out", "/").err.startswith("error: / is the root of the disk")
    assert kits.contents(other) == before


def test_render_one_target(kit: Path) -> None:
    assert run("render", "olm").code == 0
    assert sorted(path.name for path in (kit / "overlays").iterdir() if path.name[0] != ".") == [
        "base",
        "olm",
    ]
    run("render")
    (kit / "overlays/odh/kustomization.yaml").write_text("changed\n")
    run("render", "olm")
    assert (kit / "overlays/odh/kustomization.yaml").read_text() == "changed\n"


def test_render_names_the_targets_that_it_leaves_behind(kit: Path) -> None:
    run("render", "olm", "odh")
    spec = kit / "components/hello/v1.0.0/component.yaml"
    spec.write_text(spec.read_text().replace("prefix: hello-", "prefix: hi-"))
    result = run("render", "olm")
    assert result.code == 0
    assert result.err.count("target-stale") == 1
    assert "targets/odh.yaml:1: warning: target-stale: the overlay of odh is not up to date" in result.err
    assert "target-stale" not in run("render", "odh").err


def test_a_target_that_manages_nothing(kit: Path) -> None:
    """Its kustomization builds to nothing, and there is nothing to export."""
    target = kit / "targets/odh.yaml"
    target.write_text(target.read_text().replace("  hello:\n", "  hello:\n    managementState: Removed\n"))
    assert run("render").code == 0
    assert "resources" not in (kit / "overlays/odh/kustomization.yaml").read_text()
    assert run("build", "odh").out == ""
    exported = run("export", "odh", kit.parent / "exported")
    assert (exported.code, "it manages no component" in exported.err) == (2, True)


def test_render_check_lists_what_differs(kit: Path) -> None:
    fresh = run("render", "--check")
    assert (fresh.code, fresh.out.count("missing: overlays/")) == (1, 18)
    assert not (kit / "overlays").exists()
    run("render")
    assert run("render", "--check").code == 0
    changed = kit / "overlays/olm/kustomization.yaml"
    changed.write_text(f"<<<<<<< ours\n{changed.read_text()}=======\n>>>>>>> theirs\n")
    (kit / "overlays/odh/kustomization.yaml").unlink()
    (kit / "targets/rhoai.yaml").unlink()
    before = kits.contents(kit)
    result = run("render", "--check")
    assert result.code == 1
    assert result.out.splitlines() == [
        "stale: overlays/olm/kustomization.yaml",
        "missing: overlays/odh/kustomization.yaml",
        "surplus: overlays/rhoai/hello/kustomization.yaml",
        "surplus: overlays/rhoai/hello/params.env",
        "surplus: overlays/rhoai/kustomization.yaml",
    ]
    *told, counts, unknown = result.err.splitlines()
    assert unknown.startswith("what changes on a cluster is not known: ")
    assert counts == "2 targets, 14 objects, 15 files: 5 not up to date, run kitgen render"
    assert "crd-leaves: overlays/rhoai loses the CRD greetings.example.com; " in told[0]
    assert kits.contents(kit) == before
    assert run("render", "--check", "--quiet").err == ""
    assert run("render").code == 0
    assert not (kit / "overlays/rhoai").exists()


def test_a_strangers_file_survives(kit: Path) -> None:
    run("render")
    (kit / "overlays/olm/notes.md").write_text("mine")
    (kit / "targets/olm.yaml").unlink()
    assert run("render").code == 0
    assert [path.name for path in (kit / "overlays/olm").iterdir()] == ["notes.md"]


def test_render_another_release_elsewhere(tmp_path: Path) -> None:
    root = kits.make_kit(tmp_path / "kit", kits.CASES / "valid" / "two-releases")
    out = tmp_path / "out"
    assert run("render", "--root", root, "--release", "v1.1.0", "--out", out).code == 0
    assert "hello:v1.1.0" in (out / "base/hello/v1.1.0/deployment-manager.yaml").read_text()
    assert not (out / "base/hello/v1.0.0").exists()
    assert not (root / "overlays").exists()


def test_build_prints_manifests(kit: Path) -> None:
    result = run("build", "olm")
    kinds = [body["kind"] for body in read_yaml_documents(result.out, dialect=Dialect.KUBECTL)]
    assert (result.code, result.err) == (0, "")
    assert kinds == [
        *("Namespace", "CustomResourceDefinition", "ServiceAccount", "ClusterRole", "ClusterRoleBinding"),
        *("Service", "Deployment"),
    ]
    assert run("build", "olm", "hello") == result
    assert run("build", "olm", "--release", "v1.0.0") == result


def test_build_prints_the_crds_of_a_carried_component(tmp_path: Path) -> None:
    root = kits.make_kit(tmp_path, kits.CASES / "valid" / "crd-places")
    (body,) = read_yaml_documents(run("build", "--root", root, "olm", "greeter").out)
    assert body["metadata"] == {"name": "greeters.example.com", "labels": {"app.kubernetes.io/name": "hello"}}


def test_build_refuses_what_the_target_does_not_manage(tmp_path: Path) -> None:
    root = kits.make_kit(tmp_path, kits.CASES / "valid" / "managed-by-others")
    result = run("build", "--root", root, "odh", "hello")
    told = "error: odh does not render hello: its managementState is Removed\n"
    assert result == Run(code=2, out="", err=told)


def test_build_prints_nothing_while_an_error_stands(tmp_path: Path) -> None:
    root = kits.make_kit(tmp_path, kits.CASES / "invalid" / "image-without-tag")
    result = run("build", "--root", root, "olm")
    assert (result.code, result.out) == (1, "")
    assert ": image-tag: " in result.err


EMPTY = """{
  "schema": "kitgen/findings/v1",
  "summary": {
    "errors": 0,
    "warnings": 0,
    "accepted": 0
  },
  "findings": []
}
"""


def test_check(kit: Path) -> None:
    assert run("check", "-o", "lines") == Run(code=0, out="", err="21 objects, no findings\n")
    assert run("check", "-o", "lines", "olm") == Run(code=0, out="", err="7 objects, no findings\n")
    assert run("check", "-o", "json") == Run(code=0, out=EMPTY, err="")


def test_check_as_json(kit: Path) -> None:
    (kit / "targets/olm.yaml").write_text("target: olm\nrelase: v1.0.0\n")
    result = run("check", "-o", "json")
    assert result.code == 1
    assert [
        (each["rule"], each["file"], each["line"], each["pointer"])
        for each in json.loads(result.out)["findings"]
    ] == [
        ("spec-missing-key", "targets/olm.yaml", 1, ""),
        ("spec-unknown-key", "targets/olm.yaml", 2, "/relase"),
    ]


def test_check_anybodys_manifests(kit: Path, tmp_path: Path) -> None:
    text = run("build", "olm").out
    assert run("check", "-o", "lines", "-", stdin=text).code == 0
    wrong = text.replace("replicas: 1", "replica: 1")
    folder = kits.write(tmp_path / "manifests", {"a/wrong.yaml": wrong, "right.yaml": text, "notes.md": "x"})
    told = (
        f"found the unknown field \"replica\" [{DEPLOYMENT} /spec/replica] (hint: did you mean 'replicas'?)"
    )
    result = run("check", "-o", "lines", "-", stdin=wrong)
    assert result.code == 1
    assert f": field-unknown: {told}" in result.out
    assert result.out.startswith("-:")
    result = run("check", "-o", "lines", folder / "a")
    assert result.code == 1
    assert result.out.startswith(f"{folder}/a/wrong.yaml:")
    assert run("check", "-o", "lines", folder / "right.yaml").code == 0


def test_check_looks_at_versions_that_no_target_pins(tmp_path: Path) -> None:
    root = kits.make_kit(tmp_path, kits.CASES / "valid" / "two-releases")
    file = root / "components/hello/v1.1.0/component.yaml"
    file.write_text(file.read_text().replace("[/manager]", '["{{ nothing }}"]'))
    target = root / "targets/odh.yaml"
    target.write_text(target.read_text().replace("release: v1.1.0", "release: v1.0.0"))
    assert ": expression: " in run("check", "-o", "lines", "--root", root).out


@pytest.mark.kustomize
@pytest.mark.skipif(programs.find_kustomize() is None, reason="neither kustomize nor kubectl is on PATH")
def test_check_builds_a_rendered_overlay(kit: Path) -> None:
    run("render")
    assert run("check", "-o", "lines", "overlays/olm") == Run(code=0, out="", err="7 objects, no findings\n")
    (kit / "overlays/base/hello/v1.0.0/deployment-manager.yaml").unlink()
    result = run("check", "-o", "lines", "overlays/olm")
    assert result.code == 1
    assert result.out.startswith("overlays/olm/kustomization.yaml:1: tree-build: kustomize cannot build it: ")
    run("render")
    file = kit / "overlays/base/hello/v1.0.0/deployment-manager.yaml"
    file.write_text(file.read_text() + "}\n")
    result = run("check", "-o", "lines", "overlays/olm")
    assert result.code == 1
    assert result.out.startswith("overlays/olm/kustomization.yaml:1: tree-build: kustomize cannot build it: ")


def test_check_of_a_folder_leaves_out_what_is_for_kustomize(kit: Path) -> None:
    kits.write(
        kit / "theirs",
        {
            "a/patch.yaml": "- {op: remove, path: /spec/replicas}\n",
            "a/gone.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n$patch: delete\n",
            "a/object.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\n",
        },
    )
    told = "2 kustomizations and patches left out: they are for kustomize\n1 object, no findings\n"
    assert run("check", "-o", "lines", "theirs") == Run(code=0, out="", err=told)
    assert run("check", "-o", "lines", "theirs", "-q") == Run(code=0, out="", err="")
    alone = run("check", "-o", "lines", "theirs/a/patch.yaml")
    assert (alone.code, ": manifest-invalid: " in alone.out) == (1, True)


def test_check_does_not_fetch_what_strangers_name(tmp_path: Path, kit: Path) -> None:
    kits.write(tmp_path / "theirs", {"kustomization.yaml": "resources: [https://example.com/x.yaml]\n"})
    result = run("check", "-o", "lines", tmp_path / "theirs")
    assert result.code == 1
    assert 'kustomization.yaml:1 /resources/0: tree-remote: found "https://example.com/x.yaml"' in result.out


def test_check_of_a_chart_says_how_to_check_it(tmp_path: Path, kit: Path) -> None:
    kits.write(
        tmp_path / "theirs", {"Chart.yaml": "apiVersion: v2\nname: web\n", "templates/a.yaml": "{{ x }}"}
    )
    result = run("check", "-o", "lines", tmp_path / "theirs")
    assert (result.code, result.out) == (2, "")
    assert f"helm template {tmp_path / 'theirs'} | kitgen check -" in result.err


@pytest.mark.parametrize("command", [["export", "odh"], ["render", "--out"]])
@pytest.mark.parametrize("folder", [".", "overlays", "targets", "components/hello"])
def test_no_other_tree_is_written_over_the_kit(kit: Path, command: list[str], folder: str) -> None:
    before = kits.contents(kit)
    result = run(*command, folder)
    assert result == Run(
        code=2, out="", err=f"error: {folder} belongs to the kit (hint: choose a folder of its own)\n"
    )
    assert kits.contents(kit) == before


def test_list(kit: Path) -> None:
    result = run("list")
    assert result.code == 0
    for word in ("v1.0.0", "hello", "As upstream ships it", "params"):
        assert word in result.out
    content = json.loads(run("list", "-o", "json").out)
    assert content["kit"] == "small"
    assert [each["name"] for each in content["targets"]] == ["odh", "olm", "rhoai"]
    assert content["releases"] == [
        {
            "name": "v1.0.0",
            "date": "",
            "replaces": "",
            "components": {"hello": "v1.0.0"},
            "records": {},
        }
    ]
    assert content["components"][0]["crds"] == 1


def test_export(kit: Path) -> None:
    assert run("export", "odh", "out") == Run(code=0, out="", err="10 files in out: 10 changed\n")
    assert (kit / "out/hello/default/params.env").read_text() == "hello-image=quay.io/example/hello:v1.0.0\n"
    assert run("export", "odh", "out") == Run(code=0, out="", err="10 files in out: 0 changed\n")
    assert run("export", "rhoai", "other").code == 0
    assert (kit / "other/hello/manager/params.env").is_file()
    assert not (kit / "other/hello/default/params.env").exists()


COMPONENT = "components/hello/v1.0.0/component.yaml"


@pytest.mark.parametrize(
    ("target", "name", "field", "last"),
    [
        (
            "olm",
            DEPLOYMENT,
            "spec.replicas",
            f"{COMPONENT}:17 /deployment: /spec/replicas: default of family deployment "
            "(one works, and others would wait for it to lose the lead)",
        ),
        (
            "olm",
            DEPLOYMENT,
            "/spec/template/spec/containers/0/image",
            f"{COMPONENT}:13 /images/manager: /spec/template/spec/containers/0/image: image manager",
        ),
        (
            "olm",
            DEPLOYMENT,
            "/metadata/labels/app.kubernetes.io~1name",
            f"{COMPONENT}:9 /labels/0/pairs/app.kubernetes.io~1name: "
            "/metadata/labels/app.kubernetes.io~1name: labels",
        ),
        (
            "odh",
            "ClusterRole/hello-manager-role",
            "rules.1",
            f"{COMPONENT}:34 /roles/manager-role/permissions/example.com~1greetings: /rules/1: family roles",
        ),
        (
            "odh",
            "Service/hello-metrics",
            "metadata.namespace",
            "targets/odh.yaml:4 /namespace: /metadata/namespace: namespace",
        ),
        (
            "olm",
            "Namespace/hello-system",
            "",
            f"{COMPONENT}:9 /labels/0/pairs/app.kubernetes.io~1name: "
            "/metadata/labels/app.kubernetes.io~1name: labels",
        ),
    ],
)
def test_why(kit: Path, target: str, name: str, field: str, last: str) -> None:
    result = run("why", target, name, *([field] if field else []))
    assert (result.code, result.err) == (0, "")
    assert result.out.splitlines()[-1] == last


def test_why_names_patches_features_and_settings(tmp_path: Path) -> None:
    patched = kits.make_kit(tmp_path / "patched", kits.CASES / "valid" / "patches")
    assert run("why", "--root", patched, "olm", DEPLOYMENT, "spec.replicas").out.splitlines() == [
        "/spec/replicas = 2",
        f"{COMPONENT}:17 /deployment: family deployment",
        f"{COMPONENT}:17 /deployment: /spec/replicas: default of family deployment "
        "(one works, and others would wait for it to lose the lead)",
        "targets/olm.yaml:10 /components/hello/patches/0/merge/spec/replicas: /spec/replicas: "
        "patch only-old (Versions before 2.0.0 need a second replica)",
    ]
    featured = kits.make_kit(tmp_path / "featured", kits.CASES / "valid" / "features")
    out = run("why", "--root", featured, "rhoai", "ClusterRole/hello-manager-role", "rules.1").out
    assert out.splitlines()[-1].endswith(
        "/rules/1: family roles, feature proxy (A proxy stands in front of the metrics)"
    )
    settings = kits.make_kit(tmp_path / "settings", kits.CASES / "valid" / "settings")
    out = run("why", "--root", settings, "olm", DEPLOYMENT, "spec.replicas", "-o", "json").out
    step = json.loads(out)["steps"][-1]
    assert (step["file"], step["pointer"], step["rule"]) == (
        "targets/olm.yaml",
        "/components/hello/replicas",
        "setting replicas",
    )


TRACED = """\
component: hello
version: v1.0.0
prefix: hello-
namespace: hello-system
images: {manager: quay.io/example/hello:v1.0.0}
serviceAccount: controller-manager
deployment:
  name: manager
  containers:
    manager: {image: manager, health: 8081, args: ["--text=runs {{ images.manager }}"]}
features:
  params:
    about: The operator rewrites it
    patches:
    - {name: two, why: One is too few, object: Deployment/hello-manager, merge: {spec: {replicas: 2}}}
    params:
      configMap: params
      hash: false
      keys:
        hello-image: {image: manager}
        namespace: {value: "{{ namespace }}"}
labels: [{pairs: {app: hello}, selectors: true}]
kubernetes: "1.29"
"""


@pytest.mark.parametrize(
    ("name", "field", "want"),
    [
        (
            DEPLOYMENT,
            f"{POD}.containers.0.livenessProbe.httpGet.port",
            [f"{COMPONENT}:10 /deployment/containers/manager/health"],
        ),
        (DEPLOYMENT, f"{POD}.serviceAccountName", [f"{COMPONENT}:6 /serviceAccount"]),
        (
            DEPLOYMENT,
            f"{POD}.containers.0.args.0",
            [f"{COMPONENT}:5 /images/manager", f"{COMPONENT}:10 /deployment/containers/manager/args"],
        ),
        (
            DEPLOYMENT,
            "spec.replicas",
            [
                "targets/odh.yaml:10 /components/hello/features/0",
                f"{COMPONENT}:15 /features/params/patches/0/merge/spec/replicas",
            ],
        ),
        (
            "ConfigMap/hello-params",
            "data.namespace",
            ["targets/odh.yaml:4 /namespace", f"{COMPONENT}:21 /features/params/params/keys/namespace"],
        ),
        (
            "ConfigMap/hello-params",
            "data.hello-image",
            [f"{COMPONENT}:20 /features/params/params/keys/hello-image", f"{COMPONENT}:5 /images/manager"],
        ),
    ],
)
def test_why_leads_to_what_a_spec_really_says(kit: Path, name: str, field: str, want: list[str]) -> None:
    (kit / COMPONENT).write_text(TRACED)
    result = run("why", "odh", name, field)
    places = [line.partition(": ")[0] for line in result.out.splitlines()]
    assert (result.code, places[-len(want) :]) == (0, want)


def test_why_tells_what_an_expression_reads(kit: Path) -> None:
    reading = "- {apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {b: KEY}}"
    text = "{{ namespace }} {{ images['manager'] }} {{ 'version' }} {{ prefix | upper }}"
    (kit / COMPONENT).write_text(TRACED + "objects:\n" + reading.replace("KEY", f'"{text}"') + "\n")
    assert run("why", "odh", "ConfigMap/a", "data.b").out.splitlines() == [
        '/data/b = "opendatahub quay.io/example/hello:v1.0.0 version HELLO-"',
        "targets/odh.yaml:4 /namespace: /data/b: namespace, which the expression reads",
        f"{COMPONENT}:5 /images/manager: /data/b: image manager, which the expression reads",
        f"{COMPONENT}:3 /prefix: /data/b: prefix, which the expression reads",
        f"{COMPONENT}:25 /objects/0/data/b: objects",
    ]


@pytest.mark.usefixtures("how_pods_run")
def test_init_starts_a_kit_that_renders(tmp_path: Path) -> None:
    folder = tmp_path / "new"
    started = run("init", folder)
    assert (started.code, started.out) == (0, "")
    assert run("check", "--fail-on", "warning", "--root", folder).code == 0
    assert run("render", "--root", folder).code == 0
    assert run("render", "--root", folder, "--check").code == 0
    assert run("export", "odh", tmp_path / "out", "--root", folder).code == 0
    for path in folder.rglob("*.yaml"):
        first = path.read_text().splitlines()[0]
        if "overlays" not in path.parts:
            assert (path.parent / first.partition("$schema=")[2]).is_file(), f"{path} names its schema"
    beside = {".github", ".gitignore", ".gitlab-ci.yml", "README.md", "pytest.ini"}
    assert beside < {path.name for path in folder.iterdir()}
    assert (folder / "README.md").read_text().startswith("# new\n")


@pytest.mark.parametrize(
    ("folder", "name"),
    [("k0", "k0"), ("My Kit", "my-kit"), ("12", "12"), ("on", "on"), ("_", "my-kit"), (".", "here")],
)
def test_init_names_the_kit_after_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str, name: str
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    assert run("init", folder).code == 0
    assert json.loads(run("list", "-o", "json", "--root", folder).out)["kit"] == name


def test_init_leaves_a_used_folder_alone(kit: Path) -> None:
    before = kits.contents(kit)
    told = f"error: {kit} is not empty (hint: choose a new folder)\n"
    assert run("init", kit) == Run(code=2, out="", err=told)
    assert kits.contents(kit) == before


def test_init_starts_a_kit_in_a_new_repository(tmp_path: Path) -> None:
    folder = tmp_path / "a kit"
    (folder / ".git").mkdir(parents=True)
    (folder / ".git/HEAD").write_text("ref: refs/heads/main\n")
    result = run("init", folder)
    assert (result.code, f"kitgen render --root '{folder}'" in result.err) == (0, True)
    assert (folder / ".git/HEAD").read_text() == "ref: refs/heads/main\n"
    assert run("render", "--root", folder).code == 0


def test_schema() -> None:
    assert run("schema").out.split() == list(schemafiles.list_schema_names())
    for name in schemafiles.list_schema_names():
        assert json.loads(run("schema", name).out) == schemafiles.read_schema(name)


def test_this_kit_names_its_schemas() -> None:
    for folder in ("components", "targets", "releases"):
        for path in (kits.PROJECT / folder).rglob("*.yaml"):
            if path.parent.name == "examples":
                continue  # objects of the user's, not specs
            first = path.read_text().splitlines()[0]
            assert first.startswith("# yaml-language-server: $schema="), path
            assert (path.parent / first.partition("$schema=")[2]).is_file(), path


@pytest.mark.parametrize(
    "command", [["export", "odh", "file/out"], ["render", "--out", "file/out"], ["init", "file/out"]]
)
def test_a_folder_that_cannot_be_written_exits_3(kit: Path, command: list[str]) -> None:
    (kit / "file").write_text("")
    result = run(*command)
    assert (result.code, result.out) == (3, "")
    assert result.err.startswith("error: cannot write ")
