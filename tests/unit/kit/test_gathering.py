"""What is checked behind a name: manifests, bundles, what kustomize builds; and what is left out is told."""

from __future__ import annotations

from pathlib import Path

import kits
import pytest

from kitgen.files import programs
from kitgen.findings.errors import UsageError
from kitgen.kit.manifest_gathering import GatheredManifests, gather_manifests
from kitgen.kit.manifests import ReadBudget

needs_kustomize = pytest.mark.skipif(
    programs.find_kustomize() is None, reason="neither kustomize nor kubectl is on PATH"
)
KUSTOMIZATION = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n"


def config_map(name: str) -> str:
    return f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\n"


def names(found: GatheredManifests) -> list[list[str]]:
    return [[each.body["metadata"]["name"] for each in part] for part in found.parts if part]


def rules(found: GatheredManifests) -> list[str]:
    return [f"{each.origin.file} {each.rule}" for each in found.findings]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@needs_kustomize
def test_a_folder_with_a_kustomization_is_what_kustomize_builds(here: Path) -> None:
    files = {
        "kustomization.yaml": f"{KUSTOMIZATION}namePrefix: my-\nresources: [a.yaml]\n",
        "a.yaml": config_map("a"),
        "left.yaml": config_map("left"),
    }
    kits.write(here / "app", files)
    found = gather_manifests("app", ReadBudget())
    assert (names(found), found.findings, found.remarks) == ([["my-a"]], (), ())
    assert list(found.texts) == ["app"]


@needs_kustomize
@pytest.mark.parametrize("name", ["tree", "tree/", "./tree", "../{}/tree"])
def test_kustomizations_in_a_folder_are_built_and_the_rest_counts_as_it_is(here: Path, name: str) -> None:
    files = {
        "base/kustomization.yaml": f"{KUSTOMIZATION}resources: [files/a.yaml]\n",
        "base/files/a.yaml": config_map("a"),
        "base/files/patch.yaml": "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\n",
        "one/kustomization.yml": f"{KUSTOMIZATION}namePrefix: one-\nresources: [../base]\n"
        "components: [../part]\n",
        "two/Kustomization": f"{KUSTOMIZATION}namePrefix: two-\nresources: [../base/]\n",
        "part/kustomization.yaml": "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n"
        "commonAnnotations: {a: b}\n",
        "alone.yaml": config_map("alone"),
        "values.yaml": "replicas: 1\n",
        "empty.yaml": "# nothing\n",
        "list.yaml": "[1, 2]\n",
        "half.yaml": "kind: ConfigMap\n",
        ".hidden/kustomization.yaml": f"{KUSTOMIZATION}resources: [none]\n",
    }
    kits.write(here / "tree", files)
    found = gather_manifests(name.format(here.name), ReadBudget())
    assert names(GatheredManifests(parts=found.parts[:-1])) == [["one-a"], ["two-a"]]
    assert [each.body.get("kind") for each in found.parts[-1]] == ["ConfigMap", "ConfigMap"]
    assert rules(found) == []  # half an object is told with the other objects
    built, left = found.remarks
    assert built == "2 kustomizations built: one, two"
    assert left.startswith("3 files left out: no Kubernetes objects in ")
    assert [Path(each).name for each in left.rpartition(" in ")[2].split(", ")] == [
        "empty.yaml",
        "list.yaml",
        "values.yaml",
    ]


def test_what_kustomize_would_fetch_is_refused_by_name(here: Path) -> None:
    files = {"x/kustomization.yaml": "resources: [https://example.com/x.yaml]\n", "a.yaml": config_map("a")}
    kits.write(here / "tree", files)
    found = gather_manifests("tree", ReadBudget())
    assert rules(found) == ["tree/x/kustomization.yaml tree-remote"]
    assert (names(found), found.remarks) == ([["a"]], ())


@needs_kustomize
def test_a_kustomization_that_cannot_be_built_is_a_finding(here: Path) -> None:
    kits.write(here / "tree", {"kustomization.yaml": f"{KUSTOMIZATION}resources: [none.yaml]\n"})
    found = gather_manifests("tree", ReadBudget())
    assert (rules(found), found.parts) == (["tree/kustomization.yaml tree-build"], ())


def test_charts_are_for_helm(here: Path) -> None:
    files = {
        "web/Chart.yaml": "apiVersion: v2\nname: web\n",
        "web/templates/a.yaml": "{{- if .Values.on }}\na: {{ .x }}\n{{- end }}\n",
        "web/charts/db/Chart.yaml": "apiVersion: v2\nname: db\n",
        "web/k/kustomization.yaml": KUSTOMIZATION,
        "a.yaml": config_map("a"),
    }
    kits.write(here / "tree", files)
    found = gather_manifests("tree", ReadBudget())
    assert (names(found), found.findings) == ([["a"]], ())
    assert found.remarks == (
        "tree/web left out: it is a Helm chart (helm template tree/web | kitgen check -)",
    )
    with pytest.raises(UsageError, match="tree/web is a Helm chart"):
        gather_manifests("tree/web", ReadBudget())


