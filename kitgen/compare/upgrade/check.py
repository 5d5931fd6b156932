"""Check the upgrade of each target for which it is known what is there before."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.check.context import CheckContext, CheckHit


def check(context: CheckContext) -> Iterator[CheckHit]:
    """Yield what stops the upgrade of a target, and what it loses."""
    for target, before in context.before.items():
        if target in context.targets:
            from kitgen.compare.upgrade.objects import (
                check_target_upgrade,
            )  # most runs know of nothing before

            yield from check_target_upgrade(context, target, before)
