"""Prepare the standard streams for commands, whatever the caller did to them.

No other module looks at terminals, or at the environment variables about them.
"""

from __future__ import annotations

import errno
import io
import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer as Buffer


class _Outlet(io.FileIO):
    """Writes to a stream for as long as somebody reads it; a command ends alike whether anybody does."""

    def __init__(self, handle: int, accepted: type[OSError]) -> None:
        super().__init__(handle, "wb", closefd=False)
        self.accepted = accepted

    def write(self, data: Buffer) -> int:
        try:
            while (written := super().write(data)) is None:  # the caller made the pipe not wait
                from select import select

                select([], [self], [])
        except self.accepted:
            return memoryview(data).nbytes
        return written


class _Closed(io.RawIOBase):
    """Stands for a stream that the caller closed: using it is an error."""

    def readable(self) -> bool:
        return True

    def writable(self) -> bool:
        return True

    def readinto(self, _: object) -> int:
        raise OSError(errno.EBADF, "standard input is closed")

    def write(self, _: object) -> int:
        raise OSError(errno.EBADF, "standard output is closed")


def prepare_streams() -> None:
    """Make all three usable: closed ones say so when they are used, and no character is too strange.

    A file or a pipe gets UTF-8, as manifests are; a terminal shows what it cannot with a backslash.
    """
    with suppress(OSError):
        while (handle := os.open(os.devnull, os.O_RDWR)) <= 2:  # or a file of ours would be it
            pass
        os.close(handle)
    sys.stdin = sys.stdin or io.TextIOWrapper(io.BufferedReader(_Closed()))
    sys.stdout = sys.stdout or io.TextIOWrapper(io.BufferedWriter(_Closed()))
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123
    # A reader who leaves, as in `build odh | head`, is no error; of standard error nobody could be told.
    sys.stdout = _wrap_stream(sys.stdout, ConnectionError)
    sys.stderr = _wrap_stream(sys.stderr, OSError)


def _wrap_stream(stream: TextIO, accepted: type[OSError]) -> TextIO:
    with suppress(OSError):  # a stream of Python's own has no number
        stream = io.TextIOWrapper(
            io.BufferedWriter(_Outlet(stream.fileno(), accepted)),
            stream.encoding,
            line_buffering=stream is sys.stderr or stream.isatty(),
        )
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(
            encoding=stream.encoding if stream.isatty() else "utf-8", errors="backslashreplace"
        )
    return stream


def drop_stdout() -> None:
    """Forget what standard output still holds: it cannot be written."""
    sys.stdout = io.StringIO()


def has_colour(stream: TextIO) -> bool:
    """Return whether a stream gets colour: NO_COLOR, then FORCE_COLOR, then what the terminal can do."""
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or can_move_cursor(stream)


def can_move_cursor(stream: TextIO) -> bool:
    """Return whether lines of a stream can be written over."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def format_patch(text: str) -> str:
    """Return a patch as it is for `patch`, or printable for people."""
    from kitgen.text.wording import escape_unprintable  # most commands print no patch

    return (
        "".join(f"{escape_unprintable(line)}\n" for line in text.splitlines())
        if sys.stdout.isatty()
        else text
    )


def get_terminal_width(stream: TextIO) -> int:
    """Return how many characters a line has room for: COLUMNS, or as the terminal is wide; 0 is no end."""
    told = os.environ.get("COLUMNS", "")
    if told.isdecimal() and 0 < len(told) < 6:
        return int(told)
    from shutil import get_terminal_size

    return get_terminal_size().columns if stream.isatty() else 0
