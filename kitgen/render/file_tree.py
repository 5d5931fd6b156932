"""A file tree in memory: relative paths and their text."""

from __future__ import annotations

from typing import TypeAlias

FileTree: TypeAlias = dict[str, str]


def nest_files(folder: str, files: FileTree) -> FileTree:
    """Return the files one folder deeper."""
    return {f"{folder}/{path}": text for path, text in files.items()}


def component_of(path: str) -> str:
    """Return the component of a file in a base or in a target's folder: TARGET/NAME/…."""
    return path.partition("/")[2].partition("/")[0]
