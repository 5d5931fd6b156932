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
    remove,
    remove_empty,
    sync_files,
    write_files,
)
from kitgen.files.generated_files import is_ours, read_listing
from kitgen.files.lock import exclusive
from kitgen.files.paths import (
    FILE_MODE,
    JOURNAL,
    LISTING,
    LOCK,
    STAGE,
    STATE,
    PathKind,
    environment,
    half_done,
    has_state,
    kind,
    parents,
)
from kitgen.files.root import MARK
from kitgen.files.tree_changes import TreeChanges, compared
from kitgen.findings.errors import FindingsError, KitgenError


def apply(
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
    with environment("write the folder"):
        if not has_state(out):
            _refuse(compared(tree, out, scope))  # before the first trace is left
        with started(out), exclusive(out, waiting):
            repair(out, _listed(out))
            changes = compared(tree, out, scope)
            _refuse(changes)
            if changes.stale:
                carry_out(changes, _listed(out))
    return changes


def recover(out: Path) -> bool:
    """Finish or drop an interrupted write; return whether there was one."""
    with environment("repair the folder"):
        if not has_state(out) or not half_done(out):
            return False
        with exclusive(out):
            return repair(out, _listed(out))


def _listed(out: Path) -> journal.May:
    """Return a function that decides whether kitgen wrote a file: by the list, and by its header."""
    listed = read_listing(out)
    return lambda path: is_ours(out, path, listed)


def repair(out: Path, may: journal.May) -> bool:
    """Finish or drop a write that was cut short, if one was; the caller holds the lock."""
    if not half_done(out):
        return False
    match kind(out / JOURNAL):
        case PathKind.FILE if kind(out / STAGE) in (PathKind.FOLDER, PathKind.MISSING):
            journal.finish(out, journal.load(out), may)
        case PathKind.MISSING:
            journal.drop(out)
        case _:
            raise KitgenError(f"cannot read {out / JOURNAL}", hint="delete it, then render again")
    return True


def _refuse(changes: TreeChanges) -> None:
    if changes.findings:
        raise FindingsError(changes.findings, changes.out.absolute().parent)


@contextmanager
def started(out: Path) -> Iterator[None]:
    """Make the folder and the one that kitgen keeps for itself; a first write that fails leaves neither."""
    made = make_folders(out / STATE)
    try:
        yield
    except BaseException:
        if made and not half_done(out) and kind(out / LISTING) is PathKind.MISSING:
            with suppress(OSError):
                remove(out, LOCK)
            remove_empty(made)
        raise


def carry_out(
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
        _check_places(out, todo)
        _stage(changes, todo)
        journal.commit(out, todo)
        verify()
    except BaseException:
        journal.withdraw(out)
        raise
    journal.finish(out, todo, may)


def _check_places(out: Path, todo: journal.Journal) -> None:
    """Raise unless all that will change may be changed, by a move; later it would be too late."""
    paths = (*todo.write, *todo.delete)
    home = _disk(out)
    for path in ("", STATE, *journal.folders_of(paths), *paths):
        place = out / path
        if (found := kind(place)) is PathKind.FOLDER and not os.access(place, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(place))
        if found in (PathKind.FOLDER, PathKind.FILE) and _disk(place) != home:
            raise OSError(errno.EXDEV, os.strerror(errno.EXDEV), str(place))
        if found is PathKind.FILE and belongs_to_others(place):
            raise PermissionError(errno.EPERM, os.strerror(errno.EPERM), str(place))


def belongs_to_others(place: Path) -> bool:
    """Return whether a place is in a sticky folder, where only its owner and the folder's may replace it."""
    folder, me = place.parent.lstat(), os.geteuid()
    return bool(folder.st_mode & stat.S_ISVTX) and me not in (0, folder.st_uid, place.lstat().st_uid)


def _disk(place: Path) -> tuple[int, str]:
    return place.lstat().st_dev, mount_of(place)


def _stage(changes: TreeChanges, todo: journal.Journal) -> None:
    """Put all that is new on the disk, folders included, so that nothing can run short later."""
    out = changes.out
    make_folder(out, STAGE)
    folders = journal.folders_of(todo.write)
    missing = [folder for folder in folders if kind(out / folder) is PathKind.MISSING]
    # Where a file gives way to a folder, the folder has to wait for it.
    blocked = tuple(path for path in todo.delete if path in folders)
    missing = [folder for folder in missing if not any(step in blocked for step in parents(folder))]
    made = "".join(f"{folder}\n" for folder in missing).encode()
    fresh = (
        (str(index), changes.contents[path], _mode(out / path) if todo.before else FILE_MODE)
        for index, path in enumerate(todo.write)
    )
    write_files(out, STAGE, chain([(journal.FOLDERS, made, FILE_MODE)], fresh))
    for folder in missing:
        make_folder(out, folder)
    sync_files([out / journal.staged(index) for index in range(len(todo.write))])


def _mode(place: Path) -> int:
    """Return the mode of a file of people's, which it keeps."""
    return stat.S_IMODE(place.lstat().st_mode) if kind(place) is PathKind.FILE else FILE_MODE
