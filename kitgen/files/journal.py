"""The journal of one write: once it exists, the write will be completed.

Before that, everything new is in the staging folder, and the tree is untouched. `finish_write` can be
interrupted and repeated at any step.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias

from msgspec import MsgspecError, Struct, convert, to_builtins

from kitgen.files.folders import (
    make_folder,
    move_files,
    remove_file,
    remove_folder,
    sync_folders,
    write_files,
)
from kitgen.files.paths import (
    FILE_MODE,
    IGNORE,
    JOURNAL,
    LISTING,
    MOST_PATHS,
    STAGE,
    STATE,
    PathKind,
    find_path_fault,
    parents,
    path_kind,
)
from kitgen.files.read import OWN_LIMIT, FileTooLargeError, read_file, read_head
from kitgen.findings.errors import KitgenError

FOLDERS = "folders"
"""A file of the stage: the folders that staging made, so that a write that is dropped takes them along."""
OWN = (LISTING, IGNORE)
SHOWN = 200
"""Characters of a path that cannot be one."""
May: TypeAlias = Callable[[str], bool]
"""Tells whether the file at a path may be deleted or overwritten."""


class Journal(Struct, frozen=True, kw_only=True):
    """What is to be done; the n-th path to write waits as the stage's file n."""

    write: tuple[str, ...]
    delete: tuple[str, ...]
    before: Mapping[str, str] = {}
    """Of files that belong to people: a hash of each as it was, if it was there."""


def staged_path(index: int) -> str:
    """Return where a file waits for its place."""
    return f"{STAGE}/{index}"


def write_journal(out: Path, journal: Journal) -> None:
    """Put the journal in place, atomically and durably; one that could not be read again is an error."""
    text = json.dumps(to_builtins(journal)).encode()
    if (count := len(journal.write) + len(journal.delete)) > MOST_PATHS or len(text) > OWN_LIMIT:
        raise KitgenError(
            f"cannot write {out}: found {count} files to change, which is too many for one write"
        )
    write_files(out, STAGE, [("journal", text, FILE_MODE)], sync=True)
    sync_folders(out, [STAGE])
    move_files(out, STAGE, [("journal", JOURNAL)])
    sync_folders(out, [STATE])


def read_journal(out: Path) -> Journal:
    """Read the journal; it may come with somebody else's kit, so it is not trusted."""
    reason = ""
    try:
        journal = convert(json.loads(read_file(out / JOURNAL, OWN_LIMIT)), Journal)
        if len(journal.write) + len(journal.delete) <= MOST_PATHS:
            return journal
    except FileTooLargeError as error:
        reason = f": {error.strerror}"
    except (MsgspecError, ValueError, RecursionError):
        pass
    raise KitgenError(f"cannot read {out / JOURNAL}{reason}", hint="delete it, then render again")


def finish_write(out: Path, journal: Journal, may: May) -> None:
    """Do what the journal says is still to be done, then remove it.

    Only files that may be are deleted or overwritten. The new list of them therefore comes last, and
    only once all the rest is on the disk.
    """
    fresh = _validate_journal(out, journal, may)
    touched = list_parent_folders((*journal.write, *journal.delete))
    for path in journal.delete:
        if path_kind(f"{out}/{path}") is PathKind.FILE and may(path):
            remove_file(out, path)
    drop_empty_folders(out, list_parent_folders(journal.delete))
    # Others are in their places already.
    waiting = [
        (index, path)
        for index, path in enumerate(journal.write)
        if path_kind(f"{out}/{staged_path(index)}") is PathKind.FILE
    ]
    for folder in list_parent_folders(path for _, path in waiting):
        if path_kind(f"{out}/{folder}") is PathKind.MISSING:
            make_folder(out, folder)
    # People edit at any moment: what may be theirs is looked at once more, just before the move.
    theirs = {*journal.write} if journal.before else fresh
    _move_staged_files(
        out, journal, [(index, path) for index, path in waiting if path not in OWN], theirs, may
    )
    sync_folders(out, ["", *touched])
    _move_staged_files(out, journal, [(index, path) for index, path in waiting if path in OWN])
    sync_folders(out, [STATE])
    remove_file(out, JOURNAL)
    drop_stage(out)


def _make_unfinished_error(out: Path, reason: str, todo: str = "fix that") -> KitgenError:
    return KitgenError(
        f"cannot finish an interrupted write in {out}: {reason}",
        hint=f"{todo}, or delete {JOURNAL} and render again",
    )


