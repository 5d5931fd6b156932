"""Read files that may be anybody's, make the way to a folder, and wait for the disk."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from threading import Thread

from kitgen.reading import head
from kitgen.write.below import fixed_modes, move, remove, write_file
from kitgen.write.paths import FILE_MODE, FOLDER_MODE, Kind, kind, parents, unsafe

THREADS = 8
ANYBODY = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH
OTHERS = stat.S_IRWXG | stat.S_IRWXO
PRIVATE_FOLDER, PRIVATE_FILE = 0o700, 0o600
MANY = 4
"""From here on, several threads wait for the disk: the disk can then do it in one go."""


def peek(out: Path, path: str, limit: int) -> bytes | None:
    """Return how a plain file of a folder begins, or None if there is none; no symlink is followed."""
    if unsafe(path) or any(kind(out / step) is not Kind.FOLDER for step in parents(path)):
        return None
    return head(out / path, limit) if kind(out / path) is Kind.FILE else None


def make_folders(path: Path, mode: int = FOLDER_MODE) -> None:
    """Make a folder and those above it, unless they are there; what leads to them is the caller's."""
    for folder in (*reversed(path.parents), path):
        if not folder.is_dir():
            with fixed_modes(), suppress(FileExistsError):
                folder.mkdir(mode)


def replace_private_file(path: Path, content: bytes) -> None:
    """Put a file into place that only its owner reads, in a folder that nobody else looks into."""
    make_folders(path.parent, PRIVATE_FOLDER)
    if kind(path.parent) is Kind.FOLDER and path.parent.stat().st_mode & OTHERS:
        with suppress(PermissionError):  # it may be somebody else's, who lets others write
            path.parent.chmod(PRIVATE_FOLDER)
    replace_file(path, content, PRIVATE_FILE)


def replace_file(path: Path, content: bytes, mode: int = FILE_MODE) -> None:
    """Put a file into place at once, whatever stands there or on the way; no symlink is followed."""
    make_folders(path.parent)
    if kind(path.parent) is not Kind.FOLDER:
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path.parent))
    fresh = path.with_suffix(".new").name
    with suppress(FileNotFoundError):
        remove(path.parent, fresh)  # left by a run that was killed
    write_file(path.parent, fresh, content, mode=mode)
    move(path.parent, fresh, path.name)


def rewrite_file(path: Path, content: bytes) -> None:
    """Give a file of people's another content at once; it keeps its mode, and a symlink leads to it still."""
    place = path.resolve()
    fresh = f".{place.name}.kitgen"  # whatever else is there may be somebody's
    with suppress(FileNotFoundError):
        remove(place.parent, fresh)  # left by a run that was killed
    try:
        write_file(place.parent, fresh, content, sync=True, mode=stat.S_IMODE(place.stat().st_mode))
        move(place.parent, fresh, place.name)
    except OSError:
        with suppress(OSError):
            remove(place.parent, fresh)
        raise


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
