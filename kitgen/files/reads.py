"""What a command reads of a kit: recorded while it runs, and compared with the disk later.

It imports nothing of kitgen, because what was recorded is looked at before anything else.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

try:
    from _blake2 import blake2b  # without OpenSSL, which hashlib loads besides
except ImportError:
    from hashlib import blake2b

ABSENT, FOLDER, FILE = "absent", "folder", "file"
"""What a path leads to. Links lead elsewhere, and are never compared."""


class ReadLog:
    """Everything that was read, by path: digests of contents and of names in folders, and what is there."""

    def __init__(self) -> None:
        self.contents: dict[str, str] = {}
        self.names: dict[str, str] = {}
        self.kinds: dict[str, str] = {}
        self.is_complete = True
        """Whether nothing else was read, such as files of others, or what a program wrote."""

    def add_content(self, root: str, name: str, content: bytes | None) -> None:
        """Add what a file of a folder holds, or is about to hold; None if there is no such file."""
        self.add_hash(root, name, ABSENT if content is None else hash_bytes(content))

    def add_hash(self, root: str, name: str, found: str) -> None:
        """Add the hash of what a file of a folder holds, or is about to hold."""
        self.add_folders(root, name)
        self.contents[f"{root}/{name}"] = found

    def add_folders(self, root: str, name: str) -> None:
        """Add the folders on the way to a file: one of them may become a link."""
        while name := name.rpartition("/")[0]:
            if (folder := f"{root}/{name}") in self.kinds:
                return
            self.kinds[folder] = _find_kind(folder)


_log: ReadLog | None = None
"""That of the command that runs, if what it reads is recorded."""


@contextmanager
def record_reads() -> Iterator[ReadLog]:
    """Record what is read from here on."""
    global _log  # noqa: PLW0603 # a command is recorded as a whole, wherever it reads
    _log = log = ReadLog()
    try:
        yield log
    finally:
        _log = None


def note_content(root: str, name: str, content: bytes | None) -> None:
    """Record what a file of a folder holds; None if there is no such file."""
    if _log is not None:
        _log.add_content(root, name, content)


def note_names(root: str, folder: str, names: Iterable[str]) -> None:
    """Record the names in a folder of a folder."""
    if _log is not None:
        _log.add_folders(root, f"{folder}/")
        _log.names[f"{root}/{folder}"] = _hash_names(names)


def note_kind(path: str) -> None:
    """Record what a path leads to."""
    if _log is not None:
        _log.kinds[path] = _find_kind(path)


def note_unrecorded() -> None:
    """Record that something was read that cannot be compared later."""
    if _log is not None:
        _log.is_complete = False


def copy_log() -> ReadLog | None:
    """Return what was read so far, if that is recorded and can all be compared later."""
    if _log is None or not _log.is_complete:
        return None
    copied = ReadLog()
    copied.contents, copied.names, copied.kinds = {**_log.contents}, {**_log.names}, {**_log.kinds}
    return copied


def take_log() -> tuple[dict[str, str], dict[str, str], dict[str, str], bool] | None:
    """Return what was read so far, if that is recorded, and forget it: whoever takes it adds it elsewhere."""
    global _log  # noqa: PLW0603 # as above
    if (log := _log) is None:
        return None
    _log = ReadLog()
    return log.contents, log.names, log.kinds, log.is_complete


def add_log(taken: tuple[dict[str, str], dict[str, str], dict[str, str], bool] | None) -> None:
    """Record what was taken from the log of another process."""
    if _log is None or taken is None:
        return
    contents, names, kinds, is_complete = taken
    _log.contents |= contents
    _log.names |= names
    _log.kinds |= kinds
    _log.is_complete &= is_complete


def is_unchanged(contents: Mapping[str, str], names: Mapping[str, str], kinds: Mapping[str, str]) -> bool:
    """Return whether the disk still has what was recorded."""
    return (
        all(kind and _find_kind(path) == kind for path, kind in kinds.items())
        and all(_hash_names(_list_names(folder)) == known for folder, known in names.items())
        and all(_hash_content(path) == known for path, known in contents.items())
    )


def hash_bytes(content: bytes) -> str:
    """Return the digest of some content."""
    return blake2b(content, digest_size=20).hexdigest()


def _hash_names(names: Iterable[str]) -> str:
    return hash_bytes("\0".join(sorted(names)).encode(errors="surrogateescape"))


def _list_names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _find_kind(path: str) -> str:
    """Return what a path leads to; empty if that is neither a file nor a folder, and is never compared."""
    try:
        mode = os.lstat(path).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return ABSENT
    except (OSError, ValueError):
        return ""
    return FOLDER if stat.S_ISDIR(mode) else FILE if stat.S_ISREG(mode) else ""


def _hash_content(path: str) -> str:
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return ABSENT
    except OSError:
        return ""
    try:
        found = os.fstat(handle)
        return hash_bytes(os.read(handle, found.st_size + 1)) if stat.S_ISREG(found.st_mode) else ""
    finally:
        os.close(handle)
