"""A file tree: relative paths and their text."""

from __future__ import annotations

from typing import TypeAlias

FileTree: TypeAlias = dict[str, str]


def below(folder: str, files: FileTree) -> FileTree:
    """Return the files one folder deeper."""
    return {f"{folder}/{path}": text for path, text in files.items()}
