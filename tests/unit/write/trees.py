"""Make and look at folders."""

from collections.abc import Mapping
from pathlib import Path


def fill(folder: Path, tree: Mapping[str, str]) -> None:
    for path, text in tree.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")


def files_of(folder: Path) -> dict[str, str]:
    """Return every file but kitgen's own."""
    return {
        path: file.read_text(encoding="utf-8")
        for file in sorted(folder.rglob("*"))
        if file.is_file() and not (path := file.relative_to(folder).as_posix()).startswith(".kitgen/")
    }


def snapshot(folder: Path) -> dict[str, int]:
    """Return when each file and folder last changed."""
    return {
        "" if path == folder else path.relative_to(folder).as_posix(): path.lstat().st_mtime_ns
        for path in [folder, *folder.rglob("*")]
    }
