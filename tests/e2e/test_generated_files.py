"""Reviews fold what kitgen writes, and show what people wrote first."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from kits import PROJECT

from kitgen.app.starter import render_starter_files

OWN = (PROJECT / ".gitattributes").read_text()
WRITTEN = (
    "overlays/base/hello/v1.0.0/all.yaml",
    "overlays/olm/kustomization.yaml",
    "snapshots/olm/objects.txt",
)
BY_HAND = ("components/hello/v1.0.0/component.yaml", "targets/olm.yaml", "docs/overlays/page.md")


@pytest.mark.parametrize(
    "text", [OWN, render_starter_files("kit")[".gitattributes"]], ids=["project", "new kit"]
)
def test_only_what_kitgen_writes_is_marked_as_generated(text: str, tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    (tmp_path / ".gitattributes").write_text(text)
    command = ["git", "check-attr", "linguist-generated", *WRITTEN, *BY_HAND]
    done = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True)
    values = [line.rpartition(" ")[2] for line in done.stdout.splitlines()]
    assert values == ["set"] * len(WRITTEN) + ["unspecified"] * len(BY_HAND)
