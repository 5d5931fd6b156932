"""The journal of one write: from the moment that it exists, the write will be finished.

Before that, everything new lies in the stage, and the tree is untouched. `finish` can be stopped and
started again at any step.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias

from msgspec import Struct

from kitgen.errors import KitgenError
from kitgen.reading import OWN_LIMIT, TooBigError, head, read_file
from kitgen.write.disk import make_folder, sync_folders, write_file
from kitgen.write.paths import IGNORE, JOURNAL, LISTING, STAGE, STATE, Kind, kind, parents, unsafe

FOLDERS = f"{STAGE}/folders"
"""Lists the folders that staging made, so that a write that is dropped takes them along."""
OWN = (LISTING, IGNORE)
May: TypeAlias = Callable[[str], bool]
"""Tells whether the file at a path may be deleted or overwritten."""


class Journal(Struct, frozen=True, kw_only=True):
    """What is to be done; the n-th path to write waits as the stage's file n."""

    write: tuple[str, ...]
    delete: tuple[str, ...]


def staged(out: Path, index: int) -> Path:
    """Return where a file waits for its place."""
    return out / STAGE / str(index)


def commit(out: Path, journal: Journal) -> None:
    """Put the journal in place, at once and for good."""
    fresh = out / STAGE / "journal"
    text = json.dumps({"write": journal.write, "delete": journal.delete})
    write_file(fresh, text.encode(), sync=True)
    sync_folders([out / STAGE])
    fresh.rename(out / JOURNAL)
    sync_folders([out / STATE])


def load(out: Path) -> Journal:
    """Read the journal; it may come with somebody else's kit, so it is not trusted."""
    reason = ""
    try:
        data = json.loads(read_file(out / JOURNAL, OWN_LIMIT))
        journal = Journal(write=tuple(data["write"]), delete=tuple(data["delete"]))
        sound = all(isinstance(path, str) for path in (*journal.write, *journal.delete))
    except (ValueError, TypeError, KeyError, RecursionError):
        sound = False
    except TooBigError as error:
        sound, reason = False, f": {error.strerror}"
    if not sound:
        raise KitgenError(f"cannot read {out / JOURNAL}{reason}", hint="delete it, then render again")
    return journal


def finish(out: Path, journal: Journal, may: May) -> None:
    """Do what the journal says is still to be done, then remove it.

    Only files that may be are deleted or overwritten. The new list of them therefore comes last, and
    only once all the rest is on the disk.
    """
    touched = folders_of((*journal.write, *journal.delete))
    _check(out, journal, touched)
    _check_files(out, journal, may)
    for path in journal.delete:
        if kind(out / path) is Kind.FILE and may(path):
            (out / path).unlink()
    drop_empty(out, folders_of(journal.delete))
    for folder in folders_of(journal.write):
        make_folder(out / folder)
    own = [index for index, path in enumerate(journal.write) if path in OWN]
    _place(out, journal, [index for index in range(len(journal.write)) if index not in own])
    sync_folders([out, *(out / folder for folder in touched)])
    _place(out, journal, own)
    sync_folders([out / STATE])
    (out / JOURNAL).unlink()
    drop_stage(out)


def _check(out: Path, journal: Journal, touched: list[str]) -> None:
    """Raise if a path is not fit to be written, or a symlink would lead it elsewhere."""
    trouble = [
        f"{path!r}: {reason}"
        for path in (*journal.write, *journal.delete)
        if path not in OWN and (reason := unsafe(path))
    ]
    trouble += [f"{folder!r} is a symlink" for folder in touched if kind(out / folder) is Kind.SYMLINK]
    if trouble:
        message = f"cannot finish an interrupted write in {out}: {trouble[0]}"
        raise KitgenError(message, hint=f"fix that, or delete {JOURNAL} and render again")


def _check_files(out: Path, journal: Journal, may: May) -> None:
    """Raise if a file that kitgen did not write would be overwritten, such as one put there since."""
    for index, path in enumerate(journal.write):
        waits = kind(staged(out, index))
        foreign = kind(out / path) is Kind.FILE and path not in OWN and not may(path)
        if waits not in (Kind.FILE, Kind.MISSING) or (waits is Kind.FILE and foreign):
            message = (
                f"cannot finish an interrupted write in {out}: {path!r} is a file that kitgen did not write"
            )
            raise KitgenError(message, hint=f"move it away, or delete {JOURNAL} and render again")


def _place(out: Path, journal: Journal, indexes: Iterable[int]) -> None:
    for index in indexes:
        with suppress(FileNotFoundError):  # it is in its place already
            staged(out, index).rename(out / journal.write[index])


def folders_of(paths: Iterable[str]) -> list[str]:
    """Return every folder on the way to the paths, outer ones first."""
    return sorted({folder for path in paths for folder in parents(path)})


def drop(out: Path) -> None:
    """Forget a write that has no journal yet."""
    folders = out / FOLDERS
    if kind(out / STAGE) is Kind.FOLDER and kind(folders) is Kind.FILE:
        names = head(folders, OWN_LIMIT).decode(errors="replace").split("\n")
        safe = [name for name in names if name and not unsafe(name)]
        if not any(kind(out / folder) is Kind.SYMLINK for folder in folders_of(safe)):
            drop_empty(out, safe)
    drop_stage(out)


def drop_empty(out: Path, folders: Iterable[str]) -> None:
    """Remove those of the folders that are empty, innermost first."""
    for folder in sorted(folders, reverse=True):
        with suppress(OSError):  # not empty, or not there
            (out / folder).rmdir()


def drop_stage(out: Path) -> None:
    """Remove the stage; a symlink of that name goes, and what it points to stays."""
    match kind(out / STAGE):
        case Kind.FOLDER:
            from shutil import rmtree  # costs more than most commands need

            rmtree(out / STAGE)
        case Kind.MISSING:
            return
        case _:
            (out / STAGE).unlink()
