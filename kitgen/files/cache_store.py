"""The cache: results by the hash of all that went in, for the user who made them.

Its folder is that of the user, and nobody else may write to it. What an entry holds is data with a checksum:
reading one runs no code, and a damaged one counts for nothing. A cache that cannot be read or
written is no error.
"""

from __future__ import annotations

import os
import stat
import time
from contextlib import suppress
from typing import NamedTuple
from zlib import crc32

FOLDER = "kitgen"
SUFFIX = ".entry"
SUM = 4
MOST_BYTES = 256 * 1024 * 1024
"""What all entries together may take."""
MOST_ENTRIES = 20_000
LARGEST = 64 * 1024 * 1024
"""What one entry may hold."""
KEPT_DAYS = 30
"""How long an entry stays that nobody asks for."""
DAY = 24 * 60 * 60
OTHERS = stat.S_IWGRP | stat.S_IWOTH
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class CacheUse(NamedTuple):
    """How much a cache holds."""

    entries: int
    size: int


class CacheStore(NamedTuple):
    """A folder of entries."""

    folder: str

    def read(self, key: str) -> bytes | None:
        """Return what an entry holds, if it is there and whole."""
        path = self._path(key)
        try:
            content = _read_own_file(path)
        except OSError:
            return None
        found = memoryview(content)[SUM:]
        return bytes(found) if content[:SUM] == _checksum(key, found) else None

    def write(self, key: str, content: bytes) -> None:
        """Keep an entry; what is in the way of that is no error."""
        if len(content) > LARGEST:
            return
        waiting = f"{self.folder}/.{os.getpid()}.{key}"
        with suppress(OSError):
            handle = self._create(waiting)
            try:
                try:
                    _write_all(handle, _checksum(key, content), content)
                finally:
                    os.close(handle)
                os.rename(waiting, self._path(key))
            except OSError:
                os.unlink(waiting)
                raise
            if key.endswith("00"):  # now and then, since it takes a look at all
                self.remove_old()

    def _create(self, path: str) -> int:
        """Open a new file; if there is no folder, make it, for the user alone."""
        try:
            return os.open(path, _CREATE, 0o600)
        except FileNotFoundError:
            os.makedirs(self.folder, 0o700, exist_ok=True)
            return os.open(path, _CREATE, 0o600)

    def measure(self) -> CacheUse:
        """Return how much there is."""
        sizes = [found.st_size for _, found in self._list()]
        return CacheUse(len(sizes), sum(sizes))

    def clear(self) -> CacheUse:
        """Remove every entry; return how much that was."""
        gone = [(path, found) for path, found in self._list() if _remove(path)]
        return CacheUse(len(gone), sum(found.st_size for _, found in gone))

    def remove_old(self) -> None:
        """Remove what nobody has asked for in a while, and the oldest beyond the bounds."""
        now, size = time.time(), 0
        ordered = sorted(self._list(), key=lambda each: -each[1].st_mtime)
        for number, (path, found) in enumerate(ordered):
            size += found.st_size
            if number >= MOST_ENTRIES or size > MOST_BYTES or found.st_mtime < now - KEPT_DAYS * DAY:
                _remove(path)

    def _path(self, key: str) -> str:
        return f"{self.folder}/{key}{SUFFIX}"

    def _list(self) -> list[tuple[str, os.stat_result]]:
        try:
            with os.scandir(self.folder) as entries:
                return [
                    (each.path, each.stat(follow_symlinks=False))
                    for each in entries
                    if each.is_file(follow_symlinks=False)
                    and (each.name.endswith(SUFFIX) or each.name.startswith("."))
                ]
        except OSError:
            return []


def find_cache() -> CacheStore | None:
    """Return the user's cache; none if the user has no home."""
    home = os.environ.get("KITGEN_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME")
    home = home or os.path.expanduser("~/.cache")
    return None if home.startswith("~") else CacheStore(os.path.join(os.path.realpath(home), FOLDER))


def open_cache(root: str) -> CacheStore | None:
    """Return the user's cache for a kit; none if it could have come with the kit."""
    if (store := find_cache()) is None:
        return None
    repository = os.path.realpath(_find_repository(root))
    inside = store.folder == repository or store.folder.startswith(f"{repository.rstrip('/')}/")
    return None if inside or not _is_private(store.folder) else store


def _is_private(folder: str) -> bool:
    """Return whether a folder is the user's and nobody else may write to it, or is still to be made."""
    try:
        found = os.lstat(folder)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    mine = stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid()
    return mine and not found.st_mode & OTHERS


def _find_repository(root: str) -> str:
    """Return the folder that comes with a kit: its repository, or the kit alone."""
    place = root
    while not os.path.lexists(f"{place}/.git"):
        above = os.path.dirname(place)
        if above == place:
            return root
        place = above
    return place


def _read_own_file(path: str) -> bytes:
    """Return what a file holds that the user alone can have written; OSError if there is none."""
    handle = os.open(path, _READ)
    try:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & OTHERS:
            raise PermissionError(f"{path} is not the user's alone")
        if found.st_mtime < time.time() - DAY:
            os.utime(handle)  # somebody asks for it
        return os.read(handle, min(found.st_size, LARGEST) + SUM)
    finally:
        os.close(handle)


def _write_all(handle: int, *parts: bytes) -> None:
    for part in parts:
        rest = memoryview(part)
        while rest:
            rest = rest[os.write(handle, rest) :]


def _checksum(key: str, content: bytes | memoryview) -> bytes:
    return crc32(content, crc32(key.encode())).to_bytes(SUM, "big")


def _remove(path: str) -> bool:
    with suppress(OSError):
        os.unlink(path)
        return True
    return False
