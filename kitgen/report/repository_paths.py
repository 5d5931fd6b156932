"""Resolve files to paths within their repository, for code scanning and annotations."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from pathlib import Path

STDIN = "-"


def make_path_resolver(
    root: Path | None, given: Collection[str], revisions: Collection[str]
) -> Callable[[str], tuple[str, str]]:
    """Return a function that yields the path of a file in its repository, and its revision, if any.

    Files of the kit are named from its root, those that are given from here. Without a repository, all are
    named from here.
    """
    top = _find_repository(Path(root or "."))

    def place(file: str) -> tuple[str, str]:
        revision = next((each for each in revisions if file.startswith(f"{each}:")), "")
        file = file.removeprefix(f"{revision}:") if revision else file
        if not file or file == STDIN:
            return file, revision
        base = Path() if root is None or (file in given and not revision) else root
        return _to_repository_path(_to_absolute(base / file), top, file if base == Path() else ""), revision

    return place


def _to_repository_path(path: Path, top: Path | None, told: str) -> str:
    """Return the path from the top of the repository, else as it was given, else from here."""
    if top is not None and path.is_relative_to(top):
        return path.relative_to(top).as_posix()
    return told or Path(os.path.relpath(path)).as_posix()


def _find_repository(start: Path) -> Path | None:
    """Return the top folder of the repository that a folder is in; a worktree has a file for its mark."""
    here = _to_absolute(start)
    return next((each for each in (here, *here.parents) if (each / ".git").exists()), None)


def _to_absolute(path: Path) -> Path:
    return Path(os.path.abspath(path))  # noqa: PTH100 # a link keeps its name, as it has it in the repository
