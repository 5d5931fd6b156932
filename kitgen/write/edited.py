"""Refuse to write over what somebody edited between reading and writing."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from kitgen.errors import KitgenError
from kitgen.reading import LARGEST, read_file


def refuse_changed(
    root: Path, read: Mapping[str, str] | Mapping[Path, str], new: Iterable[str] | Iterable[Path]
) -> None:
    """Raise if a file does not hold the text that was read, or one is there that was not."""
    for path, text in read.items():
        try:
            same = read_file(root / path, LARGEST, links=True) == text.encode()
        except OSError:
            same = False
        if not same:
            raise changed_meanwhile(root / path)
    for path in new:
        if path not in read and os.path.lexists(root / path):
            raise changed_meanwhile(root / path)


def changed_meanwhile(path: Path) -> KitgenError:
    """Return the error for a file that is not as it was read."""
    return KitgenError(f"{path} was changed meanwhile", hint="run the command again")
