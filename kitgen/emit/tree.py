"""A file tree: relative paths and their text."""

from __future__ import annotations

from typing import TypeAlias

from kitgen.root import BASES

FileTree: TypeAlias = dict[str, str]


def below(folder: str, files: FileTree) -> FileTree:
    """Return the files one folder deeper."""
    return {f"{folder}/{path}": text for path, text in files.items()}


def base_folder(component: str, version: str, newest: str) -> str:
    """Return a base's folder. The newest version gets the plain name, so that most paths never change.

    No component has an underscore in its name, so an older version never gets another one's folder.
    """
    return f"{BASES}/{component}" + ("" if version == newest else f"_{version}")


def component_of(path: str) -> str:
    """Return the component of a file in a base, or in a target's folder: TARGET/NAME/…."""
    return path.partition("/")[2].partition("/")[0].partition("_")[0]
