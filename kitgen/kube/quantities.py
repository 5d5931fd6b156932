"""Quantities of Kubernetes, compared by value: 1 and 1000m of a resource are the same amount."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache

from kitgen.text.patterns import compile_late

FORM = compile_late(
    r"([+-]?(?:\d{1,60}(?:\.\d{0,60})?|\.\d{1,60}))(?:[eE]([+-]?\d{1,3})|([numkMGTPE]|[KMGTPE]i)?)", re.ASCII
)
POWERS = {"n": -9, "u": -6, "m": -3, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}


def parse_amount(value: object) -> Fraction | None:
    """Return how much a quantity is; None for what is none."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    return _parse_amount(str(value))


@lru_cache(maxsize=4096)
def _parse_amount(text: str) -> Fraction | None:
    if (match := FORM.fullmatch(text)) is None:
        return None
    number, exponent, suffix = match.groups()
    if suffix in BINARY:
        return Fraction(number) * (1 << BINARY[suffix])
    power = int(exponent) if exponent else POWERS.get(suffix or "", 0)
    return Fraction(number) * (Fraction(10**power) if power >= 0 else Fraction(1, 10**-power))


def is_same_quantity(left: object, right: object) -> bool:
    """Return whether two values are the same quantity."""
    found = parse_amount(left)
    return found is not None and found == parse_amount(right)
