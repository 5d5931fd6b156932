"""Put single files into place, each at once: it holds all of its content, or stays as it was.

The content waits in a file beside it, of a name that nobody has, and is then moved. That file is gone
afterwards, whatever fails. One that a killed run left is removed by the next run that writes into the folder:
whoever still writes holds a lock on it.
"""

from __future__ import annotations

import fcntl
import os
import re
import secrets
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from msgspec import Struct

from kitgen.reading import LARGEST, read_file
from kitgen.write.below import FOLDER, FRESH, fixed_modes, named, write_all
from kitgen.write.disk import make_folders
from kitgen.write.edits import Edit, changed_meanwhile
from kitgen.write.paths import FILE_MODE

WAITING = re.compile(r"\.kitgen-[0-9a-f]{32}")
"""How a file is called while it waits for its place."""
PRIVATE = 0o600
LOOKING = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def replace_file(path: Path, content: bytes) -> None:
    """Put a file of kitgen's own into place, whatever stands there or on the way; no symlink is followed."""
    make_folders(path.parent)
    with _waiting(path, [content], FILE_MODE) as file:
        file.move()


def edit_files(edits: Mapping[Path, Edit]) -> None:
    """Give files of people's other texts, or make new ones; none if one of them was changed meanwhile.

    A file keeps its mode, and a symlink to it stays.
    """
    with ExitStack() as stack:
        ready: list[tuple[Callable[[], None], Callable[[], None]]] = []
        for path, edit in edits.items():
            assert edit.after is not None  # nobody removes such a file
            place, mode = path.parent.resolve() / path.name, FILE_MODE
            if edit.before is None:
                make_folders(place.parent)
            else:
                place = path.resolve()
                mode = stat.S_IMODE(place.stat().st_mode)
            file = stack.enter_context(_waiting(place, [edit.after.encode()], mode, sync=True))
            ready.append((_check(path, edit), file.link if edit.before is None else file.move))
        for check, _ in ready:
            check()
        for _, put in ready:
            put()


def _check(path: Path, edit: Edit) -> Callable[[], None]:
    """Return what raises if a file does not hold what was read."""

    def check() -> None:
        try:
            found = read_file(path, LARGEST, links=True)
        except FileNotFoundError:
            found = None
        if found != (None if edit.before is None else edit.before.encode()):
            raise changed_meanwhile(path)

    return check


def write_private(path: Path, content: Iterable[bytes]) -> None:
    """Make a new file that only its owner reads; it is there once all is written, or not at all."""
    with _waiting(path.parent.resolve() / path.name, content, PRIVATE, sync=True) as file:
        file.link()


class _Waiting(Struct, frozen=True):
    """A file that waits for its place."""

    folder: int
    name: str
    path: Path

    def move(self) -> None:
        """Put the file into its place, over one that is there."""
        with named(self.path):
            os.rename(self.name, self.path.name, src_dir_fd=self.folder, dst_dir_fd=self.folder)

    def link(self) -> None:
        """Put the file into its place unless something is there."""
        try:
            os.link(self.name, self.path.name, src_dir_fd=self.folder, dst_dir_fd=self.folder)
        except FileExistsError as error:
            raise changed_meanwhile(self.path) from error
        except OSError:  # not every file system has links
            if os.path.lexists(self.path):
                raise changed_meanwhile(self.path) from None
            self.move()


@contextmanager
def _waiting(path: Path, content: Iterable[bytes], mode: int, *, sync: bool = False) -> Iterator[_Waiting]:
    """Write a file beside the place where it is to be; without `sync`, a crash of the system may empty it."""
    with ExitStack() as stack:
        with named(path):
            folder = os.open(path.parent, FOLDER)
            stack.callback(os.close, folder)
            _remove_abandoned(folder)
            name, handle = _fresh(folder, mode)
            stack.callback(os.close, handle)
            stack.callback(_remove, folder, name)
            for part in content:
                write_all(handle, part)
            if sync:
                os.fsync(handle)
        yield _Waiting(folder, name, path)
        if sync:
            os.fsync(folder)


def _fresh(folder: int, mode: int) -> tuple[str, int]:
    """Make a file that nobody else has, and hold a lock on it for as long as it is open."""
    while True:
        name = f".kitgen-{secrets.token_hex(16)}"
        with fixed_modes():
            handle = os.open(name, FRESH, mode, dir_fd=folder)
        fcntl.flock(handle, fcntl.LOCK_EX)
        if os.fstat(handle).st_nlink:  # else another run took it for abandoned, before the lock
            return name, handle
        os.close(handle)


def _remove_abandoned(folder: int) -> None:
    """Remove what killed runs left in a folder: files of ours that nobody holds a lock on."""
    for name in filter(WAITING.fullmatch, os.listdir(folder)):
        with suppress(OSError):
            handle = os.open(name, LOOKING, dir_fd=folder)
            try:
                found = os.fstat(handle)
                if stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid():
                    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    os.unlink(name, dir_fd=folder)
            finally:
                os.close(handle)


def _remove(folder: int, name: str) -> None:
    with suppress(OSError):  # moved
        os.unlink(name, dir_fd=folder)