def test_an_olm_bundle_is_its_manifests(here: Path) -> None:
    files = {
        "manifests/a.yaml": config_map("a"),
        "metadata/annotations.yaml": "annotations: {}\n",
        "tests/scorecard/config.yaml": "apiVersion: example.com/v1\nkind: Configuration\n",
    }
    kits.write(here / "bundle", files)
    found = gather_manifests("bundle", ReadBudget())
    assert (names(found), found.findings) == ([["a"]], ())
    remark = "bundle is an OLM bundle: its manifests are checked, kitgen bundle check looks at all of it"
    assert found.remarks == (remark,)


@pytest.mark.parametrize("text", ["", "# nothing\n", "---\n---\n", "null\n"])
def test_a_file_without_objects_is_told(here: Path, text: str) -> None:
    kits.write(here, {"a.yaml": text})
    assert gather_manifests("a.yaml", ReadBudget()).remarks == ("no objects in a.yaml",)


def test_an_empty_folder_is_told(here: Path) -> None:
    (here / "none").mkdir()
    found = gather_manifests("none", ReadBudget())
    assert (names(found), found.findings, found.remarks) == ([], (), ("no manifests in none",))


def test_what_is_named_must_hold_objects(here: Path) -> None:
    kits.write(here, {"values.yaml": "replicas: 1\n"})
    (part,) = gather_manifests("values.yaml", ReadBudget()).parts
    assert [problem.rule.id for each in part for problem in each.problems] == ["manifest-invalid"] * 2


def test_files_with_tags_are_for_those_who_know_them(here: Path) -> None:
    files = {
        "a.yaml": config_map("a"),
        "site.yml": "theme:\n  icon: !!python/name:material.icon\n",
        "stack.yaml": "Resources:\n  Queue: {Name: !Sub 'a-b'}\n",
        "tsconfig.json": '{\n  // which files\n  "include": ["src",],\n}\n',
        "secret.yaml": "kind: Secret\nstringData: {a: !vault b}\n",
        "pod.json": '{"kind": "Pod" // broken\n}\n',
    }
    kits.write(here / "tree", files)
    found = gather_manifests("tree", ReadBudget())
    assert names(found) == [["a"]]
    assert rules(found) == ["tree/pod.json yaml-syntax", "tree/secret.yaml yaml-tag"]
    left = "tree/site.yml, tree/stack.yaml, tree/tsconfig.json"
    assert found.remarks == (f"3 files left out: no Kubernetes objects in {left}",)
    assert rules(gather_manifests("tree/site.yml", ReadBudget())) == ["tree/site.yml yaml-tag"]


@pytest.mark.parametrize(
    "text",
    [
        "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n",
        "kind: Cluster\napiVersion: kind.x-k8s.io/v1alpha4\nnodes: []\n",
        "apiVersion: v1\nkind: Config\ncontexts: []\n",
        "apiVersion: skaffold/v4beta1\nkind: Config\nmetadata: {name: a}\n",
    ],
)
def test_what_configures_a_program_is_no_object(here: Path, text: str) -> None:
    kits.write(here / "tree", {"a.yaml": config_map("a"), "b.yaml": text})
    found = gather_manifests("tree", ReadBudget())
    assert (names(found), found.findings) == ([["a"]], ())
    assert found.remarks == ("1 file left out: no Kubernetes objects in tree/b.yaml",)
    assert len(gather_manifests("tree/b.yaml", ReadBudget()).parts[0]) == 1


@pytest.mark.parametrize(
    "text",
    [
        "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nrules: []\n",
        "apiVersion: example.com/v1\nkind: Thing\nspec: {}\n",
        "apiVersion: v1\nkind: Config\n",
    ],
)
def test_an_object_without_a_name_is_one(here: Path, text: str) -> None:
    kits.write(here / "tree", {"b.yaml": text})
    assert len(gather_manifests("tree", ReadBudget()).parts[-1]) == 1


def test_a_broken_file_of_a_folder_is_a_finding(here: Path) -> None:
    kits.write(here / "tree", {"a.yaml": "a: [\n", "b.yaml": f"%YAML 1.2\n---\n{config_map('b')}"})
    assert rules(gather_manifests("tree", ReadBudget())) == [
        "tree/a.yaml yaml-syntax",
        "tree/b.yaml yaml-syntax",
    ]
