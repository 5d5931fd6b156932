"""kitgen list: what a target takes instead."""

from __future__ import annotations

import json
from pathlib import Path

import kits
import pytest
from running import run


def test_a_version_that_a_target_takes_is_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    root = kits.make_kit(tmp_path)
    assert "Overrides" not in run("list", "--root", root).out
    spec = (
        "component: hello\nversion: v1.0.1\nfrom: v1.0.0\nimages: {manager: quay.io/example/hello:v1.0.1}\n"
    )
    kits.write(root, {"components/hello/v1.0.1/component.yaml": spec})
    file = root / "targets/olm.yaml"
    override = "[{version: v1.0.1, releases: '>=1.0.0', why: A fix that came late}]"
    file.write_text(f"{file.read_text()}    overrides: {override}\n")
    shown = run("list", "--root", root).out
    assert "Overrides\nTARGET  COMPONENT  VERSION  RELEASES  WHY\n" in shown
    assert "olm     hello      v1.0.1   >=1.0.0   A fix that came late\n" in shown
    targets = json.loads(run("list", "-o", "json", "--root", root).out)["targets"]
    own = {"component": "hello", "version": "v1.0.1", "releases": ">=1.0.0", "why": "A fix that came late"}
    assert {each["name"]: each["overrides"] for each in targets} == {"odh": [], "olm": [own], "rhoai": []}


def test_a_broken_kit_is_no_answer(tmp_path: Path) -> None:
    broken = {"releases/v1.1.0.yaml": "release: v1.1.0\ncomponents: {hello: v9.0.0}\n"}
    result = run("list", "--root", kits.write(kits.make_kit(tmp_path), broken))
    assert (result.code, result.out) == (1, "")
