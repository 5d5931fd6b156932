"""What a stream can show: the one place that looks at terminals and at the variables about them."""

from __future__ import annotations

import os
from shutil import get_terminal_size
from typing import TextIO


def colour(stream: TextIO) -> bool:
    """Tell whether a stream gets colour: NO_COLOR, then FORCE_COLOR, then what the terminal can do."""
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or cursor(stream)


def cursor(stream: TextIO) -> bool:
    """Tell whether lines of a stream can be written over."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def columns(stream: TextIO) -> int:
    """Return how many characters a line has room for: COLUMNS, or as the terminal is wide; 0 is no end."""
    told = os.environ.get("COLUMNS", "")
    if told.isdecimal() and 0 < len(told) < 6:
        return int(told)
    return get_terminal_size().columns if stream.isatty() else 0
