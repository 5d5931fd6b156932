"""Judge whether a file may be changed: the list names it, and its content does not speak against it.

The list may come with somebody else's kit, so it alone does not make a file kitgen's.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path
from typing import TypeAlias

from kitgen.write.paths import Kind, kind
from kitgen.write.peek import head

HEAD = 4096
Ours: TypeAlias = Callable[[str, bytes], bool]
"""Judges a file by its path and by how it begins."""


def anything(_path: str, _head: bytes) -> bool:
    """Take every file that the list names as written by kitgen."""
    return True


def is_ours(out: Path, path: str, listed: Collection[str], ours: Ours) -> bool:
    """Tell whether a path is listed and the file there, if there is one, was written by kitgen."""
    if path not in listed:
        return False
    return ours is anything or kind(out / path) is not Kind.FILE or ours(path, head(out / path, HEAD))
