"""Of many like cases, the first ones run every time; `make attacks` runs the others too."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def first(cases: Iterable[Any], count: int = 1) -> list[Any]:
    """Return cases, of which only the first few are for every run."""
    return [
        each
        if number < count
        else pytest.param(*(each if isinstance(each, tuple) else (each,)), marks=pytest.mark.exhaustive)
        for number, each in enumerate(cases)
    ]
