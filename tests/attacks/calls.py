"""Step in at the calls of the system that change the disk; for programs of their own, which fork."""

from __future__ import annotations

import errno
import os
import pickle
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

CALLS = (
    "open",
    "write",
    "fchmod",
    "chmod",
    "mkdir",
    "rename",
    "replace",
    "unlink",
    "remove",
    "rmdir",
    "link",
)
EVENTS = ("open", "os.chmod", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.link", "os.truncate")
CHANGING = os.O_WRONLY | os.O_RDWR | os.O_CREAT
TAKING_SPACE = ("open", "write", "mkdir", "link")


class Interruption:
    """What happens at one of the calls; here, nothing."""

    def before(self, name: str, args: tuple[Any, ...], folder: int | None) -> tuple[Any, ...]:
        """Return the arguments that the call gets; a path may start from an open folder."""
        return args

    def after(self) -> None:
        """Do something once the call is done."""

    def later(self, name: str, args: tuple[Any, ...], folder: int | None) -> None:
        """Do something at a call behind it."""


class Kill(Interruption):
    """End the process; a write gets half of its content to the disk."""

    def before(self, name: str, args: tuple[Any, ...], folder: int | None) -> tuple[Any, ...]:
        if name == "write" and isinstance(args[1], memoryview):
            return (args[0], args[1][: len(args[1]) // 2])
        return args

    def after(self) -> None:
        os.kill(os.getpid(), signal.SIGKILL)


class FullDisk(Interruption):
    """Leave no space, from here on."""

    def before(self, name: str, args: tuple[Any, ...], folder: int | None) -> tuple[Any, ...]:
        self.later(name, args, folder)
        return args

    def later(self, name: str, args: tuple[Any, ...], folder: int | None) -> None:
        if name in TAKING_SPACE and not (name in ("open", "mkdir") and is_there(args[0], folder)):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


class Edit(Interruption):
    """Do something that somebody else does meanwhile."""

    def __init__(self, work: Callable[[], None]) -> None:
        self.work = work

    def after(self) -> None:
        self.work()


def is_there(path: Any, folder: int | None) -> bool:
    try:
        os.stat(path, dir_fd=folder, follow_symlinks=False)
    except OSError:
        return False
    return True


def changing(path: object, flags: object) -> bool:
    """Tell whether opening a file changes the disk, or lets it be changed."""
    return isinstance(flags, int) and bool(flags & CHANGING) and path != os.devnull


def step_in(count: int, interruption: Interruption) -> Callable[[], int]:
    """Let the interruption happen at a call that changes the disk; return what tells how many there were."""
    calls, inside = 0, False

    def wrap(name: str, function: Callable[..., object]) -> Callable[..., object]:
        def wrapped(*args: object, **options: Any) -> object:
            nonlocal calls, inside
            if inside or (name == "open" and not changing(*args[:2])):
                return function(*args, **options)
            calls += 1
            inside = True
            try:
                if calls == count:
                    args = interruption.before(name, args, options.get("dir_fd"))
                elif calls > count:
                    interruption.later(name, args, options.get("dir_fd"))
                return function(*args, **options)
            finally:
                if calls == count:  # a call that fails changes nothing, and what follows is still to be tried
                    interruption.after()
                inside = False

        return wrapped

    def guard(event: str, args: tuple[object, ...]) -> None:
        """Fail if the disk is changed in a way that no interruption has tried."""
        changes = event in EVENTS and (event != "open" or changing(args[0], args[2]))
        # A temporary file without a name is opened by its folder, and gone with the process.
        if changes and not inside and not Path(str(args[0])).is_dir():
            os.write(2, f"not tried: {event} {args}\n".encode())
            os._exit(1)

    for name in CALLS:
        setattr(os, name, wrap(name, getattr(os, name)))
    sys.addaudithook(guard)
    return lambda: calls


def interrupted(work: Callable[[], Any], count: int, interruption: Interruption) -> tuple[int, Any]:
    """Do the work in a child; return how many calls there were, and what the work returns.

    Of a child that was killed, nothing is known.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        answer = os.fdopen(writing, "wb", buffering=0)
        calls = step_in(count, interruption)
        result = work()
        answer.write(pickle.dumps((calls(), result)))
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as answer:
        said = answer.read()
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status):
        return 0, None
    if os.waitstatus_to_exitcode(status) != 0:
        sys.exit("the work failed")
    found: tuple[int, Any] = pickle.loads(said)
    return found


def calls_of(work: Callable[[], Any]) -> int:
    """Return how many calls that change the disk some work takes."""
    return interrupted(work, 0, Interruption())[0]


def killed(work: Callable[[], object], count: int) -> bool:
    """Do the work in a child; tell whether it was killed on the way."""
    return interrupted(lambda: work() and None, count, Kill())[0] == 0
