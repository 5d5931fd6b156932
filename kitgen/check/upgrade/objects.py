"""Hold the objects of each target against those that are there before them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kitgen.check.context import Context, Hit
from kitgen.check.upgrade.crds import broken, moves
from kitgen.check.upgrade.gone import lost, moved, renamed
from kitgen.check.upgrade.immutable import unchangeable
from kitgen.check.upgrade.match import match
from kitgen.check.upgrade.permissions import permissions
from kitgen.check.upgrade.versions import ports_gone, versions_back
from kitgen.objects import Manifest


def check(context: Context) -> Iterator[Hit]:
    """Yield what stops the upgrade of a target, and what it loses."""
    for target, before in context.before.items():
        if target in context.targets:
            yield from _upgraded(context, target, before, context.targets[target])


def _upgraded(
    context: Context, target: str, before: Sequence[Manifest], now: Sequence[Manifest]
) -> Iterator[Hit]:
    groups = moves(before, now)
    matched = match(before, now, groups)
    for old, new in matched.pairs:
        if old.body == new.body:
            continue
        for problem in versions_back(old.body, new.body):
            yield Hit(target, new, problem)
        for problem in (*permissions(old.body, new.body, groups), *ports_gone(old.body, new.body)):
            yield Hit(target, new, problem)
    for old, new in matched.kept:
        if old.body != new.body:
            for problem in unchangeable(old.body, new.body, context.minors_of(target, new)):
                yield Hit(target, new, problem)
    for old, new in matched.renamed:
        yield Hit(target, new, renamed(old.body, new.body))
    for manifest, problem in (*moved(matched.moved), *lost(matched)):
        yield Hit(target, manifest, problem)
    crds = {each.id.name: each for each in now}
    for name, problem in broken(before, now):
        yield Hit(target, crds[name], problem)
