"""Edits of files that belong to people: none can be made without the text that was read."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from kitgen.errors import KitgenError


class Edit(Struct, frozen=True):
    """What becomes of a file that belongs to people."""

    before: str | None
    """The text that was read; None if there was no file."""
    after: str | None
    """The text to write; None if the file is to go."""


def changed_meanwhile(path: Path) -> KitgenError:
    """Return the error for a file that does not hold what was read."""
    return KitgenError(f"{path} was changed meanwhile", hint="run the command again")
