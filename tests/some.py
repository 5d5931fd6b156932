"""Many like cases: rows of a table in one test, or the first of them every time.

`make attacks` runs the others too, and more examples.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from functools import wraps
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


def rows(
    names: str | tuple[str, ...], table: Iterable[Any]
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Run a test for every row of a table, as one test: for a small row, a test of its own takes longer.

    All rows are tried, and those that fail are named. Fixtures are made once for all of them.
    """
    single = isinstance(names, str)
    listed = [(row,) if single else row for row in table]
    keys = (names,) if isinstance(names, str) else names

    def joined(test: Callable[..., None]) -> Callable[..., None]:
        @wraps(test)
        def every(**given: Any) -> None:
            failed = []
            for number, row in enumerate(listed):
                try:
                    test(**given, **dict(zip(keys, row, strict=True)))
                except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001 # the others are tried, too
                    error.add_note(f"row {number}: {row!r:.1000}")
                    failed.append(error)
            if failed:
                raise BaseExceptionGroup(f"{len(failed)} of {len(listed)} rows", failed)

        known = inspect.signature(test).parameters
        left = [each for name, each in known.items() if name not in keys]
        every.__signature__ = inspect.Signature(left)  # type: ignore[attr-defined]
        return every

    return joined


def few() -> settings:
    """Try fewer examples than of other properties, since each takes long; attacks try more here, too."""
    return settings(max_examples=max(5, settings().max_examples * 3 // 10))
