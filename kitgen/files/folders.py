"""Change files below a folder and nowhere else: every step is opened without following symlinks.

A symlink on the way is an error, even one that appears after the check: an open folder stays the same,
whatever its path leads to by then.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import groupby
from pathlib import Path
from threading import Thread

from kitgen.files.paths import FOLDER_MODE, PathKind, find_path_fault, parents, path_kind
from kitgen.files.read import read_head

FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
FRESH = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
PLACE = getattr(os, "O_PATH", os.O_RDONLY | os.O_NONBLOCK) | os.O_NOFOLLOW | os.O_CLOEXEC


@contextmanager
def disable_umask() -> Iterator[None]:
    """Create files and folders with their final mode, whatever the umask."""
    before = os.umask(0)
    try:
        yield
    finally:
        os.umask(before)


@contextmanager
def open_parent(out: Path, path: str) -> Iterator[tuple[int, str]]:
    """Open the folder that holds a path below `out`, for as long as it is needed; yield it and the name."""
    folder, _, name = path.rpartition("/")
    with add_error_path(out, path), _open_folder(out, folder) as handle:
        yield handle, name


@contextmanager
def _open_folder(out: Path, folder: str) -> Iterator[int]:
    handle = -1
    try:
        with add_error_path(out, folder):
            handle = os.open(out, FOLDER)
            for step in folder.split("/") if folder else ():
                outer, handle = handle, os.open(step, FOLDER, dir_fd=handle)
                os.close(outer)
        yield handle
    finally:
        if handle >= 0:
            os.close(handle)


@contextmanager
def add_error_path(place: Path, *below: str) -> Iterator[None]:
    """Add the path to an error, that of a place or of something below it."""
    try:
        yield
    except OSError as error:
        error.filename = str(place.joinpath(*below))
        raise


def write_files(
    out: Path, folder: str, files: Iterable[tuple[str, bytes, int]], *, sync: bool = False
) -> None:
    """Write files into one folder, each by its name, with its mode; the way to it is opened once.

    None may be there yet: a link or file that somebody put there is an error.
    """
    with _open_folder(out, folder) as within, disable_umask():
        for name, content, mode in files:
            with add_error_path(out, folder, name):
                handle = os.open(name, FRESH, mode, dir_fd=within)
                try:
                    write_all(handle, content)
                    if sync:
                        os.fsync(handle)
                finally:
                    os.close(handle)


def write_all(handle: int, content: bytes) -> None:
    """Write bytes to an open file, however many the system takes at a time."""
    left = memoryview(content)
    while left:
        left = left[os.write(handle, left) :]


def make_folder(out: Path, path: str) -> None:
    """Make a folder unless something is there."""
    with open_parent(out, path) as (folder, name), disable_umask(), suppress(FileExistsError):
        os.mkdir(name, FOLDER_MODE, dir_fd=folder)


def move_files(out: Path, folder: str, places: Iterable[tuple[str, str]]) -> None:
    """Put files of one folder into their places, each at once, and over a file that is there.

    The way to those that go into one folder is opened once.
    """
    with _open_folder(out, folder) as source:
        for target, some in groupby(places, key=lambda each: each[1].rpartition("/")[0]):
            with _open_folder(out, target) as handle:
                for name, path in some:
                    with add_error_path(out, path):
                        os.rename(name, path.rpartition("/")[2], src_dir_fd=source, dst_dir_fd=handle)


def remove_file(out: Path, path: str) -> None:
    """Remove a file or a symlink."""
    with open_parent(out, path) as (folder, name):
        os.unlink(name, dir_fd=folder)


def remove_folder(out: Path, path: str) -> None:
    """Remove a folder that is empty."""
    with open_parent(out, path) as (folder, name):
        os.rmdir(name, dir_fd=folder)


def mount_of(path: Path) -> str:
    """Return the mount of a path, where the system reports it: a bind mount has the device of the rest."""
    lines: list[str] = []
    with suppress(OSError):
        handle = os.open(path, PLACE)
        try:
            lines = Path(f"/proc/self/fdinfo/{handle}").read_text(encoding="utf-8").splitlines()
        finally:
            os.close(handle)
    return next((line for line in lines if line.startswith("mnt_id:")), "")


THREADS = 8
ANYBODY = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH
MANY = 4
"""From here on, several threads wait for the disk: the disk can then do it in one go."""


def peek_file(out: Path, path: str, limit: int) -> bytes | None:
    """Return how a plain file of a folder begins, or None if there is none; no symlink is followed."""
    if find_path_fault(path) or any(path_kind(out / step) is not PathKind.FOLDER for step in parents(path)):
        return None
    return read_head(out / path, limit) if path_kind(out / path) is PathKind.FILE else None


def make_folders(path: Path, mode: int = FOLDER_MODE) -> list[Path]:
    """Make a folder and those above it, unless they are there, and return those that were made.

    What leads to them is the caller's. None is left if one cannot be made.
    """
    made: list[Path] = []
    try:
        for folder in (*reversed(path.parents), path):
            if not folder.is_dir():
                with disable_umask(), suppress(FileExistsError):
                    folder.mkdir(mode)
                    made.append(folder)
    except OSError:
        remove_empty_folders(made)
        raise
    return made


def remove_empty_folders(folders: Iterable[Path]) -> None:
    """Remove those of the folders that are empty, innermost first."""
    for folder in sorted(folders, reverse=True):
        with suppress(OSError):
            folder.rmdir()


def is_writable(path: Path) -> bool:
    """Return whether anybody may write a file; a folder around it may be written all the same."""
    return bool(path.stat().st_mode & ANYBODY)


def sync_files(paths: list[str]) -> None:
    """Wait until the files are on the disk."""
    if len(paths) < MANY:
        _sync_all(paths)
        return
    failed: list[OSError] = []

    def wait(some: list[str]) -> None:
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


def sync_folders(out: Path, paths: Iterable[str]) -> None:
    """Wait until the entries of those of the folders that are there are on the disk."""
    places = (f"{out}/{path}" for path in paths)
    sync_files([place for place in places if path_kind(place) is PathKind.FOLDER])


def _sync_all(paths: list[str]) -> None:
    for path in paths:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
