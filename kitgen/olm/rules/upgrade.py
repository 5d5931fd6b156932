"""What OLM refuses in an upgrade from one bundle to the next, as far as files tell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kitgen.compare.crd_match import select_changed_crds
from kitgen.compare.upgrade.crds import check_crd_changes
from kitgen.compare.upgrade.declared_moves import Declarations
from kitgen.compare.upgrade.rules import UPGRADE_STORED_VERSION
from kitgen.findings import get_rule
from kitgen.kit.model.moves import DeclaredMoves
from kitgen.kube.manifest import Manifest
from kitgen.olm.rules.terms import BundleFault
from kitgen.text.wording import join_words

BUNDLE_UPGRADE_STORED = get_rule("bundle-upgrade-stored")
BUNDLE_UPGRADE_SCHEMA = get_rule("bundle-upgrade-schema")


def check_crd_upgrade(
    name: str, before: Sequence[Manifest], now: Sequence[Manifest], said: DeclaredMoves
) -> Iterator[BundleFault]:
    """Yield what stands between two bundles; the first is called `name`, and both give their CRDs."""
    owners = {each.id.name: each for each in now}
    crds = select_changed_crds(before, now, said)
    declared = Declarations(*crds, said)
    for each in check_crd_changes(*crds, said):
        problem = each.problem
        stored = problem.rule is UPGRADE_STORED_VERSION
        told = (BUNDLE_UPGRADE_STORED if stored else BUNDLE_UPGRADE_SCHEMA)(
            f"upgrade from {join_words([name])}: {problem.message}", problem.path, problem.hint
        )
        yield BundleFault(owners[each.crd], told, declared.reason_for(each))
