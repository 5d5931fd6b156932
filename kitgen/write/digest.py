"""Hash what kitgen wrote into a folder."""

from __future__ import annotations

import os
from hashlib import blake2b
from pathlib import Path

from kitgen.write.listing import read_listing
from kitgen.write.paths import IGNORE, JOURNAL, LISTING, STAGE, Kind, environment, kind, unsafe


def digest(out: Path) -> str:
    """Return a hash of the listed files as they are on disk; any edit, loss or half-done write shows."""
    total = blake2b(digest_size=32)
    with environment("read the folder"):
        listed = [path for path in read_listing(out) if not unsafe(path)]
        for path in (*listed, LISTING, IGNORE):
            content = _content(f"{out}/{path}")
            total.update(f"{path}\0{len(content)}\0".encode(errors="surrogateescape"))
            total.update(content)
        half_done = kind(out / JOURNAL) is not Kind.MISSING or kind(out / STAGE) is not Kind.MISSING
    total.update(b"half done" if half_done else b"")
    return total.hexdigest()


def _content(file: str) -> bytes:
    """Return a file's bytes, or what stands there instead; never wait for a pipe or follow a symlink."""
    what = kind(file)
    if what is not Kind.FILE:
        return f"\0{what}".encode()
    handle = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(handle, "rb", buffering=0) as stream:
        return stream.readall()
