"""What OLM refuses in an upgrade from one bundle to the next, as far as files tell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kitgen.compare.upgrade.crds import broken, sound
from kitgen.compare.upgrade.declared_moves import Declarations
from kitgen.compare.upgrade.rules import UPGRADE_STORED_VERSION
from kitgen.findings import Chapter, Rule, Severity
from kitgen.kit.model.moves import DeclaredMoves
from kitgen.kube.manifest import Manifest
from kitgen.olm.rules.terms import Fault
from kitgen.text.wording import choice

BUNDLE_UPGRADE_STORED = Rule(
    id="bundle-upgrade-stored",
    chapter=Chapter.BUNDLE,
    checks="No version in which the bundle before stores resources leaves a CRD.",
    fix=(
        "Keep the version, served or not, for one more bundle, and have every resource written again "
        "before it goes."
    ),
    why=(
        "OLM does not upgrade a CRD whose status names the version as stored: the upgrade stays pending. "
        "Catalogs take the bundle all the same, and who has cleaned up before is not held up."
    ),
    severity=Severity.WARNING,
    exceptable=True,
)
BUNDLE_UPGRADE_SCHEMA = Rule(
    id="bundle-upgrade-schema",
    chapter=Chapter.BUNDLE,
    checks="A CRD takes what it took in the bundle before.",
    fix="Keep what was there beside what is new, or tell users what to change before the upgrade.",
    why=(
        "OLM holds every resource of the cluster against the new schema, and does not upgrade while one "
        "does not fit."
    ),
    severity=Severity.WARNING,
    exceptable=True,
)


def upgrade_faults(
    name: str, before: Sequence[Manifest], now: Sequence[Manifest], said: DeclaredMoves
) -> Iterator[Fault]:
    """Yield what stands between two bundles; the first is called `name`, and both give their CRDs."""
    owners = {each.id.name: each for each in now}
    crds = sound(before, now, said)
    declared = Declarations(*crds, said)
    for each in broken(*crds, said):
        rule, problem = BUNDLE_UPGRADE_SCHEMA, each.problem
        if problem.rule is UPGRADE_STORED_VERSION:
            rule = BUNDLE_UPGRADE_STORED
        told = rule(f"upgrade from {choice([name])}: {problem.message}", problem.path, problem.hint)
        yield Fault(owners[each.crd], told, declared.reason(each))
