"""The cache: results by the hash of all that went in, for the user who made them.

Its folder is that of the user, and nobody else may write to it. What an entry holds is data, checked by its
digest: reading one runs no code, and a damaged one counts for nothing. A cache that cannot be read or
written is no error.
"""

from __future__ import annotations

import os
import stat
import time
import zlib
from contextlib import suppress
from hashlib import blake2b
from typing import NamedTuple

FOLDER = "kitgen"
SUFFIX = ".entry"
DIGEST = 20
MOST_BYTES = 256 * 1024 * 1024
"""What all entries together may take."""
MOST_ENTRIES = 4_000
LARGEST = 64 * 1024 * 1024
"""What one entry may hold."""
KEPT_DAYS = 30
"""How long an entry stays that nobody asks for."""
DAY = 24 * 60 * 60
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
            if content is None:
                return None
            digest, body = content[:DIGEST], content[DIGEST:]
            if digest != _digest(key, body):
                return None
            unpacked = zlib.decompressobj()
            found = unpacked.decompress(body, LARGEST)
            if not unpacked.eof:
                return None
            if os.stat(path).st_mtime < time.time() - DAY:
                os.utime(path)
        except (OSError, zlib.error):
            return None
        return found

    def write(self, key: str, content: bytes) -> None:
        """Keep an entry; what is in the way of that is no error."""
        if len(content) > LARGEST:
            return
        body = zlib.compress(content, 1)
        waiting = f"{self.folder}/.{os.urandom(16).hex()}"
        with suppress(OSError):
            self._make_folder()
            handle = os.open(waiting, _CREATE, 0o600)
            try:
                try:
                    _write_all(handle, _digest(key, body) + body)
                finally:
                    os.close(handle)
                os.rename(waiting, self._path(key))
            except OSError:
                os.unlink(waiting)
                raise
            if key.endswith("0"):  # now and then, since it takes a look at all
                self.remove_old()

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

    def _make_folder(self) -> None:
        """Make the folder for the user alone, and refuse one that others can write to."""
        os.makedirs(self.folder, 0o700, exist_ok=True)
        found = os.lstat(self.folder)
        mine = stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid()
        if not mine or found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            raise PermissionError(f"{self.folder} is not the user's alone")

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
    return None if home.startswith("~") else CacheStore(os.path.realpath(os.path.join(home, FOLDER)))


def open_cache(root: str) -> CacheStore | None:
    """Return the user's cache for a kit; none if it could have come with the kit."""
    if (store := find_cache()) is None:
        return None
    repository = os.path.realpath(_find_repository(root))
    inside = store.folder == repository or store.folder.startswith(f"{repository.rstrip('/')}/")
    return None if inside else store


def _find_repository(root: str) -> str:
    """Return the folder that comes with a kit: its repository, or the kit alone."""
    place = root
    while not os.path.lexists(f"{place}/.git"):
        above = os.path.dirname(place)
        if above == place:
            return root
        place = above
    return place


def _read_own_file(path: str) -> bytes | None:
    """Return what a file holds that the user alone can have written."""
    handle = os.open(path, _READ)
    try:
        found = os.fstat(handle)
        others = stat.S_IWGRP | stat.S_IWOTH
        if not stat.S_ISREG(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & others:
            return None
        if found.st_size > LARGEST:
            return None
        parts = []
        while part := os.read(handle, LARGEST):
            parts.append(part)
        return b"".join(parts)
    finally:
        os.close(handle)


def _write_all(handle: int, content: bytes) -> None:
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(handle, rest) :]


def _digest(key: str, body: bytes) -> bytes:
    return blake2b(body, digest_size=DIGEST, key=key.encode()[:64]).digest()


def _remove(path: str) -> bool:
    with suppress(OSError):
        os.unlink(path)
        return True
    return False
