"""Texts that wait on the disk until all of them are known, and a copy of what was read."""

from __future__ import annotations

import os
import shutil
import tempfile
from array import array
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from kitgen.errors import KitgenError, UsageError

CHUNK = 1 << 20


class Spooled:
    """Texts by their numbers, in a file that nobody else sees and that is gone with the process."""

    def __init__(self) -> None:
        """Start with none."""
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 # it is closed by whoever made it
        self._ends = array("Q", [0])

    def __len__(self) -> int:
        return len(self._ends) - 1

    def add(self, text: str) -> None:
        """Keep a text, which gets the next number."""
        self._ends.append(self._ends[-1] + self._file.write(text.encode("utf-8")))

    def close(self) -> None:
        """Let go of all texts, for good."""
        self._file.close()

    def clear(self) -> None:
        """Forget all texts."""
        self._file.seek(0)
        self._file.truncate()
        self._ends = array("Q", [0])

    def texts(self, numbers: Iterable[int]) -> Iterator[str]:
        """Yield texts by their numbers."""
        for number in numbers:
            start, end = self._ends[number], self._ends[number + 1]
            self._file.seek(start)
            yield self._file.read(end - start).decode("utf-8")


def refuse_existing(path: Path) -> None:
    """Raise if there is something at a path that is to be written."""
    if os.path.lexists(path):
        raise UsageError(f"{str(path)!r} is there already", hint="a backup never takes the place of a file")


def keep_copy(source: BinaryIO, path: Path) -> None:
    """Write all bytes of a file to a new one that only its owner reads, and have them reach the disk."""
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except FileExistsError:
        refuse_existing(path)
        raise
    except OSError as error:
        raise KitgenError(f"cannot write {path}: {error.strerror}") from error
    try:
        with os.fdopen(handle, "wb") as copy:
            source.seek(0)
            shutil.copyfileobj(source, copy, CHUNK)
            copy.flush()
            os.fsync(copy.fileno())
    except OSError as error:
        with suppress(OSError):
            path.unlink()
        raise KitgenError(f"cannot write {path}: {error.strerror}") from error
