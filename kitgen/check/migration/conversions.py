"""Old CRDs whose objects a server converts, so that an export may not be what a migration is about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kitgen.compile.phases.moving import Moving
from kitgen.findings import Finding, Problem
from kitgen.migrating.references import converted


def conversions(some: Iterable[Moving]) -> Iterator[Finding]:
    """Yield kinds whose old CRD has a conversion of its own, where the migration names them."""
    for each in some:
        for found in converted(each.old.crd.body["spec"], (each.said.before.version,)):
            yield Problem(found.rule, found.message, ("from",), found.hint).at(each.said.origin)
