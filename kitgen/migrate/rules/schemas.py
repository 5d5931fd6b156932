"""Check conversion and scope of the CRDs of kinds that move."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kitgen.findings import Finding, make_problem
from kitgen.migrate.kinds import MovingKind
from kitgen.text.values import value_at
from kitgen.text.wording import join_words


def check_conversions(some: Iterable[MovingKind]) -> Iterator[Finding]:
    """Yield kinds whose old CRD has a conversion of its own: which version was exported is then a choice."""
    for each in some:
        if value_at(each.old.crd.body, "spec", "conversion", "strategy") not in (None, "None"):
            message = "found a CRD with a conversion of its own: servers return any version that is asked for"
            hint = f"name the version when exporting, such as {join_words((each.said.before.version,))}"
            yield make_problem("migration-conversion", message, ("from",), hint).to_finding(each.said.origin)


def check_scopes(some: Iterable[MovingKind]) -> Iterator[Finding]:
    """Yield kinds of another scope on the other side, where the migration names them."""
    for each in some:
        old, new, origin = each.old, each.new, each.said.origin.at("to")
        if new.cluster_wide and not old.cluster_wide:
            message = f"found {new.name}, which is of the cluster, expected the namespaces of {old.name}"
            hint = "resources lose their namespace; two of one name in different namespaces clash"
            yield make_problem("migration-scope", message, hint=hint).to_finding(origin)
        elif old.cluster_wide and not new.cluster_wide:
            message = f"found {new.name}, which is of a namespace, expected the cluster as {old.name}"
            hint = "no resource says which namespace to go to; write them anew by hand, and drop the old kind"
            yield make_problem("migration-unplaced", message, hint=hint).to_finding(origin)
