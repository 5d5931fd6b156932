"""Create, replace or remove files that people own, all of them or none.

A change lists all texts that were read; if a file differs by now, somebody edited the kit meanwhile and the
change is refused. A journal of a foreign kit can only put specs into place, and remove specs whose content it
knows: neither hidden files nor programs. No trace is left behind.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path, PurePosixPath

from kitgen.files import journal
from kitgen.files.apply import apply_changes, is_owned_by_others, prepare_folder, repair_write
from kitgen.files.folders import is_writable, remove_file, remove_folder
from kitgen.files.lock import exclusive_lock
from kitgen.files.paths import (
    JOURNAL,
    LOCK,
    STATE,
    PathKind,
    find_path_fault,
    has_pending_write,
    has_state_folder,
    parents,
    path_kind,
    wrap_os_errors,
)
from kitgen.files.read import LARGEST, MAX_BYTES, read_file, read_head
from kitgen.files.root import MARK, PATH_SYMLINK
from kitgen.files.tree_changes import TreeChanges
from kitgen.findings import Origin
from kitgen.findings.errors import FindingsError, KitgenError


def require_unchanged(
    root: Path, read: Mapping[str, str] | Mapping[Path, str], new: Iterable[str] | Iterable[Path]
) -> None:
    """Raise if a file does not hold the text that was read, or one is there that was not."""
    for path, text in read.items():
        try:
            same = read_file(root / path, LARGEST, links=True) == text.encode()
        except OSError:
            same = False
        if not same:
            raise make_changed_error(root / path)
    for path in new:
        if path not in read and os.path.lexists(root / path):
            raise make_changed_error(root / path)


def make_changed_error(path: Path) -> KitgenError:
    """Return the error for a file that is not as it was read."""
    return KitgenError(f"{path} was changed meanwhile", hint="run the command again")


ENDINGS = (".yaml", ".yml", ".json")
STARTED = frozenset(
    {
        ".gitattributes",
        ".github/workflows/kitgen.yml",
        ".gitignore",
        ".gitlab-ci.yml",
        "README.md",
        "pytest.ini",
    }
)
"""What a new kit holds beside specs; it is never replaced or removed."""


def change_files(root: Path, read: Mapping[str, str], wanted: Mapping[str, str | None]) -> None:
    """Make files below a folder hold the wanted texts, and remove those for which that is None.

    `read` has the texts that the change goes by. No symlink is followed to what is written.
    """
    with wrap_os_errors(f"write {root}"):
        _require_valid_paths(root, wanted)
        with prepare_folder(root), exclusive_lock(root):
            try:
                _repair_change(root)
                require_unchanged(root, read, wanted)
                _require_valid_paths(root, wanted)
                _write_changes(root, read, wanted)
            finally:
                _remove_state_folder(root)


def _write_changes(root: Path, read: Mapping[str, str], wanted: Mapping[str, str | None]) -> None:
    if stale := {path: text for path, text in wanted.items() if text != read.get(path)}:
        write = {path: text.encode() for path, text in stale.items() if text is not None}
        gone = tuple(sorted(path for path, text in stale.items() if text is None))
        _require_permissions(root, [path for path in write if path in read], gone)
        before = {path: _hash_content(read[path].encode()) if path in read else "" for path in stale}
        apply_changes(
            TreeChanges(out=root, contents=write, delete=gone),
            _build_unchanged_check(root, before),
            before,
            partial(require_unchanged, root, read, wanted),
        )
        for path in gone:
            if (
                path_kind(root / path) is not PathKind.MISSING
            ):  # it was edited at the very last moment, and stays
                raise make_changed_error(root / path)
        _remove_empty_folders(root, gone)


def _require_permissions(root: Path, edited: Iterable[str], gone: tuple[str, ...]) -> None:
    """Raise if a file is read-only, or a folder cannot go that nothing will be left in."""
    for path in edited:
        if not is_writable(root / path):
            raise KitgenError(f"cannot write {root / path}: it is read-only", hint=f"chmod u+w {path}")
    going = {*gone}
    for folder in sorted(journal.list_parent_folders(gone), reverse=True):
        place = root / folder
        if path_kind(place) is PathKind.FOLDER and all(
            f"{folder}/{each.name}" in going for each in place.iterdir()
        ):
            going.add(folder)
            if is_owned_by_others(place):
                raise PermissionError(errno.EPERM, os.strerror(errno.EPERM), str(place))


def _build_unchanged_check(root: Path, before: Mapping[str, str]) -> journal.May:
    """Return a function that decides whether a file is unchanged; what was edited since stays."""
    return lambda path: _hash_file(root / path) == before.get(path)


def _remove_empty_folders(root: Path, gone: Iterable[str]) -> None:
    """Remove folders that nothing is left in; one that cannot be would stand for a spec without files."""
    for folder in sorted(journal.list_parent_folders(gone), reverse=True):
        if path_kind(root / folder) is PathKind.FOLDER and not any((root / folder).iterdir()):
            try:
                remove_folder(root, folder)
            except OSError as error:
                reason = (error.strerror or str(error)).lower()
                raise KitgenError(
                    f"removed all files of {root / folder}, but cannot remove the folder: {reason}",
                    hint="remove it, or kitgen takes it for a spec",
                ) from error


def recover_change(root: Path) -> None:
    """Finish or drop a change that was cut short."""
    with wrap_os_errors(f"repair {root}"):
        if not has_state_folder(root):
            return
        if has_pending_write(root):
            with exclusive_lock(root):
                _repair_change(root)
                _remove_state_folder(root)
        elif all(each == root / LOCK for each in (root / STATE).iterdir()):
            with (
                suppress(OSError),
                exclusive_lock(root),
            ):  # traces are no obstacle where nothing may be written
                _remove_state_folder(root)


def _repair_change(root: Path) -> None:
    todo = (
        journal.read_journal(root)
        if path_kind(root / JOURNAL) is PathKind.FILE
        else journal.Journal(write=(), delete=())
    )
    foreign = [path for path in (*todo.write, *todo.delete) if not _is_spec_path(path)]
    if not all(map(todo.before.get, todo.delete)) or not (not foreign or _is_new_kit(root, todo, foreign)):
        raise KitgenError(f"found a change in {root / JOURNAL} that is not kitgen's", hint="delete it")
    same = _build_unchanged_check(root, todo.before)
    for path in todo.delete:
        if not find_path_fault(path) and path_kind(root / path) is not PathKind.MISSING and not same(path):
            raise journal.make_changed_since_error(root, path)
    repair_write(root, same)
    _remove_empty_folders(root, todo.delete)


def _is_spec_path(path: str) -> bool:
    return not any(step.startswith(".") for step in path.split("/")) and PurePosixPath(path).suffix in ENDINGS


def _is_new_kit(root: Path, todo: journal.Journal, paths: Iterable[str]) -> bool:
    """Return whether paths are those of a new kit, and all that is pending is for a folder without a kit."""
    waits = any(
        path_kind(root / journal.staged_path(index)) is PathKind.FILE for index, _ in enumerate(todo.write)
    )
    new = not todo.delete and all(path in STARTED and not todo.before.get(path) for path in paths)
    return new and (not waits or path_kind(root / MARK) is PathKind.MISSING)


def _hash_file(path: Path) -> str:
    """Return a hash of what a file holds; empty if there is no file."""
    return _hash_content(read_head(path, MAX_BYTES + 1)) if path_kind(path) is PathKind.FILE else ""


def _hash_content(content: bytes) -> str:
    from hashlib import blake2b

    return blake2b(content, digest_size=32).hexdigest()


def _require_valid_paths(root: Path, wanted: Mapping[str, str | None]) -> None:
    """Raise if something stands in the way."""
    if path_kind(root) is PathKind.SYMLINK:
        problem = PATH_SYMLINK(
            "found a symlink, expected a folder", hint="name the folder that it points to", line=1
        )
        raise FindingsError([problem.to_finding(Origin(root.name))], root.absolute().parent)
    for path, text in wanted.items():
        new = text is not None and path in STARTED and path_kind(root / path) is PathKind.MISSING
        if not new and not _is_spec_path(path):
            raise KitgenError(f"cannot write {root / path}: expected the path of a spec")
        for step in (STATE, *parents(path), path):
            if (found := path_kind(root / step)) is PathKind.SYMLINK:
                message = f"found a symlink on the way to {path!r}"
                hint = "remove it; kitgen follows no symlinks"
                raise FindingsError([PATH_SYMLINK(message, hint=hint, line=1).to_finding(Origin(step))], root)
            if found not in (PathKind.MISSING, PathKind.FILE if step == path else PathKind.FOLDER):
                expected = "a file" if step == path else "a folder"
                raise KitgenError(f"cannot write {root / path}: {step} is {found}, expected {expected}")


def _remove_state_folder(root: Path) -> None:
    """Remove what is kitgen's own, unless a change waits to be finished; the caller holds the lock."""
    if not has_pending_write(root):
        with suppress(OSError):  # somebody waits for the lock, or keeps something there
            remove_file(root, LOCK)
            remove_folder(root, STATE)
