"""Snapshots as plain files in a folder, under the names that kitgen gives them.

The folder may come with a foreign kit: only regular files are read, and nothing is written through a symlink.
"""

from __future__ import annotations

import errno
import os
import warnings
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from syrupy.assertion import SnapshotAssertion
from syrupy.data import SnapshotCollections
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from kitgen.files.atomic import replace_file
from kitgen.files.paths import PathKind, parents, path_kind, wrap_os_errors
from kitgen.files.read import LARGEST, read_file
from kitgen.findings.errors import KitgenError
from kitgen.render.file_tree import FileTree

SUFFIXES = (".txt", ".yaml")
"""How snapshots end; whatever else lies among them is somebody else's."""


class SnapshotMismatch(NamedTuple):
    """A snapshot that is not as it should be."""

    path: str
    was: str | None
    """None for one that is missing, or that nothing renders any more."""
    now: str | None
    """None for one that nothing renders any more."""


class _Files(SingleFileSnapshotExtension):
    """One file a snapshot; its name is the path below the folder."""

    _write_mode = WriteMode.TEXT
    file_extension = ""
    folder: ClassVar[Path]
    failed: ClassVar[OSError | None] = None
    """Why one could not be written, which syrupy keeps to itself."""

    @classmethod
    def get_snapshot_name(cls, *, test_location: Any, index: Any = 0) -> str:
        return str(index)

    @classmethod
    def get_location(cls, *, test_location: Any, index: Any) -> str:
        return str(cls.folder / str(index))

    def read_snapshot_data_from_location(self, *, snapshot_location: str, **_: Any) -> str | None:
        """Read one whatever it holds, so that a damaged one can be written anew."""
        return _read_snapshot(Path(snapshot_location))

    _read_snapshot_data_from_location = read_snapshot_data_from_location
    """What syrupy 4 calls it."""

    @classmethod
    def write_snapshot(cls, **given: Any) -> None:
        """Write where reviewers look, which is not beside the test, and that is nothing to warn of."""
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", r"\s*Can not relate snapshot")
            super().write_snapshot(**given)

    @classmethod
    def write_snapshot_collection(cls, *, snapshot_collection: Any, **_: Any) -> None:
        """Write each at once: a run that is killed leaves none that is cut short."""
        (snapshot,) = snapshot_collection
        try:
            replace_file(Path(snapshot_collection.location), snapshot.data.encode())
        except OSError as error:
            cls.failed = error
            raise

    _write_snapshot_collection = write_snapshot_collection
    """What syrupy 4 calls it."""

    def discover_snapshots(self, *args: Any, **options: Any) -> SnapshotCollections:
        """Find none: `compare_snapshots` reports unused ones, since it knows all that are used."""
        return SnapshotCollections()


def compare_snapshots(
    folder: Path, made: FileTree, snapshot: SnapshotAssertion, *, update: bool
) -> list[SnapshotMismatch]:
    """Return the snapshots that are wrong; an update writes them and removes those that nothing renders."""
    files: type[_Files] = type("KitFiles", (_Files,), {"folder": folder})
    held = snapshot.use_extension(files)
    wrong = []
    with wrap_os_errors(f"{'write' if update else 'read'} snapshots"):
        for path, text in sorted(made.items()):
            _validate_path(folder, path)
            was = _read_snapshot(folder / path)
            if update and was != text:
                _require_writable(folder / path)
            if not held(name=path) == text:  # noqa: SIM201  what it compares with `!=` it does not write
                wrong.append(SnapshotMismatch(path, was, text))
        if wrong and update:
            raise files.failed or KitgenError(f"cannot write {folder / wrong[0].path}")
        unused = [path for path in _list_snapshots(folder) if path not in made]
        if update:
            _remove_files(folder, unused)
            return []
    return [*wrong, *(SnapshotMismatch(path, None, None) for path in unused)]


def _validate_path(folder: Path, path: str) -> None:
    """Raise if something else stands at the place of a snapshot, or on the way to it."""
    for place in (folder, *(folder / step for step in (*parents(path), path))):
        expected = PathKind.FILE if place == folder / path else PathKind.FOLDER
        if (found := path_kind(place)) not in (PathKind.MISSING, expected):
            name = place.relative_to(folder.parent)
            raise KitgenError(f"{name} is {found}, expected {expected}", hint="remove it")


def _require_writable(path: Path) -> None:
    """Raise if a file cannot be written: syrupy tries after the test, or keeps the error to itself."""
    if not os.access(next(each for each in (path, *path.parents) if each.exists()), os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))


def _read_snapshot(path: Path) -> str | None:
    try:
        text = read_file(path, LARGEST).decode(errors="backslashreplace")
    except FileNotFoundError:
        return None
    return text.replace("\r\n", "\n")


def _list_snapshots(folder: Path) -> list[str]:
    """Return what may be snapshots; hidden files are somebody else's."""
    paths = (path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.suffix in SUFFIXES)
    return sorted(
        path
        for path in paths
        if path_kind(folder / path) in (PathKind.FILE, PathKind.SYMLINK) and "/." not in f"/{path}"
    )


def _remove_files(folder: Path, paths: list[str]) -> None:
    """Remove files, and the folders that they leave empty."""
    for path in paths:
        (folder / path).unlink()
        for above in (folder / path).parents:
            if above == folder or any(above.iterdir()):
                break
            above.rmdir()
