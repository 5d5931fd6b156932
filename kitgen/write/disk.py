"""Look at files that may be anybody's, make the way to a folder, and wait for the disk."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from threading import Thread

from kitgen.reading import head
from kitgen.write.below import fixed_modes
from kitgen.write.paths import FOLDER_MODE, Kind, kind, parents, unsafe

THREADS = 8
ANYBODY = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH
MANY = 4
"""From here on, several threads wait for the disk: the disk can then do it in one go."""


def peek(out: Path, path: str, limit: int) -> bytes | None:
    """Return how a plain file of a folder begins, or None if there is none; no symlink is followed."""
    if unsafe(path) or any(kind(out / step) is not Kind.FOLDER for step in parents(path)):
        return None
    return head(out / path, limit) if kind(out / path) is Kind.FILE else None


def make_folders(path: Path, mode: int = FOLDER_MODE) -> list[Path]:
    """Make a folder and those above it, unless they are there, and return those that were made.

    What leads to them is the caller's. None is left if one cannot be made.
    """
    made: list[Path] = []
    try:
        for folder in (*reversed(path.parents), path):
            if not folder.is_dir():
                with fixed_modes(), suppress(FileExistsError):
                    folder.mkdir(mode)
                    made.append(folder)
    except OSError:
        remove_empty(made)
        raise
    return made


def remove_empty(folders: Iterable[Path]) -> None:
    """Remove those of the folders that are empty, innermost first."""
    for folder in sorted(folders, reverse=True):
        with suppress(OSError):
            folder.rmdir()


def is_writable(path: Path) -> bool:
    """Tell whether anybody may write a file; a folder around it may be written all the same."""
    return bool(path.stat().st_mode & ANYBODY)


def sync_files(paths: list[Path]) -> None:
    """Wait until the files are on the disk."""
    if len(paths) < MANY:
        _sync_all(paths)
        return
    failed: list[OSError] = []

    def wait(some: list[Path]) -> None:
        try:
            _sync_all(some)
        except OSError as error:
            failed.append(error)

    threads = [Thread(target=wait, args=(paths[start::THREADS],)) for start in range(THREADS)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    if failed:
        raise failed[0]


def sync_folders(paths: Iterable[Path]) -> None:
    """Wait until the entries of those of the folders that are there are on the disk."""
    sync_files([path for path in sorted(set(paths)) if path.is_dir()])


def _sync_all(paths: list[Path]) -> None:
    for path in paths:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
