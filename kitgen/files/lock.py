"""Lock a folder, so that two writes do not mix.

The lock is the kernel's and is released with its process, so a crash needs no cleanup. The file itself stays:
removing it would let two processes have a lock each.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path

from kitgen.files.folders import disable_umask, make_folder, open_parent
from kitgen.files.paths import FILE_MODE, LOCK, STATE, PathKind, has_state_folder, path_kind

FLAGS = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def exclusive_lock(out: Path, waiting: Callable[[], None] | None = None) -> AbstractContextManager[None]:
    """Hold the lock alone; `waiting` is called once if another holds it."""
    return _lock_folder(out, os.O_RDWR | os.O_CREAT, fcntl.LOCK_EX, waiting)


def shared_lock(out: Path) -> AbstractContextManager[None]:
    """Wait until no write is running; no lock is created: without one, nothing was ever written."""
    if not has_state_folder(out) or path_kind(out / LOCK) is not PathKind.FILE:
        return nullcontext()
    return _lock_folder(out, os.O_RDONLY, fcntl.LOCK_SH, None)


@contextmanager
def _lock_folder(out: Path, flags: int, operation: int, waiting: Callable[[], None] | None) -> Iterator[None]:
    handle = _acquire_lock(out, flags, operation, waiting)
    try:
        yield
    finally:
        os.close(handle)


def _acquire_lock(out: Path, flags: int, operation: int, waiting: Callable[[], None] | None) -> int:
    path = out / LOCK
    while True:
        try:
            with open_parent(out, LOCK) as (folder, name), disable_umask():
                handle = os.open(name, flags | FLAGS, FILE_MODE, dir_fd=folder)
        except FileNotFoundError:  # another change is done, and took its traces along
            if not flags & os.O_CREAT or path_kind(path.parent) not in (PathKind.MISSING, PathKind.FOLDER):
                raise
            make_folder(out, STATE)
            continue
        try:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise OSError(errno.EINVAL, "found something that is not a file", str(path))
            try:
                fcntl.flock(handle, operation | fcntl.LOCK_NB)
            except BlockingIOError:
                if waiting is not None:
                    waiting()
                    waiting = None
                fcntl.flock(handle, operation)
            if _is_same_file(handle, path):
                return handle
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)


def _is_same_file(handle: int, path: Path) -> bool:
    """Return whether the open file is still the one at the path: somebody may have cleaned the folder."""
    try:
        return os.path.samestat(os.fstat(handle), os.lstat(path))
    except FileNotFoundError:
        return False
