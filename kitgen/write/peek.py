"""Read what lies in a rendered folder, without trusting it."""

from __future__ import annotations

import os
from pathlib import Path

from kitgen.write.paths import Kind, kind, parents, unsafe


def peek(out: Path, path: str, limit: int) -> bytes | None:
    """Return how a plain file begins, or None if there is none; no symlink is followed."""
    if unsafe(path) or any(kind(out / step) is not Kind.FOLDER for step in parents(path)):
        return None
    if kind(out / path) is not Kind.FILE:
        return None
    return head(out / path, limit)


def head(path: Path, limit: int) -> bytes:
    """Return how a file begins."""
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(handle, "rb", buffering=0) as stream:
        return stream.read(limit) or b""
