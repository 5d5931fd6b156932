"""One target held against what is there before it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kitgen.check.context import Context, Hit
from kitgen.check.upgrade.crds import broken, moves, sound
from kitgen.check.upgrade.gone import lost, moved, renamed
from kitgen.check.upgrade.immutable import unchangeable
from kitgen.check.upgrade.match import match
from kitgen.check.upgrade.permissions import permissions
from kitgen.check.upgrade.versions import ports_gone, versions_back
from kitgen.objects import Manifest


def upgraded(context: Context, target: str, before: Sequence[Manifest]) -> Iterator[Hit]:
    """Yield what stops the upgrade of a target, and what it loses."""
    now = context.targets[target]
    crds = sound(before, now)
    groups = moves(*crds)
    matched = match(before, now, groups)
    for old, new in matched.pairs:
        if old.body != new.body:
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
    owners = {each.id.name: each for each in now if each.id.name in crds[1]}
    for name, problem in broken(*crds):
        yield Hit(target, owners[name], problem)
