"""Two processes make what one makes, and nothing is left of the second one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from select import POLLIN, poll
from typing import Any

import pytest

from kitgen.files import reads, workers
from kitgen.files.results import decode_value, encode_value
from kitgen.files.workers import share_work

pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")


class Meeting:
    """The first two items wait for each other, so that each is made by another process."""

    def __init__(self) -> None:
        self.parent = os.getpid()
        self.ends = os.pipe(), os.pipe()

    def join(self, number: int) -> bool:
        """Return whether this is the second process."""
        if number < 2:
            os.write(self.ends[number][1], b"x")
            other = poll()
            other.register(self.ends[1 - number][0], POLLIN)
            other.poll()
        return os.getpid() != self.parent


@pytest.fixture
def meeting(monkeypatch: pytest.MonkeyPatch) -> Iterator[Meeting]:
    started: list[int] = []
    fork = os.fork

    def note_process() -> int:
        if process := fork():
            started.append(process)
        return process

    monkeypatch.setattr(workers, "count_processors", lambda: 2)
    monkeypatch.setattr(os, "fork", note_process)
    made = Meeting()
    yield made
    for each in (*made.ends[0], *made.ends[1]):
        os.close(each)
    for process in started:
        with pytest.raises(ChildProcessError):  # it is not left
            os.waitpid(process, os.WNOHANG)


def run(work: Any, count: int, alone: float = 0) -> list[Any]:
    with share_work(work, range(count), encode_value, decode_value, alone=alone) as results:
        return [*results]


@pytest.mark.parametrize("count", [0, 1, 2, 3, 1000])
def test_results_are_those_of_one_process(meeting: Meeting, count: int) -> None:
    def work(number: int) -> str:
        return str(number) * (number % 70) * 100

    assert run(work, count) == run(work, count, alone=60) == [*map(work, range(count))]


def test_both_processes_work(meeting: Meeting) -> None:
    assert {*run(meeting.join, 100)[:2]} == {False, True}


@pytest.mark.parametrize("wrong", ["error", "killed", "exit", "not data"])
def test_what_the_second_process_cannot_do_is_done_here(meeting: Meeting, wrong: str) -> None:
    def work(number: int) -> int:
        if not meeting.join(number):
            return number
        match wrong:
            case "error":
                raise ValueError("of the second process")
            case "killed":
                os.kill(os.getpid(), signal.SIGKILL)
            case "exit":
                sys.exit(3)
        return 2**70

    assert run(work, 100) == [*range(100)]


def test_an_error_comes_in_its_turn(meeting: Meeting) -> None:
    def work(number: int) -> int:
        meeting.join(number)
        if number in (1, 50):
            raise ValueError(number)
        return number

    with share_work(work, range(100), encode_value, decode_value, alone=0) as results:
        assert next(results) == 0
        with pytest.raises(ValueError, match="1"):
            next(results)


def test_leaving_early_ends_the_second_process(meeting: Meeting) -> None:
    def work(number: int) -> int:
        if meeting.join(number) and number > 1:
            signal.pause()  # for ever
        return number

    shared = share_work(work, range(100), encode_value, decode_value, alone=0)
    with pytest.raises(KeyboardInterrupt), shared as results:
        assert next(results) == 0
        os.kill(os.getpid(), signal.SIGINT)


def test_one_processor_makes_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "count_processors", lambda: 1)
    monkeypatch.setattr(os, "fork", lambda: pytest.fail("forked"))
    assert run(str, 3) == ["0", "1", "2"]


def test_a_system_without_room_makes_no_process(meeting: Meeting, monkeypatch: pytest.MonkeyPatch) -> None:
    def fork() -> int:
        raise BlockingIOError

    monkeypatch.setattr(os, "fork", fork)
    assert run(str, 3) == ["0", "1", "2"]


def test_what_the_second_process_reads_is_recorded(meeting: Meeting, tmp_path: Path) -> None:
    def work(number: int) -> None:
        meeting.join(number)
        reads.note_content(str(tmp_path), f"{number % 7}.yaml", b"x")
        if number == 9:
            reads.note_unrecorded()

    logs = []
    for alone in (0, 60):
        with reads.record_reads() as log:
            run(work, 9, alone)
        assert log.is_complete
        logs.append((log.contents, log.names, log.kinds))
    assert logs[0] == logs[1]
    assert len(log.contents) == 7
    with reads.record_reads() as log:
        run(work, 10)
    assert not log.is_complete


PRINTING = """\
import atexit, sys
from kitgen.files import workers
from kitgen.files.results import decode_value, encode_value
atexit.register(lambda: print("left"))
print("begun", end=" ")
workers.count_processors = lambda: 2
with workers.share_work(str, range(99), encode_value, decode_value, alone=0) as results:
    print(len([*results]))
"""


def test_nothing_is_printed_twice() -> None:
    done = subprocess.run([sys.executable, "-c", PRINTING], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("begun 99\nleft\n", "")