def _validate_journal(out: Path, journal: Journal, may: May) -> set[str]:
    """Raise if the journal cannot be followed, and return the paths at which there is nothing.

    A path may not be fit to be written, or even to be looked at; a symlink would lead it elsewhere; and what
    kitgen did not write would be overwritten, such as something put there since.
    """
    paths = (*journal.write, *journal.delete)
    for path in paths:
        if path not in OWN and (reason := find_path_fault(path)):
            raise _make_unfinished_error(out, f"{path[:SHOWN]!r}: {reason}")
    for folder in list_parent_folders(paths):
        if path_kind(f"{out}/{folder}") is PathKind.SYMLINK:
            raise _make_unfinished_error(out, f"{folder!r} is a symlink")
    emptied, missing = set(list_parent_folders(journal.delete)), set()
    for index, path in enumerate(journal.write):
        waits, found = path_kind(f"{out}/{staged_path(index)}"), path_kind(f"{out}/{path}")
        free = found is PathKind.MISSING or (found is PathKind.FOLDER and path in emptied)
        ours = found is PathKind.FILE and (path in OWN or may(path))
        if waits not in (PathKind.FILE, PathKind.MISSING) or (waits is PathKind.FILE and not (free or ours)):
            raise _make_foreign_file_error(out, journal, path)
        if found is PathKind.MISSING:
            missing.add(path)
    return missing


def make_changed_since_error(out: Path, path: str) -> KitgenError:
    """Return the error for a file of people's that is not as it was before a change that is half done."""
    return KitgenError(
        f"cannot finish an interrupted change in {out}: {path!r} was changed since",
        hint=f"delete {JOURNAL} to keep it, and what is left beside it",
    )


def _make_foreign_file_error(out: Path, journal: Journal, path: str) -> KitgenError:
    if journal.before:
        return make_changed_since_error(out, path)
    return _make_unfinished_error(
        out, f"{path!r} is {path_kind(out / path)} that kitgen did not write", "move it away"
    )


def _move_staged_files(
    out: Path,
    journal: Journal,
    waiting: list[tuple[int, str]],
    theirs: Collection[str] = (),
    may: May = lambda _: True,
) -> None:
    """Move files into place; where others may have put something since, only over what may be overwritten."""

    def places() -> Iterator[tuple[str, str]]:
        for index, path in waiting:
            if path in theirs and path_kind(f"{out}/{path}") is not PathKind.MISSING and not may(path):
                raise _make_foreign_file_error(out, journal, path)
            yield str(index), path

    if waiting:  # else there may be no stage any more
        move_files(out, STAGE, places())


def list_parent_folders(paths: Iterable[str]) -> list[str]:
    """Return every folder on the way to the paths, outer ones first."""
    return sorted({folder for path in paths for folder in parents(path)})


def cancel_write(out: Path) -> None:
    """Forget a write that failed before anything was in its place, with its journal if there is one."""
    with suppress(OSError):
        remove_file(out, JOURNAL)
        sync_folders(out, [STATE])
    if path_kind(out / JOURNAL) is PathKind.MISSING:
        drop_staged_write(out)


def drop_staged_write(out: Path) -> None:
    """Forget a write that has no journal yet."""
    folders = out / STAGE / FOLDERS
    if path_kind(out / STAGE) is PathKind.FOLDER and path_kind(folders) is PathKind.FILE:
        names = read_head(folders, OWN_LIMIT).decode(errors="replace").split("\n", MOST_PATHS)[:MOST_PATHS]
        safe = [name for name in names if name and not find_path_fault(name)]
        if not any(path_kind(f"{out}/{folder}") is PathKind.SYMLINK for folder in list_parent_folders(safe)):
            drop_empty_folders(out, safe)
    drop_stage(out)


def drop_empty_folders(out: Path, folders: Iterable[str]) -> None:
    """Remove those of the folders that are empty, innermost first."""
    for folder in sorted(folders, reverse=True):
        with suppress(OSError):  # not empty, or not there
            remove_folder(out, folder)


def drop_stage(out: Path) -> None:
    """Remove the stage; a symlink of that name goes, and what it points to stays."""
    match path_kind(out / STAGE):
        case PathKind.FOLDER:
            waiting = list((out / STAGE).iterdir())
            if any(path_kind(each) is PathKind.FOLDER for each in waiting):
                raise KitgenError(
                    f"found a folder in {out / STAGE}, expected only files that wait for their place",
                    hint=f"delete {STAGE}, then render again",
                )
            for each in waiting:
                remove_file(out, f"{STAGE}/{each.name}")
            remove_folder(out, STAGE)
        case PathKind.MISSING:
            return
        case _:
            remove_file(out, STAGE)
