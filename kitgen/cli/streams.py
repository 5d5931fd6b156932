"""Standard streams as commands need them, whatever the caller made of them."""

from __future__ import annotations

import errno
import io
import os
import sys
from contextlib import suppress
from typing import TextIO


class _Closed(io.RawIOBase):
    """Stands for a stream that the caller closed: whoever needs it learns so."""

    def readable(self) -> bool:
        return True

    def writable(self) -> bool:
        return True

    def readinto(self, _: object) -> int:
        raise OSError(errno.EBADF, "standard input is closed")

    def write(self, _: object) -> int:
        raise OSError(errno.EBADF, "standard output is closed")


def prepare() -> None:
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
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            encoding = stream.encoding if stream.isatty() else "utf-8"
            stream.reconfigure(encoding=encoding, errors="backslashreplace")


def drop(*kept: TextIO) -> None:
    """Forget what the streams still hold, but for those kept: nobody will read it."""
    nowhere = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123
    sys.stdout = sys.stdout if sys.stdout in kept else nowhere
    sys.stderr = sys.stderr if sys.stderr in kept else nowhere
