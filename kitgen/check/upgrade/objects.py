"""Hold the objects of each target against those that are there before them."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.check.context import Context, Hit
from kitgen.check.upgrade import rules  # noqa: F401 # known even where nothing is upgraded


def check(context: Context) -> Iterator[Hit]:
    """Yield what stops the upgrade of a target, and what it loses."""
    for target, before in context.before.items():
        if target in context.targets:
            from kitgen.check.upgrade.target import upgraded  # most checks are of no upgrade

            yield from upgraded(context, target, before)
