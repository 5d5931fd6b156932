"""Compare the objects of each target with those that are there before them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kitgen.check.context import CheckContext, CheckHit
from kitgen.compare.crd_match import Crds, changed_crds, moved_groups
from kitgen.compare.object_match import match
from kitgen.compare.upgrade import rules  # noqa: F401 # known even where nothing is upgraded
from kitgen.compare.upgrade.crds import broken
from kitgen.compare.upgrade.declared_moves import Declarations
from kitgen.compare.upgrade.immutable import unchangeable
from kitgen.compare.upgrade.permissions import permissions
from kitgen.compare.upgrade.removed_objects import lost, moved, renamed
from kitgen.compare.upgrade.services import ports_gone
from kitgen.compare.upgrade.versions import versions_back
from kitgen.compare.upgrade.webhooks import refusing
from kitgen.findings import Problem
from kitgen.kube.manifest import Manifest
from kitgen.kube.names import NAME_INVALID, NAMED_BY_SERVER


def check(context: CheckContext) -> Iterator[CheckHit]:
    """Yield what stops the upgrade of a target, and what it loses."""
    for target, before in context.before.items():
        if target in context.targets:
            yield from upgraded(context, target, before)


def upgraded(context: CheckContext, target: str, before: Sequence[Manifest]) -> Iterator[CheckHit]:
    """Yield what stops the upgrade of a target, and what it loses."""
    now = context.targets[target]
    crds = changed_crds(before, now, context.moves)
    said = Declarations(*crds, context.moves)
    owners = {each.id.name: each for each in now if each.id.name in crds[1]}
    yield from (said.accepting(CheckHit(target, *each)) for each in _problems(context, target, before, crds))
    for each in broken(*crds, context.moves):
        yield CheckHit(target, owners[each.crd], each.problem, said.reason(each))
    releases = {plan.target.name: plan.release.name for plan in context.plans}
    yield from said.passed(target, owners, releases.get(target, ""))


def _problems(
    context: CheckContext, target: str, before: Sequence[Manifest], crds: tuple[Crds, Crds]
) -> Iterator[tuple[Manifest, Problem]]:
    """Yield what is wrong with objects, and with those that are gone."""
    now = context.targets[target]
    groups = moved_groups(*crds, context.moves)
    matched = match(before, now, groups)
    for old, new in matched.pairs:
        if old.body != new.body:
            yield from ((new, each) for each in versions_back(old.body, new.body))
            yield from ((new, each) for each in ports_gone(old.body, new.body))
    for old, new in matched.kept:
        if old.body != new.body:
            minors = context.minors_of(target, new)
            yield from ((new, each) for each in unchangeable(old.body, new.body, minors))
    yield from ((new, renamed(old.body, new.body)) for old, new in matched.renamed)
    nameless = NAME_INVALID("found an object without a name, which no update can reach")
    named_later = (each for each in now if (each.id.group, each.id.kind) in NAMED_BY_SERVER)
    yield from ((each, nameless) for each in named_later if not each.id.name)
    for some, problem in moved(matched.moved):
        yield min((new for _, new in some), key=lambda new: new.id), problem
    yield from (*lost(matched), *permissions(before, now, matched, groups), *refusing(matched))
