"""What the way from one release to the next does to kinds that move, the move itself aside.

Phases grant for one kind what is granted for the other, and take it back: that is what they are for. So the
releases are compared as they are, as if the old kind had the name of the new one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from kitgen.check.index import entries
from kitgen.check.migration.kinds import kinds_of
from kitgen.check.migration.mentions import mentions
from kitgen.check.migration.permissions import grants, names_resource
from kitgen.check.upgrade.gone import lost, renamed
from kitgen.check.upgrade.match import match
from kitgen.check.upgrade.permissions import permissions
from kitgen.check.upgrade.rules import UPGRADE_GONE
from kitgen.check.upgrade.webhooks import refusing
from kitgen.compile.phases.moving import Moved
from kitgen.findings import Problem
from kitgen.objects import Manifest
from kitgen.objects.rbac.rules import ALL, One


class Upgrade(Struct, frozen=True, kw_only=True):
    """Two releases of a target, and what moves between them; what goes is meant to."""

    moved: Moved
    before: Sequence[Manifest]
    now: Sequence[Manifest]

    def is_about(self, one: One) -> bool:
        """Tell whether a permission is one for a kind that goes to another CRD; roles know no versions."""
        resource = one.resource.partition("/")[0]
        return any(
            one.group == side.name.group and resource in (side.plural, ALL)
            for each in self.moved.across
            for side in (each.old, each.new)
        )

    def names_old(self, manifest: Manifest) -> bool:
        """Tell whether an object of before is for a kind that moves: it grants or names it."""
        kinds = kinds_of(self.moved._replace(dropped=()))
        granted = any(any(grants([manifest], each.old.resource)) for each in self.moved.kinds)
        return granted or bool(mentions(manifest.body, kinds))

    def asks_of_new(self, manifest: Manifest) -> bool:
        """Tell whether webhooks are asked about a kind that moves."""
        rules = [rule for _, hook in entries(manifest.body, "webhooks") for _, rule in entries(hook, "rules")]
        return any(names_resource(rule, *each.new.resource) for rule in rules for each in self.moved.kinds)


def upgrades(held: Upgrade) -> Iterator[tuple[Manifest, Problem]]:
    """Yield what people and operators will notice of kinds that move, each with its object."""
    groups = {each.old.name[::2]: each.new.name.group for each in held.moved.across}
    matched = match(held.before, held.now, groups)
    yield from permissions(held.before, held.now, matched, groups, held.is_about)
    for manifest, problem in lost(matched):
        if problem.rule is UPGRADE_GONE and held.names_old(manifest):
            yield manifest, problem
    for old, new in matched.renamed:
        if held.names_old(old):
            yield new, renamed(old.body, new.body)
    for manifest, problem in refusing(matched):
        if held.asks_of_new(manifest):
            yield manifest, problem
