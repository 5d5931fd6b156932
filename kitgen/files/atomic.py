"""Write single files atomically: each has all of its new content, or stays as it was.

The content is written to a temporary file beside it, which is then renamed, or removed on any failure. One
that a killed run left is removed by the next run that writes into the folder; a lock marks those in use.
"""

from __future__ import annotations

import fcntl
import os
import secrets
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from msgspec import Struct

from kitgen.files.edits import make_changed_error, require_unchanged
from kitgen.files.folders import (
    FOLDER,
    FRESH,
    add_error_path,
    disable_umask,
    make_folders,
    remove_empty_folders,
    write_all,
)
from kitgen.files.paths import FILE_MODE
from kitgen.text.patterns import compile_late

WAITING = compile_late(r"\.kitgen-[0-9a-f]{32}")
"""How a file is called while it waits for its place."""
PRIVATE, PRIVATE_FOLDER = 0o600, 0o700
LOOKING = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def replace_file(path: Path, content: bytes, mode: int = FILE_MODE) -> None:
    """Put a file of kitgen's own into place, whatever stands there or on the way; no symlink is followed."""
    with ExitStack() as stack:
        stack.callback(remove_empty_folders, make_folders(path.parent))
        stack.enter_context(_write_temporary_file(path, [content], mode)).move()


def edit_files(read: Mapping[Path, str], wanted: Mapping[Path, str]) -> None:
    """Make files of people's hold the wanted texts; none if one does not hold what was read, or is new.

    A file keeps its mode, and a symlink to it stays. One that has two names is written once.
    """
    here = Path()
    with ExitStack() as stack:
        waiting: dict[Path, tuple[Path, _Waiting]] = {}
        for path, text in wanted.items():
            place, mode = path.parent.resolve() / path.name, FILE_MODE
            if path in read:
                place = path.resolve()
                mode = stat.S_IMODE(place.stat().st_mode)
            if place not in waiting:
                stack.callback(remove_empty_folders, make_folders(place.parent))
                waiting[place] = (
                    path,
                    stack.enter_context(_write_temporary_file(place, [text.encode()], mode, sync=True)),
                )
        require_unchanged(here, read, wanted)
        for path, file in waiting.values():
            if path in read:
                require_unchanged(here, {path: read[path]}, ())
                file.move()
            else:
                file.link()


def write_private_file(path: Path, content: Iterable[bytes]) -> None:
    """Make a new file that only its owner reads; it is there once all is written, or not at all."""
    with _write_temporary_file(path.parent.resolve() / path.name, content, PRIVATE, sync=True) as file:
        file.link()


class _Waiting(Struct, frozen=True):
    """A file that waits for its place."""

    folder: int
    name: str
    path: Path

    def move(self) -> None:
        """Put the file into its place, over one that is there."""
        with add_error_path(self.path):
            os.rename(self.name, self.path.name, src_dir_fd=self.folder, dst_dir_fd=self.folder)

    def link(self) -> None:
        """Put the file into its place unless something is there."""
        try:
            os.link(self.name, self.path.name, src_dir_fd=self.folder, dst_dir_fd=self.folder)
        except FileExistsError as error:
            raise make_changed_error(self.path) from error
        except OSError:  # not every file system has links
            if os.path.lexists(self.path):
                raise make_changed_error(self.path) from None
            self.move()


@contextmanager
def _write_temporary_file(
    path: Path, content: Iterable[bytes], mode: int, *, sync: bool = False
) -> Iterator[_Waiting]:
    """Write a file beside the place where it is to be; without `sync`, a crash of the system may empty it."""
    with ExitStack() as stack:
        with add_error_path(path):
            remove_abandoned_files(path.parent)
            folder = os.open(path.parent, FOLDER)
            stack.callback(os.close, folder)
            name, handle = _create_locked_file(folder, mode)
            stack.callback(os.close, handle)
            stack.callback(_remove_file, folder, name)
            for part in content:
                write_all(handle, part)
            if sync:
                os.fsync(handle)
        yield _Waiting(folder, name, path)
        if sync:
            os.fsync(folder)


def _create_locked_file(folder: int, mode: int) -> tuple[str, int]:
    """Create a file of a unique name, and lock it for as long as it is open."""
    while True:
        name = f".kitgen-{secrets.token_hex(16)}"
        with disable_umask():
            handle = os.open(name, FRESH, mode, dir_fd=folder)
        with suppress(OSError):  # where there are no locks, nothing is taken for abandoned
            fcntl.flock(handle, fcntl.LOCK_EX)
        if os.fstat(handle).st_nlink:  # else another run took it for abandoned, before the lock
            return name, handle
        os.close(handle)


def remove_abandoned_files(folder: Path) -> None:
    """Remove what killed runs left in a folder: files of ours that are not locked."""
    for path in folder.iterdir():
        if WAITING.fullmatch(path.name):
            with suppress(OSError):
                handle = os.open(path, LOOKING)
                try:
                    found = os.fstat(handle)
                    if stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid():
                        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                        path.unlink()
                finally:
                    os.close(handle)


def _remove_file(folder: int, name: str) -> None:
    with suppress(OSError):  # moved
        os.unlink(name, dir_fd=folder)
