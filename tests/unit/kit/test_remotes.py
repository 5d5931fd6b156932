"""The remotes of a repository are read from its configuration, whatever else stands there."""

from __future__ import annotations

from pathlib import Path

import kits
import pytest

from kitgen.kit.repositories import find_checkout

REMOTE = '[remote "origin"]\n\turl = https://example.com/a/b.git \n'


@pytest.mark.parametrize(
    "behind",
    ["", "\n" * 400_000, " " * 400_000, "[" * 400_000, "\nurl " * 80_000, '\n[a "' + "b" * 400_000],
    ids=["nothing", "lines", "blanks", "brackets", "words", "quote"],
)
def test_a_remote_before_anything(tmp_path: Path, behind: str) -> None:
    kits.write(tmp_path, {".git/HEAD": "ref: refs/heads/main\n", ".git/config": f"{REMOTE}{behind}"})
    found = find_checkout(str(tmp_path))
    assert found is not None
    assert found.remotes == ("https://example.com/a/b.git",)
