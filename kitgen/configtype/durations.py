"""Durations as Go writes them, in whole nanoseconds."""

from __future__ import annotations

import re

# No longer numbers than 64 bits hold: what is longer is wrong, whatever it means.
PIECE = re.compile(r"([0-9]{1,19})(?:\.([0-9]{1,19}))?(ns|us|\u00b5s|\u03bcs|ms|s|m|h)")
DURATION = re.compile(rf"0|({PIECE.pattern})+")
UNITS = {"ns": 1, "us": 10**3, "\u00b5s": 10**3, "\u03bcs": 10**3, "ms": 10**6, "s": 10**9}
UNITS |= {"m": 60 * 10**9, "h": 3600 * 10**9}


def nanoseconds(text: str | int) -> int:
    """Read a Go duration such as 1m30s; what is none is a ValueError."""
    if isinstance(text, int):
        return text
    if not DURATION.fullmatch(text):
        raise ValueError("no duration")
    return sum(
        int(whole) * UNITS[unit] + int(part or 0) * UNITS[unit] // 10 ** len(part)
        for whole, part, unit in PIECE.findall(text)
    )
