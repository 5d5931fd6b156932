"""Change what is below a folder, and nothing else: the way is opened step by step.

A symlink on the way is an error, even one that somebody puts there after all was looked at: what is open
stays the same folder, whatever its path leads to by then.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import groupby
from pathlib import Path

from kitgen.write.paths import FILE_MODE, FOLDER_MODE

FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
FRESH = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
PLACE = getattr(os, "O_PATH", os.O_RDONLY | os.O_NONBLOCK) | os.O_NOFOLLOW | os.O_CLOEXEC


@contextmanager
def fixed_modes() -> Iterator[None]:
    """Let what is made have its mode from the first moment on, whatever the umask."""
    before = os.umask(0)
    try:
        yield
    finally:
        os.umask(before)


@contextmanager
def above(out: Path, path: str) -> Iterator[tuple[int, str]]:
    """Open the folder that holds a path below `out`, for as long as it is needed; yield it and the name."""
    folder, _, name = path.rpartition("/")
    with named(out / path), _opened(out, folder) as handle:
        yield handle, name


@contextmanager
def _opened(out: Path, folder: str) -> Iterator[int]:
    handle = -1
    try:
        with named(out / folder):
            handle = os.open(out, FOLDER)
            for step in folder.split("/") if folder else ():
                outer, handle = handle, os.open(step, FOLDER, dir_fd=handle)
                os.close(outer)
        yield handle
    finally:
        if handle >= 0:
            os.close(handle)


@contextmanager
def named(place: Path) -> Iterator[None]:
    """Let an error say which place it is about."""
    try:
        yield
    except OSError as error:
        error.filename = str(place)
        raise


def write_file(out: Path, path: str, content: bytes, *, sync: bool = False, mode: int = FILE_MODE) -> None:
    """Write a file that is not there yet; a link or file that somebody put there is an error."""
    with above(out, path) as (folder, name), fixed_modes():
        _write(folder, name, content, sync=sync, mode=mode)


def write_files(out: Path, folder: str, files: Iterable[tuple[str, bytes, int]]) -> None:
    """Write files into one folder, each by its name, with its mode; the way to it is opened once."""
    with _opened(out, folder) as handle, fixed_modes():
        for name, content, mode in files:
            with named(out / folder / name):
                _write(handle, name, content, mode=mode)


def _write(folder: int, name: str, content: bytes, *, sync: bool = False, mode: int = FILE_MODE) -> None:
    handle = os.open(name, FRESH, mode, dir_fd=folder)
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
    with above(out, path) as (folder, name), fixed_modes(), suppress(FileExistsError):
        os.mkdir(name, FOLDER_MODE, dir_fd=folder)


def move(out: Path, path: str, target: str) -> None:
    """Put a file into another place, at once, and over a file that is there."""
    with above(out, path) as (source, name), above(out, target) as (folder, other):
        os.rename(name, other, src_dir_fd=source, dst_dir_fd=folder)


def move_files(out: Path, folder: str, places: Iterable[tuple[str, str]]) -> None:
    """Put files of one folder into their places; the way to those that go into one folder is opened once."""
    with _opened(out, folder) as source:
        for target, some in groupby(places, key=lambda each: each[1].rpartition("/")[0]):
            with _opened(out, target) as handle:
                for name, path in some:
                    with named(out / path):
                        os.rename(name, path.rpartition("/")[2], src_dir_fd=source, dst_dir_fd=handle)


def remove(out: Path, path: str) -> None:
    """Remove a file or a symlink."""
    with above(out, path) as (folder, name):
        os.unlink(name, dir_fd=folder)


def remove_folder(out: Path, path: str) -> None:
    """Remove a folder that is empty."""
    with above(out, path) as (folder, name):
        os.rmdir(name, dir_fd=folder)


def mount_of(path: Path) -> str:
    """Tell on which mount a path is, where the system says so: a bind mount has the device of the rest."""
    try:
        handle = os.open(path, PLACE)
    except OSError:
        return ""
    try:
        lines = Path(f"/proc/self/fdinfo/{handle}").read_text(encoding="utf-8").splitlines()
    except OSError:
        return ""
    finally:
        os.close(handle)
    return next((line for line in lines if line.startswith("mnt_id:")), "")
