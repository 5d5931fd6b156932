"""Share work with a second process: a pure function over many items, with its results in their order.

The second process is a copy of the first (`os.fork`), so nothing is sent to it. Both take the next item
whenever they are free. What the copy makes waits as bytes in a file that has no name, and a pipe tells of it.
What it does not make, for whatever reason, is made here: so errors are those of one process.
"""

from __future__ import annotations

import os
import signal
import sys
from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from math import inf
from select import POLLIN, poll
from struct import Struct
from time import monotonic
from typing import TypeVar

from kitgen.files import reads
from kitgen.files.results import add_results, decode_value, encode_value, take_results

Item = TypeVar("Item")
Result = TypeVar("Result")

ALONE = 1.0
"""Seconds of work before a second process is worth what it takes."""
WAITING = 64
"""How many results may wait for one before them that the second process is to make."""
NUMBER, NOTICE = Struct("=Q"), Struct("=QQ")
"""An item, and one with the size of what was made of it."""


@contextmanager
def share_work(
    work: Callable[[Item], Result],
    items: Sequence[Item],
    encode: Callable[[Result], bytes | None],
    decode: Callable[[bytes], Result],
    *,
    alone: float | None = None,
) -> Iterator[Iterator[Result]]:
    """Yield what a function makes of each item, in order; a second process helps if that takes long.

    The function must change nothing that others look at. It may read files, and keep results in the cache.
    When the context ends, no process is left.
    """
    seconds = (ALONE if alone is None else alone) if count_processors() > 1 else inf
    with ExitStack() as stack:
        yield _work_in_order(work, items, encode, decode, seconds, stack)


def count_processors() -> int:
    """Return how many processes can run at once; one where there are threads, which a copy would lack."""
    if not hasattr(os, "fork") or len(sys._current_frames()) > 1:
        return 1
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _work_in_order(
    work: Callable[[Item], Result],
    items: Sequence[Item],
    encode: Callable[[Result], bytes | None],
    decode: Callable[[bytes], Result],
    alone: float,
    stack: ExitStack,
) -> Iterator[Result]:
    end, first, count = monotonic() + alone, 0, len(items)
    while first < count and (monotonic() < end or count - first == 1):
        yield work(items[first])
        first += 1
    helper = _start_helper(lambda number: encode(work(items[number])), range(first, count), stack)
    made: dict[int, Result] = {}
    wrong: int | None = None
    for number in range(first, count):
        while helper and not (helper.is_gone or number == wrong or number in made or number in helper.made):
            busy = helper.is_ready() or len(made) == WAITING or wrong is not None
            if busy or (taken := helper.take()) is None:
                helper.wait()
                continue
            try:
                made[taken] = work(items[taken])
            except Exception:  # noqa: BLE001 # it is raised in its turn, behind those of items before it
                wrong = taken
        if number in made:
            yield made.pop(number)
        elif helper and number in helper.made:
            yield decode(helper.read(number))
        else:
            yield work(items[number])
    if helper:
        helper.finish()


def _start_helper(make: Callable[[int], bytes | None], numbers: range, stack: ExitStack) -> _Helper | None:
    """Start a second process for some items, if there are any; the stack ends it."""
    if not numbers:
        return None
    try:
        helper = _Helper(numbers, stack)
        helper.start(make, stack)
    except OSError:  # the system has no room for a process, or for its files
        return None
    return helper


class _Helper:
    """A second process, the items that both take, and what it has made of some."""

    def __init__(self, numbers: range, stack: ExitStack) -> None:
        from tempfile import TemporaryFile  # which takes long to import

        # Both processes read at one position, so that each number is taken once.
        self.left = stack.enter_context(TemporaryFile(buffering=0))  # noqa: SIM115 # the stack closes it
        self.left.write(array("Q", numbers).tobytes())
        self.left.seek(0)
        self.results = stack.enter_context(TemporaryFile())  # noqa: SIM115 # the same
        self.made: dict[int, tuple[int, int]] = {}
        """Where in the file the result of an item starts, and its size."""
        self.size = 0
        self.is_gone = False

    def start(self, make: Callable[[int], bytes | None], stack: ExitStack) -> None:
        """Start the process: it prints nothing that was about to be, and runs nothing that is to run last."""
        self.outlet, self.inlet = os.pipe()
        stack.callback(os.close, self.outlet)
        self.notices = poll()
        self.notices.register(self.outlet, POLLIN)
        parent = os.getpid()
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            if (process := os.fork()) == 0:
                try:
                    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
                        signal.signal(signal.SIGINT, signal.SIG_DFL)
                    signal.pthread_sigmask(signal.SIG_SETMASK, before)
                    self._make_results(make, parent)
                finally:
                    os._exit(0)
            stack.callback(_end_process, process)
        finally:
            os.close(self.inlet)
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def _make_results(self, make: Callable[[int], bytes | None], parent: int) -> None:
        """Make what is left, as the second process, for as long as the first one waits for it."""
        os.close(self.outlet)
        reads.take_log()
        take_results()
        while os.getppid() == parent and (number := self.take()) is not None:
            content = make(number)
            whole = None if content is None else encode_value((content, reads.take_log(), take_results()))
            if whole is None:
                return
            self.results.write(whole)
            self.results.flush()
            os.write(self.inlet, NOTICE.pack(number, len(whole)))

    def take(self) -> int | None:
        """Return an item that nobody has taken yet, if there is one."""
        found = self.left.read(NUMBER.size)
        return NUMBER.unpack(found)[0] if found else None

    def is_ready(self) -> bool:
        """Return whether it is known that something was made, or that the process is gone."""
        return bool(self.notices.poll(0))

    def wait(self) -> None:
        """Wait until something was made, or the process is gone."""
        if notice := os.read(self.outlet, NOTICE.size):
            number, size = NOTICE.unpack(notice)
            self.made[number] = (self.size, size)
            self.size += size
        self.is_gone = not notice

    def finish(self) -> None:
        """Wait until the process has found that nothing is left; it need not be ended then."""
        while not self.is_gone:
            self.wait()

    def read(self, number: int) -> bytes:
        """Return what the process made of an item."""
        start, size = self.made.pop(number)
        content, log, results = decode_value(os.pread(self.results.fileno(), size, start))
        reads.add_log(log)
        add_results(results)
        return bytes(content)


def _end_process(process: int) -> None:
    """End a process, if it still runs, and wait for that; another one may have its number after that."""
    with suppress(ChildProcessError):
        if os.waitpid(process, os.WNOHANG) == (0, 0):
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
