"""An import is checked as if each target took the version, and names what that needs."""

from __future__ import annotations

from pathlib import Path

import kits
import pytest
from running import run

EXTRA = """
component: extra
version: {version}
kubernetes: "1.30"
"""
CRD = """
group: example.com
names: {{kind: Extra}}
scope: Namespaced
versions:
  v1:
    storage: true
    schema:
      type: object
      properties:
        spec: {{type: object, properties: {{{field}: {{type: string}}}}}}
"""
SELECTABLE = "    selectableFields:\n    - jsonPath: .spec.text\n"


@pytest.fixture
def kit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a small kit for Kubernetes 1.29 to 1.31."""
    root = kits.make_kit(tmp_path / "kit")
    text = (root / "kit.yaml").read_text()
    said = next(line for line in text.splitlines() if line.startswith("kubernetes:"))
    (root / "kit.yaml").write_text(text.replace(said, 'kubernetes: ">=1.29 <=1.31"'))
    monkeypatch.chdir(root)
    return root


def real(text: str) -> str:
    Path("../real.yaml").write_text(text, encoding="utf-8")
    return "../real.yaml"


def with_later_field() -> str:
    """Return what is built of a component, with a field in its CRD that Kubernetes has since 1.30."""
    built = run("build", "olm", "hello").out
    head, mark, rest = built.partition("    served: true\n")
    assert mark
    return real(f"{head}{SELECTABLE}{mark}{rest}")


def test_a_version_that_no_target_can_build_is_no_success(kit: Path) -> None:
    made = run("import", with_later_field(), "--as", "hello@v1.1.0", "--target", "olm=../real.yaml")
    assert (made.code, "no differences" in made.out) == (1, True), made.out + made.err
    said = made.out.partition("  what kitgen check will say:\n")[2].splitlines()
    assert said[0].startswith("    error: components/hello/"), said
    assert "field-unknown" in said[0]
    assert all(" error: " not in line for line in said[1:])
    assert "is not in Kubernetes 1.29" in said[0]
    assert run("build", "olm/hello=v1.1.0").code == 1
    quiet = run("import", "../real.yaml", "--as", "hello@v1.2.0", "--target", "olm=../real.yaml", "-q")
    assert (quiet.code, quiet.out.count("\n"), quiet.out[:7]) == (1, 1, "error: ")


def test_a_version_for_some_minors_says_so(kit: Path) -> None:
    made = run("import", with_later_field(), "--as", "hello@v1.1.0", "--target", "olm=../real.yaml")
    spec = Path("components/hello/v1.1.0/component.yaml")
    text = spec.read_text(encoding="utf-8").replace("from: v1.0.0\n", 'from: v1.0.0\nclusters: ">=1.30"\n')
    spec.write_text(text, encoding="utf-8")
    for target in ("olm", "odh", "rhoai"):
        assert run("build", f"{target}/hello=v1.1.0").code == 0, made.out


def test_an_image_that_a_target_keeps_is_reported(kit: Path) -> None:
    text = Path("targets/rhoai.yaml").read_text(encoding="utf-8")
    assert "components:" not in text or "hello" in text
    kits.write(kit, {"targets/rhoai.yaml": "target: rhoai\nrelease: v1.0.0\ncomponents:\n  hello:\n"
                     "    images: {manager: quay.io/other/hello:v1.0.0}\n"})  # fmt: skip
    tree = run("build", "olm", "hello").out.replace(":v1.0.0", ":v1.1.0")
    made = run("import", real(tree), "--as", "hello@v1.1.0", "--target", "olm=../real.yaml")
    said = 'targets/rhoai.yaml:5: release-image-version: found the tag "v1.0.0" of "quay.io/other/hello"'
    assert (made.code, f"warning: {said}" in made.out) == (0, True), made.out
    built = run("build", "rhoai/hello=v1.1.0")
    assert (built.code, "quay.io/other/hello" in built.out) == (0, True)
    assert "targets/rhoai.yaml:5 " in built.err
    assert "release-image-version" in built.err
    assert "name the image under versions, for '>=1.1.0'" in built.err
    assert "release-image-version" not in run("build", "olm/hello=v1.1.0").err


def test_import_and_compare_choose_the_same_version_of_what_is_carried(kit: Path) -> None:
    for version, field in (("v1.0.0", "name"), ("v2.0.0", "title")):
        folder = f"components/extra/{version}"
        kits.write(kit, {f"{folder}/component.yaml": EXTRA.format(version=version).lstrip()})
        kits.write(kit, {f"{folder}/crds/extras.yaml": CRD.format(field=field).lstrip()})
    hello = kit / "components/hello/v1.0.0/component.yaml"
    hello.write_text(hello.read_text().replace("prefix: hello-", "prefix: hello-\ncarries: [extra]"))
    release = kit / "releases/v1.0.0.yaml"
    text = release.read_text().replace("hello: v1.0.0", "hello: v1.0.0\n  extra: v1.0.0")
    release.write_text(text)
    tree = real(run("build", "olm", "hello").out)
    release.write_text(text.replace("extra: v1.0.0", "extra: v2.0.0"))
    made = run("import", tree, "--as", "hello@v1.1.0", "--target", f"olm={tree}")
    assert "as target olm, with extra v1.0.0: " in made.out, made.out + made.err
    needed = "    extra v1.0.0, or another version with the same CRDs; olm pins v1.0.0, with v2.0.0\n"
    assert f"  versions that a release with this one needs:\n{needed}" in made.out
    compared = run("compare", "olm/hello=v1.1.0", tree)
    assert (compared.code, "extra v1.0.0 has the CRDs of the real thing" in compared.err) == (0, True)
    assert run("compare", "olm@v1.0.0/hello=v1.1.0", tree).code == 1, "the release says which"
    other = real(
        Path(tree).read_text(encoding="utf-8").replace("              name:\n", "              label:\n")
    )
    made = run("import", other, "--as", "hello@v1.2.0", "--target", f"olm={other}")
    assert (made.code, "extras.example.com: import that one first" in made.out) == (1, True), made.out
    spec = Path("components/hello/v1.2.0/component.yaml").read_text(encoding="utf-8")
    assert "patches:" not in spec, "another component's CRD is not patched"


@pytest.mark.parametrize(
    ("folder", "head", "why"),
    [
        ("work/hello-rhoai-2.16", "", "by its path hello-rhoai-2.16"),
        ("red-hat/hello", "", "by its path red-hat"),
        ("work/hello", "ref: refs/heads/rhoai-2.16\n", "by its branch rhoai-2.16"),
        ("work/hello", "", "which is nearest"),
    ],
)
def test_a_tree_says_whose_it_is(kit: Path, folder: str, head: str, why: str) -> None:
    for target, ref in (("odh", "v1.0.0-odh"), ("rhoai", "rhoai-2.25")):
        owner = "red-hat" if target == "rhoai" else "open"
        source = f"    source: {{repository: {owner}/hello, ref: {ref}, path: config}}\n"
        text = f"target: {target}\nrelease: v1.0.0\nplatform: {target}\ncomponents:\n  hello:\n{source}"
        kits.write(kit, {f"targets/{target}.yaml": text})
    tree = run("build", "odh", "hello").out
    place = kit.parent / folder
    kits.write(place, {"config/manifests.yaml": tree})
    if head:
        kits.write(place, {".git/HEAD": head, ".git/config": ""})
    made = run("import", place / "config", "--as", "hello@v1.1.0", "--dry-run")
    assert why in made.out, made.out + made.err
    assert ("as target rhoai" in made.out) == (why != "which is nearest")
