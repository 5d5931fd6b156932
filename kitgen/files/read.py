"""Read files that may be foreign, within bounds.

A device has no end, a pipe blocks, and a sparse file may claim a terabyte. So only regular files are read, no
symlink is followed unless the caller asks for it, and never more than the limit.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

from kitgen.files import reads

FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
MAX_BYTES = 8 * 1024 * 1024
"""For a spec."""
MAX_TOTAL = 32 * 1024 * 1024
"""For all specs together."""
LARGEST = 32 * 1024 * 1024
"""No file that is rendered is as large."""
OWN_LIMIT = 4 * 1024 * 1024
"""For what kitgen keeps for itself: a list of this size names far more files than a kit has."""


class NoPlainFileError(OSError):
    """There is something that is no file: a folder, a pipe, a device."""


class FileTooLargeError(OSError):
    """A file is bigger than any honest one."""


def read_file(path: Path | str, limit: int, *, links: bool = False, noted: bool = False) -> bytes:
    """Return what a plain file holds; OSError if it is none, or holds more than the limit.

    What the caller does not record itself cannot be compared later.
    """
    handle, size = _open_with_size(path, links=links, noted=noted)
    try:
        found = b"" if size > limit else _read_bytes(handle, limit + 1)
    finally:
        os.close(handle)
    if size > limit or len(found) > limit:
        raise FileTooLargeError(
            errno.EOVERFLOW, describe_excess_size(max(size, len(found)), limit), str(path)
        )
    return found


def open_regular_file(path: Path | str) -> BinaryIO:
    """Open a plain file, or one that a link leads to, however large it is; OSError if it is none."""
    return os.fdopen(_open_with_size(path, links=True)[0], "rb")


def read_head(path: Path | str, limit: int = LARGEST + 1) -> bytes:
    """Return how a plain file begins, as a rule all of it; OSError if it is none, or a symlink."""
    handle, _ = _open_with_size(path, links=False)
    try:
        return _read_bytes(handle, limit)
    finally:
        os.close(handle)


def describe_excess_size(size: int, limit: int) -> str:
    """Report how big a file is, and how big it may be."""
    return f"found {size / 1e6:.0f} MB, expected at most {limit / 1e6:.0f}"


def _open_with_size(path: Path | str, *, links: bool, noted: bool = False) -> tuple[int, int]:
    """Open a plain file and return its size too; merely opening a device or a pipe may do something."""
    if not noted:
        reads.note_unrecorded()
    mode = (os.stat if links else os.lstat)(path).st_mode
    if stat.S_ISREG(mode) or stat.S_ISLNK(mode):
        handle = os.open(path, FLAGS | (0 if links else os.O_NOFOLLOW))
        found = os.fstat(handle)
        if stat.S_ISREG(found.st_mode):
            return handle, found.st_size
        os.close(handle)
    raise NoPlainFileError(errno.EINVAL, "found something that is not a file", str(path))


def _read_bytes(handle: int, limit: int) -> bytes:
    parts = []
    while limit > 0 and (part := os.read(handle, min(limit, 1 << 20))):
        parts.append(part)
        limit -= len(part)
    return b"".join(parts)
