"""kitgen bundle write puts a bundle into a catalog's repository, and changes nothing that is there."""

from __future__ import annotations

from pathlib import Path

import kits
import pytest
from running import run

from kitgen.text.yaml import read_yaml

PACKAGE = Path("catalog/operators/hello-operator")
TARGET = Path("targets/olm.yaml")
COMMUNITY = "  community: {reviewers: [somebody], catalogs: [v4.16]}\n"


@pytest.fixture
def bundled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a kit with a bundle the current folder."""
    root = kits.make_kit(tmp_path / "kit", kits.CASES / "valid" / "olm-bundle")
    monkeypatch.chdir(root)
    TARGET.write_text(TARGET.read_text().replace("install:\n", f"{COMMUNITY}install:\n"))
    return root


def test_a_bundle_and_what_is_beside_it(bundled: Path) -> None:
    done = run("bundle", "write", "catalog")
    assert (done.code, done.out) == (0, "")
    assert done.err == "hello-operator.v1.0.0: 9 new files in catalog\n"
    assert read_yaml((PACKAGE / "ci.yaml").read_text()) == {
        "updateGraph": "replaces-mode",
        "reviewers": ["somebody"],
    }
    names = {path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*") if path.is_file()}
    assert "1.0.0/manifests/hello-operator.clusterserviceversion.yaml" in names
    assert "1.0.0/metadata/annotations.yaml" in names
    assert not any(name.endswith("Dockerfile") or "release-config" in name for name in names)
    assert [path.name for path in Path("catalog").iterdir()] == ["operators"]


def test_a_file_based_catalog(bundled: Path) -> None:
    assert run("bundle", "write", "catalog", "--catalog").code == 0
    release = read_yaml((PACKAGE / "1.0.0/release-config.yaml").read_text())
    assert release == {
        "catalog_templates": [
            {
                "template_name": "basic.yaml",
                "channels": ["fast", "stable"],
                "replaces": "hello-operator.v0.9.1",
                "skips": ["hello-operator.v0.9.0"],
                "skipRange": ">=0.8.0 <1.0.0",
            }
        ]
    }
    ci = read_yaml((PACKAGE / "ci.yaml").read_text())
    assert ci["fbc"]["catalog_mapping"][0]["catalog_names"] == ["v4.16"]
    template = read_yaml((PACKAGE / "catalog-templates/basic.yaml").read_text())
    assert [each["schema"] for each in template["entries"]] == ["olm.package", "olm.channel", "olm.channel"]


def test_twice_changes_nothing(bundled: Path) -> None:
    run("bundle", "write", "catalog")
    before = kits.contents(Path("catalog"))
    assert run("bundle", "write", "catalog").err == "hello-operator.v1.0.0: 0 new files in catalog\n"
    assert kits.contents(Path("catalog")) == before


def test_what_the_package_has_stays(bundled: Path) -> None:
    kits.write(PACKAGE, {"ci.yaml": "# ours\nreviewers: [me]\n", "0.9.1/manifests/a.yaml": "a: b\n"})
    done = run("bundle", "write", "catalog")
    assert done.code == 0
    assert done.err.endswith("operators/hello-operator/ci.yaml is there and stays as it is\n")
    assert (PACKAGE / "ci.yaml").read_text() == "# ours\nreviewers: [me]\n"


def test_a_bundle_that_is_there_is_never_changed(bundled: Path) -> None:
    run("bundle", "write", "catalog")
    file = PACKAGE / "1.0.0/metadata/annotations.yaml"
    file.write_text("annotations: {}\n")
    before = kits.contents(Path("catalog"))
    done = run("bundle", "write", "catalog")
    assert done.code == 2
    assert "is another bundle hello-operator.v1.0.0" in done.err
    assert kits.contents(Path("catalog")) == before


def test_files_of_another_bundle_are_not_added_to(bundled: Path) -> None:
    kits.write(
        PACKAGE, {"1.0.0/manifests/hello.v1.0.0.clusterserviceversion.yaml": "kind: ClusterServiceVersion\n"}
    )
    before = kits.contents(Path("catalog"))
    done = run("bundle", "write", "catalog")
    assert (done.code, kits.contents(Path("catalog"))) == (2, before)
    assert "hello.v1.0.0.clusterserviceversion.yaml is another bundle hello-operator.v1.0.0" in done.err


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--target", "odh"], "target odh has no bundle"),
        (["--target", "old"], "no target 'old' in this kit"),
        (["--release", "v9.9.9"], "no release 'v9.9.9' in this kit"),
    ],
)
def test_what_cannot_be_written(bundled: Path, args: list[str], said: str) -> None:
    done = run("bundle", "write", "catalog", *args)
    assert (done.code, Path("catalog").exists()) == (2, False)
    assert said in done.err


def test_a_kit_without_a_bundle(kit: Path) -> None:
    done = run("bundle", "write", "catalog")
    assert (done.code, Path("catalog").exists()) == (2, False)
    assert "no target of this kit has a bundle" in done.err


def test_catalogs_must_be_named(bundled: Path) -> None:
    TARGET.write_text(TARGET.read_text().replace(", catalogs: [v4.16]", ""))
    done = run("bundle", "write", "catalog", "--catalog")
    assert (done.code, Path("catalog").exists()) == (2, False)
    assert "target olm names no catalogs" in done.err


def test_a_catalog_needs_a_target_that_speaks_of_it(bundled: Path) -> None:
    text = TARGET.read_text()
    TARGET.write_text("".join(line for line in text.splitlines(True) if "community:" not in line))
    done = run("bundle", "write", "catalog", "--catalog")
    assert (done.code, Path("catalog").exists()) == (2, False)
    assert "target olm names no catalogs" in done.err


def test_errors_stop_it(bundled: Path) -> None:
    example = Path("components/hello/v1.0.0/component.yaml")
    example.write_text(example.read_text().replace("configmaps: read", "configmapps: read"))
    done = run("bundle", "write", "catalog")
    assert (done.code, Path("catalog").exists()) == (1, False)


def test_the_kit_itself_is_no_catalog(bundled: Path) -> None:
    assert run("bundle", "write", "overlays").code == 2
    assert run("bundle", "write", ".").code == 2
