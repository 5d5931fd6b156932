"""component_metadata.yaml: what the platform's operator shows of a component that it mounts."""

from __future__ import annotations

from pathlib import Path

import kits
import pytest
from running import run

from kitgen.files.root import GENERATED
from kitgen.text.yaml import read_yaml

FILE = "hello/component_metadata.yaml"
FEATURES = "    features: [params]\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a kit with two releases, of which the newer one has the file; the target takes v1.1.0 in it."""
    made = kits.make_kit(tmp_path / "kit", kits.CASES / "valid" / "two-releases")
    text = (made / "targets/odh.yaml").read_text()
    metadata = '{name: "Hello: the operator", repository: example/hello, releases: ">1.0.0"}'
    said = f"    export: {{folder: hello, build: default, metadata: {metadata}}}\n"
    (made / "targets/odh.yaml").write_text(text.replace(FEATURES, FEATURES + said))
    return made


def export(root: Path, *options: str) -> Path:
    out = root.parent / "out"
    assert run("export", "odh", out, "--root", root, *options).code == 0
    return out


def test_it_has_the_version_that_the_target_takes(root: Path) -> None:
    text = (export(root) / FILE).read_text()
    assert text.encode().startswith(GENERATED)
    release = {
        "name": "Hello: the operator",
        "version": "1.1.0",
        "repoUrl": "https://github.com/example/hello",
    }
    assert read_yaml(text) == {"releases": [release]}


def test_releases_before_do_not_have_it(root: Path) -> None:
    out = export(root)
    assert (out / FILE).exists()
    export(root, "--release", "v1.0.0")
    assert not (out / FILE).exists(), "what another release had is gone"


def test_no_kustomization_names_it(root: Path) -> None:
    for file in export(root).rglob("kustomization.yaml"):
        assert "component_metadata" not in file.read_text()


def test_overlays_do_not_have_it(root: Path) -> None:
    assert run("render", "--root", root).code == 0
    assert list((root / "overlays").rglob("component_metadata.yaml")) == []
