"""Hold the objects of each target against those that are there before them."""

from __future__ import annotations

from collections.abc import Iterator

import kitgen.check.upgrade.rules  # noqa: F401 # known even where nothing is upgraded
from kitgen.check.context import Context, Hit


def check(context: Context) -> Iterator[Hit]:
    """Yield what stops the upgrade of a target, and what it loses."""
    for target, before in context.before.items():
        if target in context.targets:
            from kitgen.check.upgrade.target import upgraded  # most checks are of no upgrade

            yield from upgraded(context, target, before)
