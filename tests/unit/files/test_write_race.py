"""Whoever swaps a folder for a symlink while kitgen writes leads nothing out of the folder."""

import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from trees import files_of, fill, marked

from kitgen.files import journal, lock
from kitgen.files.apply import apply_tree as write_apply
from kitgen.findings.errors import KitgenError

apply = sys.modules["kitgen.files.apply"]  # in the package, the function has this name
OLD = marked({"base/a.yaml": "a: 1\n", "base/deep/b.yaml": "b: 1\n", "base/gone/c.yaml": "c: 1\n"})
NEW = marked({"base/a.yaml": "a: 2\n", "base/deep/b.yaml": "b: 2\n", "base/fresh/d.yaml": "d: 1\n"})
MOMENTS = [
    (apply, "repair_write"),
    (apply, "_require_write_access"),
    (apply, "sync_files"),
    (journal, "write_journal"),
    (journal, "_validate_journal"),
    (journal, "drop_empty_folders"),
    (journal, "_move_staged_files"),
    (lock, "disable_umask"),
]


@pytest.mark.parametrize("folder", ["base", "base/deep", ".kitgen", ".kitgen/stage"])
@pytest.mark.parametrize(("module", "name"), MOMENTS, ids=[name for _, name in MOMENTS])
def test_a_folder_that_becomes_a_symlink_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: object, name: str, folder: str
) -> None:
    out, outside = tmp_path / "out", tmp_path / "outside"
    write_apply(OLD, out)
    fill(
        outside,
        {"a.yaml": "mine", "b.yaml": "mine", "0": "mine", "gone/c.yaml": "mine", "deep/b.yaml": "mine"},
    )
    before = files_of(outside), sorted(outside.rglob("*"))
    function: Callable[..., object] = getattr(module, name)
    done = False

    def swapped(*args: object, **options: object) -> object:
        nonlocal done
        result = function(*args, **options)
        if not done and (out / folder).is_dir():
            (out / folder).rename(tmp_path / "aside")
            (out / folder).symlink_to(outside)
            done = True
        return result

    monkeypatch.setattr(module, name, swapped)
    with suppress(KitgenError):
        write_apply(NEW, out)
    assert (files_of(outside), sorted(outside.rglob("*"))) == before
