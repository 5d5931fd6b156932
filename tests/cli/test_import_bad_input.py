"""Trees that nobody should import: errors with file and line, exit code 1, and the kit as it was."""

from __future__ import annotations

import os
from pathlib import Path

import kits
import pytest
from running import run, trees
from small_crd import STRING, crd_of, obj

from kitgen.files import programs
from kitgen.text.yaml import dump_yaml_documents

needs_kustomize = pytest.mark.skipif(
    programs.find_kustomize() is None, reason="neither kustomize nor kubectl is on PATH"
)
AS = ("--as", "hello@v1.1.0")
MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: b}\n"
DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: a, namespace: b}
spec:
  replica: 1
  selector: {matchLabels: {a: b}}
  template:
    metadata: {labels: {a: b}}
    spec: {containers: [{name: a, image: "quay.io/a/b:v1"}]}
"""
SECRET = """\
apiVersion: v1
kind: Secret
metadata: {name: keys, namespace: b}
stringData: {password: swordfish}
data: {token: c3dvcmRmaXNo}
"""
PACKAGE = """\
apiVersion: operators.coreos.com/v1alpha1
kind: ClusterServiceVersion
metadata: {name: a.v1}
spec: [
"""


def crds(*fields: str) -> str:
    return dump_yaml_documents([crd_of(obj(dict.fromkeys(fields, STRING)))])


WRONG: dict[str, tuple[str, str]] = {
    "broken": ("a: [\n", "../real.yaml:1 /a/0: yaml-syntax: "),
    "empty": ("# nothing\n", "../real.yaml:1: tree-empty: found no objects"),
    "no object": ("a: b\n", "../real.yaml:1 /apiVersion: manifest-invalid: "),
    "no name": (MAP.replace("name: a", "name: A_B"), "../real.yaml:3 /metadata/name: "),
    "twice": (f"{MAP}---\n{MAP}", "object-duplicate: found a second ConfigMap/a"),
    "a wrong field": (DEPLOYMENT, "../real.yaml:5 /spec/replica: field-unknown: "),
    "a Secret": (SECRET, "../real.yaml:4 /stringData: secret-data: found stringData in the Secret 'keys'"),
    "too many": (
        "---\n".join(MAP.replace("name: a", f"name: a{number}") for number in range(5_000)),
        "tree-size: found more than 2000 objects",
    ),
}


@pytest.mark.parametrize("case", WRONG)
@pytest.mark.parametrize("of", ["the component", "a target"])
def test_a_wrong_tree_is_told(case: str, of: str, kit: Path) -> None:
    text, words = WRONG[case]
    Path("../real.yaml").write_text(text)
    Path("../fine.yaml").write_text(run("build", "component:hello@v1.0.0").out)
    before = kits.contents(kit)
    named = ["../real.yaml"] if of == "the component" else ["../fine.yaml", "--target", "odh=../real.yaml"]
    done = run("import", *named, *AS)
    assert (done.code, done.out) == (1, "")
    assert words in done.err
    assert kits.contents(kit) == before


def test_a_secret_is_shown_nowhere(kit: Path) -> None:
    Path("../real.yaml").write_text(f"{SECRET}---\n{MAP}")
    for more in ((), ("--dry-run",), ("--from", "none")):
        done = run("import", "../real.yaml", *AS, *more)
        assert done.code == 1
        assert "let a secret store put it on the cluster" in done.err
        assert "swordfish" not in done.out + done.err
        assert "c3dvcmRmaXNo" not in done.out + done.err


def test_a_secret_without_data_is_taken(kit: Path) -> None:
    Path("../real.yaml").write_text("apiVersion: v1\nkind: Secret\nmetadata: {name: a, namespace: b}\n")
    assert run("import", "../real.yaml", "--as", "other@v1.0.0").code == 0


def test_another_form_of_what_another_component_declares_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It belongs to the component that declares it, which has a feature for the form that it knows."""
    root = kits.make_kit(tmp_path / "kit", kits.CASES / "valid" / "features-of-crds")
    monkeypatch.chdir(root)
    kits.write(tmp_path, {f"{name}.yaml": text for name, text in trees(root).items()})
    args = ("import", "../olm.yaml", *AS, "--target", "olm=../olm.yaml", "--target", "odh=../odh.yaml")
    assert run(*args, "--dry-run").code == 0
    fork = tmp_path / "odh.yaml"
    crd, _, rest = fork.read_text().partition("name: words.example.com")
    fork.write_text(f"{crd}name: words.example.com{rest.replace('type: string', 'type: integer', 1)}")
    before = kits.contents(root)
    done = run(*args)
    assert (done.code, done.out) == (1, "")
    assert ": tree-contradiction: found another form of 'words.example.com' in ../odh.yaml" in done.err
    assert kits.contents(root) == before


def test_a_kind_that_no_schema_knows_is_told(kit: Path) -> None:
    strange = "apiVersion: example.net/v1\nkind: Gizmo\nmetadata: {name: a, namespace: b}\nspec: {a: 1}\n"
    Path("../real.yaml").write_text(f"{strange}---\n{MAP}")
    done = run("import", "../real.yaml", "--as", "other@v1.0.0")
    assert (done.code, done.err) == (0, "")
    assert (
        "  what kitgen check will say:\n"
        "    warning: components/other/v1.0.0/component.yaml:7: kind-unknown: there is no schema for "
        "example.net/v1 Gizmo" in done.out
    )


def test_an_api_that_the_range_of_the_kit_lacks_is_told(kit: Path) -> None:
    old = "apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {name: a, namespace: b}\n"
    Path("../real.yaml").write_text(f"{old}---\n{MAP}")
    done = run("import", "../real.yaml", "--as", "other@v1.0.0")
    assert done.code == 1
    assert ": kubernetes-api: " in done.out


def test_a_broken_bundle_is_told(kit: Path) -> None:
    files = {
        "manifests/a.clusterserviceversion.yaml": PACKAGE,
        "metadata/annotations.yaml": "annotations: {}\n",
    }
    kits.write(Path("../bundle"), files)
    before = kits.contents(kit)
    done = run("import", "../bundle", *AS)
    assert (done.code, done.out) == (1, "")
    assert "../bundle/manifests/a.clusterserviceversion.yaml:4 /spec/0: yaml-syntax: " in done.err
    assert kits.contents(kit) == before


@needs_kustomize
@pytest.mark.parametrize(
    ("resource", "words"),
    [
        ("https://example.com/x//config?ref=v1", "../tree/kustomization.yaml:1 /resources/0: tree-remote: "),
        ("nothing.yaml", "../tree/kustomization.yaml:1"),
    ],
)
def test_a_tree_that_does_not_build_is_told(resource: str, words: str, kit: Path) -> None:
    kits.write(Path("../tree"), {"kustomization.yaml": f"resources: ['{resource}']\n"})
    before = kits.contents(kit)
    done = run("import", "../tree", *AS)
    assert (done.code, done.out) == (1, "")
    assert words in done.err
    assert kits.contents(kit) == before


def test_a_path_that_is_not_there_is_told(kit: Path) -> None:
    done = run("import", "../nothing", *AS)
    assert done.code in (1, 2, 3)
    assert "../nothing" in done.err


def test_a_kit_with_errors_says_them_first(kit: Path) -> None:
    spec = kit / "components/hello/v1.0.0/component.yaml"
    spec.write_text(spec.read_text().replace("image: manager", "image: other"))
    Path("../real.yaml").write_text(MAP)
    done = run("import", "../real.yaml", *AS)
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("components/hello/v1.0.0/component.yaml:")
    assert not (kit / "components/hello/v1.1.0").exists()


def test_a_kit_without_targets_takes_a_component(kit: Path) -> None:
    for path in (kit / "targets").iterdir():
        path.unlink()
    Path("../real.yaml").write_text(run("build", "component:hello@v1.0.0").out)
    assert run("import", "../real.yaml", *AS).code == 0
    assert run("import", "../real.yaml", "--as", "other@v1.0.0").code == 0


def no_write(*_: object, **__: object) -> None:
    raise PermissionError(13, "Permission denied", "components")


def test_a_kit_that_nobody_may_write_stays(kit: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("../real.yaml").write_text(MAP)
    before = kits.contents(kit)
    monkeypatch.setattr(os, "mkdir", no_write)
    done = run("import", "../real.yaml", "--as", "other@v1.0.0")
    assert (done.code, done.out) == (3, "")
    assert "permission denied" in done.err
    assert kits.contents(kit) == before


def test_a_spec_that_cannot_be_is_told_of_the_tree(kit: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from kitgen.importing import files as texts

    Path("../real.yaml").write_text(MAP)
    monkeypatch.setattr(texts, "render_spec", lambda *_: "component: other\nversion: v1.0.0\nprefix: 3\n")
    before = kits.contents(kit)
    done = run("import", "../real.yaml", "--as", "other@v1.0.0")
    assert (done.code, done.out) == (1, "")
    assert done.err.splitlines()[0].startswith(
        "../real.yaml: import-refused: the import cannot be made: "
        "components/other/v1.0.0/component.yaml:3 would be wrong: spec-type: "
    )
    assert kits.contents(kit) == before


def test_what_an_older_file_says_is_told_of_the_new_version(
    kit: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from kitgen.importing import files as texts

    Path("../real.yaml").write_text(run("build", "odh", "hello").out)
    spec = "version: v1.1.0\nfrom: v1.0.0\nremove: [/serviceAccount]\n"
    monkeypatch.setattr(texts, "render_spec", lambda *_: spec)
    before = kits.contents(kit)
    done = run("import", "../real.yaml", *AS, "--target", "odh=../real.yaml")
    assert (done.code, done.out) == (1, "")
    assert done.err.splitlines()[0] == (
        "../real.yaml: import-refused: the import cannot be made: hello@v1.1.0 would be wrong at "
        "/roles/manager-role (said in components/hello/v1.0.0/component.yaml): reference-missing: "
        "found no serviceAccount to bind the role 'manager-role' to (hint: name one, or say bind: none)"
    )
    assert kits.contents(kit) == before
