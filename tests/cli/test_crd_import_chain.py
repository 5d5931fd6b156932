"""An import beside versions that build on others: the new one says all by itself."""

from __future__ import annotations

from pathlib import Path

import kits
import pytest
from running import run
from small_crd import STRING, crd_of, obj

from kitgen.text.yaml import dump_yaml, read_yaml


@pytest.fixture
def chained(tmp_path: Path) -> Path:
    root = kits.make_kit(tmp_path / "kit", kits.CASES / "valid/from-a-version-with-files")
    (root / "in.yaml").write_text(dump_yaml(crd_of(obj({"a": STRING}))))
    return root


def imported(root: Path, version: str) -> tuple[int, str]:
    made = run(
        *("crd", "import", root / "in.yaml", "--component", "hello", "--version", version, "--root", root)
    )
    return made.code, made.out + made.err


def test_a_version_after_a_chain_is_written_out(chained: Path) -> None:
    assert imported(chained, "v1.1.5")[0] == 0
    new = chained / "components/hello/v1.1.5"
    spec = read_yaml((new / "component.yaml").read_text())
    assert "from" not in spec
    assert (spec["version"], spec["images"]) == ("v1.1.5", {"manager": "quay.io/example/hello:v1.1.0"})
    assert read_yaml((new / "config.yaml").read_text())["fields"]["workers"]["maximum"] == 128
    assert len([*(new / "crds").iterdir()]) == 1
    assert imported(chained, "v1.2.5")[0] == 0
    assert not (chained / "components/hello/v1.2.5/config.yaml").exists()
    checked = run("check", "-o", "lines", "--root", chained)
    assert "from" not in checked.out


def test_a_chain_itself_is_not_imported_into(chained: Path) -> None:
    before = kits.contents(chained)
    code, said = imported(chained, "v1.1.0")
    assert code == 3
    assert "hello@v1.1.0 builds on another version, and would keep CRDs of that" in said
    assert "kitgen flatten hello@v1.1.0 writes it out" in said
    assert kits.contents(chained) == before


def test_a_chain_with_errors_is_not_built_on(chained: Path) -> None:
    spec = chained / "components/hello/v1.2.0/component.yaml"
    spec.write_text(spec.read_text().replace("from: v1.1.0", "from: v1.1.9"))
    before = kits.contents(chained)
    code, said = imported(chained, "v1.2.5")
    assert code == 3
    assert "components/hello/v1.2.0/component.yaml builds on what has errors (hint: run kitgen check)" in said
    assert kits.contents(chained) == before


def test_changes_that_nothing_is_known_of_are_told(chained: Path) -> None:
    kits.write(chained, {"components/hello/v1.3.0/crds/greetings.yaml": '$set: {"#scope": Cluster}\n'})
    code, said = imported(chained, "v1.3.0")
    assert code == 3
    assert "components/hello/v1.3.0/crds/greetings.yaml holds no declaration" in said
