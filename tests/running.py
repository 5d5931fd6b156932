"""Run commands in this process, as the shell would see them."""

from __future__ import annotations

import gc
import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO, TextIOWrapper
from pathlib import Path
from unittest.mock import patch

import click
from click.testing import CliRunner, Result

from kitgen.app.main import main
from kitgen.files import workers

OBJECT = re.compile(
    r"<[A-Z_]\w*\.[A-Z_]+: |<[\w.]+ object at 0x|<(class|enum|function|module|generator) '?\w"
)
"""How Python shows members of enumerations, and what has no words of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What a command left behind."""

    code: int
    out: str
    err: str


class Terminal(TextIOWrapper):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def run(*args: object, stdin: str = "", terminal: bool = False) -> Run:
    """Run a command to its end; an exception other than its exit is a bug and gets through."""
    kind = Terminal if terminal else TextIOWrapper
    out, err = kind(BytesIO(), "utf-8"), kind(BytesIO(), "utf-8")
    given = TextIOWrapper(BytesIO(stdin.encode()), "utf-8")
    code: int | str | None = 0
    with _streams(given, out, err), patch.object(sys, "argv", ["kitgen", *map(str, args)]):
        try:
            main()
        except SystemExit as stop:
            code = stop.code
        finally:
            gc.enable()  # a command lives too short to collect; tests do not
    done = Run(code=_number(code), out=_text(out), err=_text(err))
    assert not OBJECT.search(done.out + done.err), "a message shows an object as Python does"
    return done


@contextmanager
def processes(count: int) -> Iterator[None]:
    """Have commands share their work among so many processes, however little it is."""
    with (
        warnings.catch_warnings(action="ignore", category=DeprecationWarning),  # of threads, which tests have
        patch.object(workers, "ALONE", 0),
        patch.object(workers, "count_processors", lambda: count),
    ):
        yield


def trees(root: Path) -> dict[str, str]:
    """Return what a kit builds of its component hello: own, by itself, and one tree for each target."""
    sources = {path.stem: (path.stem, "hello") for path in (root / "targets").iterdir()}
    named = {"own": ("component:hello@v1.0.0",), **sources}
    return {name: run("build", *source, "--root", root).out for name, source in named.items()}


def invoke(command: click.Command, *args: object, stdin: str | None = None) -> Result:
    """Run one command without what surrounds it, so that its exceptions get through."""
    result = CliRunner().invoke(command, [str(arg) for arg in args], input=stdin)
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@contextmanager
def _streams(given: TextIOWrapper, out: TextIOWrapper, err: TextIOWrapper) -> Iterator[None]:
    with (
        patch.object(sys, "stdin", given),
        patch.object(sys, "stdout", out),
        patch.object(sys, "stderr", err),
    ):
        yield


def _number(code: int | str | None) -> int:
    assert code is None or isinstance(code, int)
    return int(code or 0)


def _text(stream: TextIOWrapper) -> str:
    stream.flush()
    buffer = stream.buffer
    assert isinstance(buffer, BytesIO)
    return buffer.getvalue().decode()
