"""Kinds whose scope changes as they move: from namespaces to the cluster, or the other way."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kitgen.check.migration.rules import MIGRATION_SCOPE, MIGRATION_UNPLACED
from kitgen.compile.phases.moving import Moving
from kitgen.findings import Finding


def changed_scopes(some: Iterable[Moving]) -> Iterator[Finding]:
    """Yield kinds of another scope on the other side, where the migration names them."""
    for each in some:
        if each.old.cluster_wide == each.new.cluster_wide:
            continue
        said, origin = each.said, each.said.origin.at("to")
        if each.new.cluster_wide:
            message = f"found {said.after}, which is of the cluster, expected the namespaces of {said.before}"
            hint = "resources lose their namespace; two of one name in different namespaces clash"
            yield MIGRATION_SCOPE(message, hint=hint).at(origin)
        else:
            message = f"found {said.after}, which is of a namespace, expected the cluster as {said.before}"
            hint = "no resource says which namespace to go to; write them anew by hand, and drop the old kind"
            yield MIGRATION_UNPLACED(message, hint=hint).at(origin)
