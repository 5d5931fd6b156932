"""Apply changes to a tree: stage everything, commit with one rename, then move files into place."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import chain
from pathlib import Path

from kitgen.files import journal
from kitgen.files.folders import (
    make_folder,
    make_folders,
    mount_of,
    remove_empty_folders,
    remove_file,
    sync_files,
    write_files,
)
from kitgen.files.generated_files import is_managed_file, read_listing
from kitgen.files.lock import exclusive_lock
from kitgen.files.paths import (
    FILE_MODE,
    JOURNAL,
    LISTING,
    LOCK,
    STAGE,
    STATE,
    PathKind,
    has_pending_write,
    has_state_folder,
    parents,
    path_kind,
    wrap_os_errors,
)
from kitgen.files.root import MARK
from kitgen.files.tree_changes import TreeChanges, compare_locked_tree
from kitgen.findings.errors import FindingsError, KitgenError


def apply_tree(
    tree: Mapping[str, bytes | str],
    out: Path,
    *,
    scope: tuple[str, ...] = (),
    waiting: Callable[[], None] | None = None,
) -> TreeChanges:
    """Make the folder hold the tree and return what that took.

    `scope` names the folders and files that the tree speaks for; the rest stays as it is. `waiting` is
    called once if another write is under way. Raises `FindingsError` if anything stands in the way.
    """
    with open_changes(tree, out, scope=scope, waiting=waiting) as changes:
        write_changes(changes)
    return changes


@contextmanager
def open_changes(
    tree: Mapping[str, bytes | str],
    out: Path,
    *,
    scope: tuple[str, ...] = (),
    waiting: Callable[[], None] | None = None,
) -> Iterator[TreeChanges]:
    """Compare a tree with the folder, which nobody else writes until the changes are written or dropped."""
    with wrap_os_errors("write the folder"):
        if not has_state_folder(out):
            _raise_findings(compare_locked_tree(tree, out, scope))  # before the first trace is left
        with prepare_folder(out), exclusive_lock(out, waiting):
            repair_write(out, _build_owner_check(out))
            changes = compare_locked_tree(tree, out, scope)
            _raise_findings(changes)
            yield changes


def write_changes(changes: TreeChanges) -> None:
    """Write what was compared, while nobody else does."""
    if changes.has_changes:
        apply_changes(changes, _build_owner_check(changes.out))


def recover_write(out: Path) -> bool:
    """Finish or drop an interrupted write; return whether there was one."""
    with wrap_os_errors("repair the folder"):
        if not has_state_folder(out) or not has_pending_write(out):
            return False
        with exclusive_lock(out):
            return repair_write(out, _build_owner_check(out))


def _build_owner_check(out: Path) -> journal.May:
    """Return a function that decides whether kitgen wrote a file: by the list, and by its header."""
    listed = read_listing(out)
    return lambda path: is_managed_file(out, path, listed)


def repair_write(out: Path, may: journal.May) -> bool:
    """Finish or drop a write that was cut short, if one was; the caller holds the lock."""
    if not has_pending_write(out):
        return False
    match path_kind(out / JOURNAL):
        case PathKind.FILE if path_kind(out / STAGE) in (PathKind.FOLDER, PathKind.MISSING):
            journal.finish_write(out, journal.read_journal(out), may)
        case PathKind.MISSING:
            journal.drop_staged_write(out)
        case _:
            raise KitgenError(f"cannot read {out / JOURNAL}", hint="delete it, then render again")
    return True


def _raise_findings(changes: TreeChanges) -> None:
    if changes.findings:
        raise FindingsError(changes.findings, changes.out.absolute().parent)


@contextmanager
def prepare_folder(out: Path) -> Iterator[None]:
    """Make the folder and the one that kitgen keeps for itself; a first write that fails leaves neither."""
    made = make_folders(out / STATE)
    try:
        yield
    except BaseException:
        if made and not has_pending_write(out) and path_kind(out / LISTING) is PathKind.MISSING:
            with suppress(OSError):
                remove_file(out, LOCK)
            remove_empty_folders(made)
        raise


def apply_changes(
    changes: TreeChanges,
    may: journal.May,
    before: Mapping[str, str] | None = None,
    verify: Callable[[], None] = lambda: None,
) -> None:
    """Stage what is to change, commit to it, and do it; the caller holds the lock.

    `verify` is called once all is on the disk, which takes a while; if it raises, nothing is changed.
    """
    out = changes.out
    # The list comes last, so that whoever looks in between finds every file that it names; and the mark of a
    # kit nearly so, for what is half there is none.
    todo = journal.Journal(
        write=tuple(sorted(changes.contents, key=lambda path: (path.startswith(STATE), path == MARK, path))),
        delete=changes.delete,
        before=before or {},
    )
    try:
        _require_write_access(out, todo)
        _stage_files(changes, todo)
        journal.write_journal(out, todo)
        verify()
    except BaseException:
        journal.cancel_write(out)
        raise
    journal.finish_write(out, todo, may)


def _require_write_access(out: Path, todo: journal.Journal) -> None:
    """Raise unless all that will change may be changed, by a move; later it would be too late."""
    paths = (*todo.write, *todo.delete)
    home = _disk_of(out)
    wanted = ("", STATE, *journal.list_parent_folders(paths), *paths)
    for place in [out / path for path in wanted if path_kind(f"{out}/{path}") is not PathKind.MISSING]:
        if (found := path_kind(place)) is PathKind.FOLDER and not os.access(place, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(place))
        if found in (PathKind.FOLDER, PathKind.FILE) and _disk_of(place) != home:
            raise OSError(errno.EXDEV, os.strerror(errno.EXDEV), str(place))
        if found is PathKind.FILE and is_owned_by_others(place):
            raise PermissionError(errno.EPERM, os.strerror(errno.EPERM), str(place))


def is_owned_by_others(place: Path) -> bool:
    """Return whether a place is in a sticky folder, where only its owner and the folder's may replace it."""
    folder, me = place.parent.lstat(), os.geteuid()
    return bool(folder.st_mode & stat.S_ISVTX) and me not in (0, folder.st_uid, place.lstat().st_uid)


def _disk_of(place: Path) -> tuple[int, str]:
    return place.lstat().st_dev, mount_of(place)


def _stage_files(changes: TreeChanges, todo: journal.Journal) -> None:
    """Put all that is new on the disk, folders included, so that nothing can run short later."""
    out = changes.out
    make_folder(out, STAGE)
    folders = journal.list_parent_folders(todo.write)
    missing = [folder for folder in folders if path_kind(f"{out}/{folder}") is PathKind.MISSING]
    # Where a file gives way to a folder, the folder has to wait for it.
    blocked = tuple(path for path in todo.delete if path in folders)
    missing = [folder for folder in missing if not any(step in blocked for step in parents(folder))]
    made = "".join(f"{folder}\n" for folder in missing).encode()
    fresh = (
        (str(index), changes.contents[path], _get_file_mode(out / path) if todo.before else FILE_MODE)
        for index, path in enumerate(todo.write)
    )
    write_files(out, STAGE, chain([(journal.FOLDERS, made, FILE_MODE)], fresh))
    for folder in missing:
        make_folder(out, folder)
    sync_files([f"{out}/{journal.staged_path(index)}" for index in range(len(todo.write))])


def _get_file_mode(place: Path) -> int:
    """Return the mode of a file of people's, which it keeps."""
    return stat.S_IMODE(place.lstat().st_mode) if path_kind(place) is PathKind.FILE else FILE_MODE
