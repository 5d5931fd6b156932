"""Run external programs: the only module that does.

A program that is missing, cannot start or takes too long is a `KitgenError`; its exit code is for the caller
to interpret.
"""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from math import ceil
from pathlib import Path
from selectors import EVENT_READ, DefaultSelector
from tempfile import TemporaryFile
from time import monotonic
from typing import IO

from msgspec import Struct

from kitgen.files import reads
from kitgen.findings.errors import KitgenError
from kitgen.text.patterns import compile_late

TIMEOUT = 30.0
"""Seconds that a program may take unless the caller says otherwise."""
OFFLINE = {"GIT_ALLOW_PROTOCOL": "none", "GIT_TERMINAL_PROMPT": "0"}
"""Variables that keep git, whoever runs it, from fetching anything."""
IN_HASTE = {"GOGC": "400"}
"""For programs in Go that soon end: less care for memory takes a quarter of kustomize's time away."""
SHOWN = 500
"""Characters of its complaint that are worth a look."""
LOGGED = compile_late(r'^E\d{4} [\d:.]+ +\d+ \S+\] "command failed" err="(.*)"$')
"""How kubectl logs an error that is long: with the time, which is never the same."""
ADDRESS = compile_late(r"\b0x[0-9a-f]{6,16}\b")
"""How Go shows where something is in memory, which is never the same."""
LITERAL = compile_late(r"(literal sources?|env sources?|JSON patch from)\b(?! cannot).*")
"""How kustomize quotes values of a generator, or a patch, which may be secrets; little more follows."""
FATAL = "fatal: "
"""How git starts the line that says why it ends; at the end of a file system, advice comes behind it."""
CLOSING = "\n >"
"""How kubectl ends an error of several lines."""
KUSTOMIZE = (("kustomize", "build"), ("kubectl", "kustomize"))
"""Commands that build a kustomization."""
MAX_OUTPUT = 64 * 1024 * 1024
"""Bytes that it may write; whatever it answers with, it is held in memory."""


class ProgramResult(Struct, frozen=True, kw_only=True):
    """What a program left behind."""

    code: int
    """The exit code; negative when a signal ended it."""
    out: bytes
    """What it wrote to its standard output."""
    stderr: str

    @property
    def stdout(self) -> str:
        """Return its standard output as text."""
        return self.out.decode(errors="replace")

    @property
    def is_successful(self) -> bool:
        """Return whether the program says that it did its work."""
        return self.code == 0

    @property
    def error_message(self) -> str:
        """Return the last line that it wrote to its standard error, of git the one that says why."""
        lines = self.stderr.strip().removesuffix(CLOSING).strip().splitlines()
        lines = [line for line in lines if line.startswith(FATAL)] or lines
        last = LOGGED.sub(r"\1", lines[-1].strip()).removeprefix("error: ") if lines else ""
        last = last.removeprefix("`: ")  # behind a quotation of several lines
        return ADDRESS.sub("0x…", LITERAL.sub(r"\1 (hidden)", last))[:SHOWN] or f"exit code {self.code}"


def run_program(
    argv: Sequence[str],
    *,
    input: str | None = None,  # noqa: A002 # the name that subprocess uses
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    timeout: float = TIMEOUT,
) -> ProgramResult:
    """Run a program to its end and return what it wrote; `env` stands in for kitgen's own variables."""
    with start_program(argv, input=input, cwd=cwd, env=env, timeout=timeout) as wait:
        return wait()


@contextmanager
def start_program(
    argv: Sequence[str],
    *,
    input: str | None = None,  # noqa: A002 # the name that subprocess uses
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    timeout: float = TIMEOUT,
    processor: float | None = None,
) -> Iterator[Callable[[], ProgramResult]]:
    """Start a program, and yield a function that waits for its end; leaving before that ends it.

    Where the system can tell, it ends when it has used so many seconds of the processor.
    """
    reads.note_unrecorded()
    with ExitStack() as stack:
        given: IO[bytes] | int = subprocess.DEVNULL
        if input is not None:  # in a file, since a program need not read before it writes
            given = stack.enter_context(TemporaryFile())
            given.write(input.encode())
            given.seek(0)
        process = stack.enter_context(_start_process(argv, given, cwd, env))
        stack.callback(_kill_process, process)
        if processor is not None and sys.platform == "linux":
            with suppress(ProcessLookupError):
                resource.prlimit(process.pid, resource.RLIMIT_CPU, (max(1, ceil(processor)),) * 2)
        end = monotonic() + timeout
        yield lambda: _wait_for_result(process, argv[0], end, timeout)


def _wait_for_result(
    process: subprocess.Popen[bytes], name: str, end: float, timeout: float
) -> ProgramResult:
    """Wait for a program, and return what it left behind."""
    try:
        out, err = _read_outputs(process, end)
    except TimeoutError as error:
        raise KitgenError(
            f"{name!r} took longer than {timeout:g} seconds", hint="try it by hand to see what it waits for"
        ) from error
    except OverflowError as error:
        raise KitgenError(
            f"{name!r} wrote more than {MAX_OUTPUT // 2**20} MiB, expected at most that",
            hint="try it by hand to see what it writes",
        ) from error
    return ProgramResult(code=process.returncode, out=out, stderr=err.decode(errors="replace"))


def _start_process(
    argv: Sequence[str], given: IO[bytes] | int, cwd: Path | None, env: Mapping[str, str] | None
) -> subprocess.Popen[bytes]:
    name = argv[0]
    try:
        return subprocess.Popen(
            argv,
            stdin=given,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cwd,
            env=env,
            start_new_session=True,  # so that its children can be ended with it
        )
    except FileNotFoundError as error:
        if cwd is not None and not cwd.is_dir():
            raise KitgenError(f"cannot run {name!r} in {cwd}: no such folder") from error
        raise KitgenError(
            f"cannot run {name!r}: no such program", hint="install it, or put it on PATH"
        ) from error
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise KitgenError(f"cannot run {name!r}: {reason}", hint="check that it is a program") from error


def _read_outputs(process: subprocess.Popen[bytes], end: float) -> tuple[bytes, bytes]:
    """Return what a program writes until it ends; TimeoutError or OverflowError if that is too much."""
    streams = [stream for stream in (process.stdout, process.stderr) if stream]
    written = {stream.fileno(): bytearray() for stream in streams}
    with DefaultSelector() as ready:
        for handle in written:
            ready.register(handle, EVENT_READ)
        while ready.get_map():
            events = ready.select(max(0, end - monotonic()))
            if monotonic() >= end:
                raise TimeoutError
            for key, _ in events:
                part = os.read(key.fd, 1 << 16)
                written[key.fd] += part
                if not part:
                    ready.unregister(key.fd)
            if sum(map(len, written.values())) > MAX_OUTPUT:
                raise OverflowError
    try:
        process.wait(max(0, end - monotonic()))
    except subprocess.TimeoutExpired as error:
        raise TimeoutError from error
    out, err = written.values()
    return bytes(out), bytes(err)


def _kill_process(process: subprocess.Popen[bytes]) -> None:
    """End the program and its children, if it still runs."""
    if process.poll() is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


def measure_cpu_seconds() -> float:
    """Return the seconds of the processor that programs have used so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def find_kustomize() -> list[str] | None:
    """Return the command that builds a kustomization, or None if there is none on PATH."""
    return next(([*command] for command in KUSTOMIZE if shutil.which(command[0])), None)


def require_kustomize() -> list[str]:
    """Return the command that builds a kustomization, or say what to install."""
    if command := find_kustomize():
        return command
    raise KitgenError("found neither kustomize nor kubectl on PATH", hint="install one of them")
