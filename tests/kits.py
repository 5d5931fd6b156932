"""Kits to test with: this project's own, and small ones put together from tests/cases."""

from __future__ import annotations

import re
import shutil
from functools import cache
from pathlib import Path

TESTS = Path(__file__).parent
PROJECT = TESTS.parent
CASES = TESTS / "cases"
OWN_FILES = ("expect.txt", "expect.yaml", "delete.txt", "about.txt", "edits.diff")
"""Files of a case that are no part of its kit."""
EDIT = re.compile(r"^--- (?=\S+\.(?:yaml|Dockerfile)$)", re.MULTILINE)


def cases(kind: str) -> list[str]:
    """Return the names of the cases of a kind: valid or invalid."""
    return sorted(path.name for path in (CASES / kind).iterdir() if path.is_dir())


def make_kit(folder: Path, case: Path | None = None) -> Path:
    """Put the minimal kit into a folder, then edit it as a case says, and lay the case's files over it."""
    for name, content in _minimal().items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    if case is not None:
        ignore = shutil.ignore_patterns(*OWN_FILES)
        shutil.copytree(case, folder, dirs_exist_ok=True, symlinks=True, ignore=ignore)
        gone = case / "delete.txt"
        for name in gone.read_text().split() if gone.exists() else ():
            (folder / name).unlink()
        edits = case / "edits.diff"
        for part in EDIT.split(edits.read_text())[1:] if edits.exists() else ():
            edit(folder, part)
    return folder


@cache
def _minimal() -> dict[str, bytes]:
    """Return the files of the minimal kit, which most tests write."""
    root = CASES / "kit"
    files = (path for path in sorted(root.rglob("*")) if path.is_file())
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in files}


def edit(folder: Path, part: str) -> None:
    """Change a file: a path, then lines that stay, go and come. Those that stay and go must be there once."""
    name, *lines = part.removesuffix("\n").split("\n")
    old = "".join(f"{line[1:]}\n" for line in lines if line[:1] in " -")
    new = "".join(f"{line[1:]}\n" for line in lines if line[:1] in " +")
    text = (folder / name).read_text()
    assert text.count(old) == 1, f"{name} does not hold these lines once:\n{old}"
    (folder / name).write_text(text.replace(old, new))


def contents(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Return every file below a folder with its bytes and its mtime."""
    return {
        path.relative_to(folder).as_posix(): (path.read_bytes(), path.stat().st_mtime_ns)
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def write(folder: Path, files: dict[str, str]) -> Path:
    """Write texts below a folder."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder
