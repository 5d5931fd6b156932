"""Values that an API server reads in a way of its own: amounts, numbers of so many bits, times."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TypeAlias

from kitgen.check.server.rules import SERVER_INVALID
from kitgen.crds.validate.times import is_timestamp
from kitgen.findings import Problem
from kitgen.schema.wording import shown
from kitgen.yamlio import Json

Reader: TypeAlias = Callable[[Json], Problem | None]
"""Tells what is wrong with a value; of another type than it should be schemas tell."""

DIGITS = r"[+-]?[0-9]*(?:\.[0-9]*)?"
AMOUNT = re.compile(rf"(?=.){DIGITS}(?:[numkMGTPE]|[KMGTPE]i|[eE][+-]?[0-9]{{1,18}})?")
EXAMPLE = "an amount such as 500m, 2 or 1.5Gi"
TIME = "a time such as 2024-01-31T12:00:00Z"


def is_amount(value: Json) -> bool:
    """Tell whether an API server reads a value as an amount; it needs no digit before a unit."""
    if isinstance(value, str):
        return AMOUNT.fullmatch(value.strip(" \t\n\v\f\r")) is not None
    return True


def _amount(value: Json) -> Problem | None:
    if value is None or is_amount(value):
        return None
    return SERVER_INVALID(f"found {shown(value)}, expected {EXAMPLE}")


def _number(bits: int) -> Reader:
    bound = 1 << (bits - 1)

    def read(value: Json) -> Problem | None:
        if isinstance(value, bool) or not isinstance(value, int | float) or -bound <= value < bound:
            return None
        return SERVER_INVALID(f"found {shown(value)}, expected a number of {bits} bits")

    return read


def _time(value: Json) -> Problem | None:
    if not isinstance(value, str) or is_timestamp(value):
        return None
    return SERVER_INVALID(f"found {shown(value)}, expected {TIME}")


READERS: Mapping[str, Reader] = {
    "int32": _number(32),
    "int64": _number(64),
    "intstr.IntOrString": _number(32),
    "meta/v1.MicroTime": _time,
    "meta/v1.Time": _time,
    "resource.Quantity": _amount,
}
"""Short name of a definition, or format of a number → who reads such values."""
