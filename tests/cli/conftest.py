"""A small kit to run commands on."""

from __future__ import annotations

from pathlib import Path

import kits
import publishing
import pytest
from running import trees


@pytest.fixture
def kit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make the minimal kit the current folder."""
    root = kits.make_kit(tmp_path / "kit")
    monkeypatch.chdir(root)
    return root


@pytest.fixture(scope="session")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A kit that says how it is published, rendered, for copies."""
    return publishing.make(tmp_path_factory.mktemp("published"))


@pytest.fixture(scope="session")
def small_trees(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return what the minimal kit builds: own for the component by itself, and one for each target."""
    return trees(kits.make_kit(tmp_path_factory.mktemp("trees") / "kit"))
