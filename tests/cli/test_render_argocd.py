"""What Argo CD syncs is rendered, checked and removed with its target."""

from __future__ import annotations

from pathlib import Path

import kits
import pytest
from running import run

from kitgen.files import programs

CASE = kits.CASES / "valid" / "argocd"
SAYS = "argocd: {repository: https://example.com/kit.git}\n"


@pytest.fixture
def kit(tmp_path: Path) -> Path:
    return kits.make_kit(tmp_path / "kit", CASE)


def folders(kit: Path) -> list[str]:
    return sorted(path.name for path in (kit / "overlays/argocd").glob("*"))


def test_a_target_is_rendered_with_what_argo_cd_syncs_of_it(kit: Path) -> None:
    assert run("render", "olm", "--root", kit).code == 0
    assert folders(kit) == ["olm"]
    assert run("render", "--check", "olm", "--root", kit).code == 0
    assert run("render", "--root", kit).code == 0
    assert folders(kit) == ["odh", "olm"]


def test_a_layer_that_is_out_of_date_is_told(kit: Path) -> None:
    assert run("render", "--root", kit).code == 0
    spec = kit / "targets/odh.yaml"
    spec.write_text(spec.read_text().replace("guard: false", "guard: true"))
    assert run("render", "--check", "odh", "--root", kit).code == 1
    assert "target-stale" in run("render", "olm", "--root", kit).err
    assert run("render", "odh", "--root", kit).code == 0
    assert run("render", "--check", "--root", kit).code == 0


def test_a_target_that_no_longer_says_it_loses_the_layer(tmp_path: Path) -> None:
    kit = kits.make_kit(tmp_path / "kit")
    spec = kit / "targets/rhoai.yaml"
    text = spec.read_text()
    spec.write_text(f"{text}{SAYS}")
    assert run("render", "--root", kit).code == 0
    assert folders(kit) == ["rhoai"]
    spec.write_text(text)
    assert run("render", "rhoai", "--root", kit).code == 0
    assert folders(kit) == []


def test_no_target_is_called_like_the_folder(tmp_path: Path) -> None:
    kit = kits.make_kit(tmp_path / "kit")
    (kit / "targets/argocd.yaml").write_text("target: argocd\nfrom: olm\n")
    found = run("check", "-o", "lines", "--root", kit)
    assert (found.code, "targets/argocd.yaml:1 /target: name-taken" in found.out) == (1, True)


@pytest.mark.parametrize("way", ["https://me:secret@example.com/kit.git", "kit.git", "/srv/kit"])
def test_a_repository_is_an_address_without_a_password(way: str, tmp_path: Path) -> None:
    kit = kits.make_kit(tmp_path / "kit")
    spec = kit / "targets/rhoai.yaml"
    spec.write_text(f'{spec.read_text()}argocd: {{repository: "{way}"}}\n')
    found = run("check", "-o", "lines", "--root", kit)
    assert (found.code, "/argocd/repository: spec-value" in found.out) == (1, True)
    assert "secret" not in found.out + found.err


@pytest.mark.kustomize
@pytest.mark.skipif(programs.find_kustomize() is None, reason="neither kustomize nor kubectl is on PATH")
@pytest.mark.parametrize("folder", ["argocd/odh/hello", "argocd/olm", "argocd/olm/apps"])
def test_what_is_wrong_with_a_layer_is_wrong_in_the_specs(folder: str, kit: Path) -> None:
    assert run("render", "--root", kit).code == 0
    found = run("check", kit / "overlays" / folder, "-o", "lines", "--root", kit)
    assert found.code == 0
    assert "overlays/" not in found.out
