"""Spool texts to the disk until all of them are known, and keep a copy of what was read."""

from __future__ import annotations

import os
import tempfile
from array import array
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import BinaryIO

from kitgen.files.atomic import remove_abandoned_files, write_private_file
from kitgen.files.read import open_regular_file
from kitgen.findings.errors import KitgenError, UsageError

CHUNK = 1 << 20


class SpooledTexts:
    """Texts by their numbers, in a private file that is gone with the process."""

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
        """Discard all texts."""
        self._file.close()

    def clear(self) -> None:
        """Forget all texts."""
        self._file.seek(0)
        self._file.truncate()
        self._ends = array("Q", [0])

    def read_texts(self, numbers: Iterable[int]) -> Iterator[str]:
        """Yield texts by their numbers."""
        for number in numbers:
            start, end = self._ends[number], self._ends[number + 1]
            self._file.seek(start)
            yield self._file.read(end - start).decode("utf-8")


def save_private_copy(source: BinaryIO, path: Path) -> None:
    """Keep all bytes of a file in a new one that only its owner reads, and have them reach the disk.

    A copy that is there already is taken for the one that an earlier run made; anything else there stops it.
    """
    try:
        if not os.path.lexists(path):
            write_private_file(path, _read_chunks(source))
        elif _is_copy(source, path):
            remove_abandoned_files(path.parent)
        else:
            raise UsageError(
                f"{str(path)!r} is there already", hint="a backup never takes the place of a file"
            )
    except OSError as error:
        raise KitgenError(f"cannot write {path}: {error.strerror}") from error


def _read_chunks(source: BinaryIO) -> Iterator[bytes]:
    """Return all bytes of a file, in parts."""
    source.seek(0)
    return iter(partial(source.read, CHUNK), b"")


def _is_copy(source: BinaryIO, path: Path) -> bool:
    """Return whether a file holds the same bytes."""
    try:
        with open_regular_file(path) as copy:
            return all(copy.read(len(part)) == part for part in _read_chunks(source)) and not copy.read(1)
    except OSError:
        return False
