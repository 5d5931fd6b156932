"""Step in at the calls of the system that change the disk; for programs of their own, which fork."""

from __future__ import annotations

import errno
import gc
import os
import pickle
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
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

gc.set_threshold(0)  # to look for garbage in a child is to copy all that it shares with its parent


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


class Steps:
    """The calls of a process that change the disk; the interruption happens at one of them."""

    def __init__(
        self, count: int, interruption: Interruption, first: Callable[[], None] | None = None
    ) -> None:
        self.count, self.interruption, self.first = count, interruption, first
        self.calls, self.inside = 0, False

    def step_in(self) -> None:
        """Wrap every call that changes the disk."""
        for name in CALLS:
            setattr(os, name, self.wrap(name, getattr(os, name)))
        sys.addaudithook(self.guard)

    def wrap(self, name: str, function: Callable[..., object]) -> Callable[..., object]:
        def wrapped(*args: object, **options: Any) -> object:
            if self.inside or (name == "open" and not changing(*args[:2])):
                return function(*args, **options)
            if self.first and not self.calls:
                self.first()
            self.calls += 1
            self.inside = True
            try:
                if self.calls == self.count:
                    args = self.interruption.before(name, args, options.get("dir_fd"))
                elif self.calls > self.count:
                    self.interruption.later(name, args, options.get("dir_fd"))
                return function(*args, **options)
            finally:
                if self.calls == self.count:  # a call that fails changes nothing; what follows is still tried
                    self.interruption.after()
                self.inside = False

        return wrapped

    def guard(self, event: str, args: tuple[object, ...]) -> None:
        """Fail if the disk is changed in a way that no interruption has tried."""
        changes = event in EVENTS and (event != "open" or changing(args[0], args[2]))
        # A temporary file without a name is opened by its folder, and gone with the process.
        if changes and not self.inside and not Path(str(args[0])).is_dir():
            os.write(2, f"not tried: {event} {args}\n".encode())
            os._exit(1)


class Interrupted:
    """Some work up to its first change of the disk, which a child for each interruption goes on from.

    What it has read until then must be there again, the same, whenever it goes on.
    """

    def __init__(self, work: Callable[[], Any]) -> None:
        self.socket, other = socket.socketpair()
        if (child := os.fork()) == 0:
            self.socket.close()
            _serve(work, other)
        self.child = child
        other.close()
        self.socket.recv(1)

    def go_on(self, count: int, interruption: Interruption) -> tuple[int, Any]:
        """Return how many calls there were, and what the work returns; of a kill, nothing is known."""
        with self.socket.makefile("rwb") as stream:
            pickle.dump((count, interruption), stream)
            stream.flush()
            found, code = pickle.load(stream)
        return _answered(found, code)

    def __enter__(self) -> Interrupted:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()
        os.waitpid(self.child, 0)


def _serve(work: Callable[[], Any], requests: socket.socket) -> None:
    """Do the work up to its first change of the disk, and go on in a child for each request."""
    stream = requests.makefile("rwb")

    def fork_for_requests() -> None:
        requests.send(b"!")
        positions = _positions()
        while True:
            try:
                steps.count, steps.interruption = pickle.load(stream)
            except EOFError:
                os._exit(0)
            reading, writing = os.pipe()
            if (child := os.fork()) == 0:
                answers.append(writing)
                for number, position in positions.items():  # children share them
                    os.lseek(number, position, os.SEEK_SET)
                return
            os.close(writing)
            pickle.dump(_wait(child, reading), stream)
            stream.flush()

    answers: list[int] = []
    write = os.write
    steps = Steps(0, Interruption(), fork_for_requests)
    steps.step_in()
    result = work()
    write(answers[0], pickle.dumps((steps.calls, result)))
    os._exit(0)


def _positions() -> dict[int, int]:
    """Return how far open files have been read."""
    found = {}
    for each in [int(path.name) for path in Path("/proc/self/fd").iterdir()]:
        with suppress(OSError):  # what is no file has none
            found[each] = os.lseek(each, 0, os.SEEK_CUR)
    return found


def _wait(child: int, reading: int) -> tuple[bytes, int | None]:
    """Return what a child answers, and its exit code; None if it was killed."""
    with os.fdopen(reading, "rb") as answer:
        found = answer.read()
    status = os.waitpid(child, 0)[1]
    return found, None if os.WIFSIGNALED(status) else os.waitstatus_to_exitcode(status)


def _answered(found: bytes, code: int | None) -> tuple[int, Any]:
    if code is None:
        return 0, None
    if code != 0:
        sys.exit("the work failed")
    answer: tuple[int, Any] = pickle.loads(found)
    return answer


def interrupted(work: Callable[[], Any], count: int, interruption: Interruption) -> tuple[int, Any]:
    """Do the work once, in a child, with an interruption."""
    reading, writing = os.pipe()
    if (child := os.fork()) == 0:
        write, steps = os.write, Steps(count, interruption)
        steps.step_in()
        write(writing, pickle.dumps((work(), steps.calls)[::-1]))
        os._exit(0)
    os.close(writing)
    return _answered(*_wait(child, reading))


def killed(work: Callable[[], object], count: int) -> bool:
    """Do the work in a child; tell whether it was killed on the way."""
    return interrupted(lambda: work() and None, count, Kill())[0] == 0


def at_once(works: list[Callable[[], Any]]) -> list[Any]:
    """Do works in children that start together."""
    start, go = os.pipe()
    children = []
    for work in works:
        reading, writing = os.pipe()
        if (child := os.fork()) == 0:
            os.close(go)
            os.read(start, 1)  # until the other end is closed
            with os.fdopen(writing, "wb") as answer:
                pickle.dump(work(), answer)
            os._exit(0)
        os.close(writing)
        children.append((child, reading))
    os.close(start)
    os.close(go)
    answers = []
    for child, reading in children:
        with os.fdopen(reading, "rb") as answer:
            answers.append(pickle.load(answer))
        os.waitpid(child, 0)
    return answers
