"""What values take of memory, counted in the steps that an expression may take.

Whoever makes a value takes its steps first, so what there are no steps for is never made.
"""

from __future__ import annotations

from kitgen.crds.cel.run.values import Take, Value

BYTES = 64
"""How much of memory one step stands for; what is smaller counts with what holds it."""
ENTRY, PAIR, TEXT, WIDE = 8, 128, 64, 4
"""Bytes that are taken by an entry of a list, by one of a map, by a text beside its characters, and by the
widest of these."""
COMPARED = 1024
"""How many characters are compared in one step."""


def stored(value: Value) -> int:
    """Return how many bytes a text, bytes, a list or a map takes, without what its entries hold."""
    if isinstance(value, str):
        return len(value) if value.isascii() else WIDE * len(value)
    if isinstance(value, list):
        return ENTRY * len(value)
    if isinstance(value, bytes):
        return len(value)
    return PAIR * len(value) if isinstance(value, dict) else 0


def reserve(size: int, take: Take) -> None:
    """Take the steps of so many bytes that are about to be made."""
    take(size // BYTES)
