"""Of many like cases, the first run every time; `make attacks` runs the others too, and more examples."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import settings


def first(cases: Iterable[Any], count: int = 1) -> list[Any]:
    """Return cases, of which only the first few are for every run."""
    return [
        each
        if number < count
        else pytest.param(*(each if isinstance(each, tuple) else (each,)), marks=pytest.mark.exhaustive)
        for number, each in enumerate(cases)
    ]


def few() -> settings:
    """Try fewer examples than of other properties, since each takes long; attacks try more here, too."""
    return settings(max_examples=max(5, settings().max_examples * 3 // 10))
