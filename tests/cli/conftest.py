"""A small kit to run commands on."""

from __future__ import annotations

from pathlib import Path

import kits
import pytest


@pytest.fixture
def kit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make the minimal kit the current folder."""
    root = kits.make_kit(tmp_path / "kit")
    monkeypatch.chdir(root)
    return root
