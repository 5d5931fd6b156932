"""Compare the objects of a target with those that are there before them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kitgen.check.context import CheckContext, CheckHit
from kitgen.compare.crd_match import Crds, find_moved_groups, select_changed_crds
from kitgen.compare.object_match import match_objects
from kitgen.compare.upgrade.crds import check_crd_changes
from kitgen.compare.upgrade.declared_moves import Declarations
from kitgen.compare.upgrade.immutable import check_immutable_fields
from kitgen.compare.upgrade.permissions import check_permissions
from kitgen.compare.upgrade.removed_objects import (
    check_removed_objects,
    report_namespace_moves,
    report_rename,
)
from kitgen.compare.upgrade.services import check_service_ports
from kitgen.compare.upgrade.versions import check_downgrades
from kitgen.compare.upgrade.webhooks import check_failing_webhooks
from kitgen.findings import Problem
from kitgen.kube.manifest import Manifest
from kitgen.kube.names import NAME_INVALID, NAMED_BY_SERVER


def check_target_upgrade(
    context: CheckContext, target: str, before: Sequence[Manifest]
) -> Iterator[CheckHit]:
    """Yield what stops the upgrade of a target, and what it loses."""
    now = context.targets[target]
    crds = select_changed_crds(before, now, context.moves)
    said = Declarations(*crds, context.moves)
    owners = {each.id.name: each for each in now if each.id.name in crds[1]}
    yield from (
        said.accept_hit(CheckHit(target, *each)) for each in _check_objects(context, target, before, crds)
    )
    for each in check_crd_changes(*crds, context.moves):
        yield CheckHit(target, owners[each.crd], each.problem, said.reason_for(each))
    releases = {plan.target.name: plan.release.name for plan in context.plans}
    yield from said.check_migrations(target, owners, releases.get(target, ""))


def _check_objects(
    context: CheckContext, target: str, before: Sequence[Manifest], crds: tuple[Crds, Crds]
) -> Iterator[tuple[Manifest, Problem]]:
    """Yield what is wrong with objects, and with those that are gone."""
    now = context.targets[target]
    groups = find_moved_groups(*crds, context.moves)
    matched = match_objects(before, now, groups)
    for old, new in matched.pairs:
        if old.body != new.body:
            yield from ((new, each) for each in check_downgrades(old.body, new.body))
            yield from ((new, each) for each in check_service_ports(old.body, new.body))
    for old, new in matched.kept:
        if old.body != new.body:
            minors = context.minors_of(target, new)
            yield from ((new, each) for each in check_immutable_fields(old.body, new.body, minors))
    yield from ((new, report_rename(old.body, new.body)) for old, new in matched.renamed)
    nameless = NAME_INVALID("found an object without a name, which no update can reach")
    named_later = (each for each in now if (each.id.group, each.id.kind) in NAMED_BY_SERVER)
    yield from ((each, nameless) for each in named_later if not each.id.name)
    for some, problem in report_namespace_moves(matched.moved):
        yield min((new for _, new in some), key=lambda new: new.id), problem
    yield from (
        *check_removed_objects(matched),
        *check_permissions(before, now, matched, groups),
        *check_failing_webhooks(matched),
    )
