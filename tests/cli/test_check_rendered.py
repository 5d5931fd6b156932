"""What is wrong with something rendered is told where the specs say it."""

from __future__ import annotations

from pathlib import Path

import kits
import pytest
from running import run

from kitgen.files import programs

COMPONENT = "components/hello/v1.0.0/component.yaml"
needs_kustomize = pytest.mark.skipif(
    programs.find_kustomize() is None, reason="neither kustomize nor kubectl is on PATH"
)


@pytest.fixture
def kit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = kits.make_kit(tmp_path)
    spec = root / COMPONENT
    spec.write_text(spec.read_text() + "objects:\n- {apiVersion: a.b/v1, kind: Thing, metadata: {name: a}}\n")
    monkeypatch.chdir(root)
    return root


def test_standard_input_leads_to_the_specs(kit: Path) -> None:
    built = run("build", "olm").out
    result = run("check", "-", "-o", "lines", stdin=built)
    assert result.out.startswith(f"{COMPONENT}:")
    assert "kind-unknown" in result.out
    edited = built.replace("kind: Thing\n", "kind: Thing\nmore: 1\n")
    assert run("check", "-", "-o", "lines", stdin=edited).out.startswith("-:")


@pytest.mark.kustomize
@needs_kustomize
def test_all_overlays_lead_to_the_specs(kit: Path) -> None:
    run("render")
    for paths in (["overlays"], ["overlays/olm", "overlays/odh"], ["overlays/olm/hello"]):
        result = run("check", *paths, "-o", "lines")
        assert (result.code, result.out.startswith(f"{COMPONENT}:")) == (0, True)
        assert result.out.count("\n") == 1


@pytest.mark.kustomize
@needs_kustomize
def test_edited_files_are_told_as_such(kit: Path) -> None:
    run("render")
    edited = next(
        path for path in (kit / "overlays/base").rglob("*.yaml") if "kind: Deployment" in path.read_text()
    )
    edited.write_text(edited.read_text().replace("replicas: 1", "replicas: one"))
    result = run("check", "overlays/olm", "-o", "lines")
    assert 'found "one", expected a whole number' in result.out
