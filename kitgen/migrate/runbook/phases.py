"""Facts about one phase that its steps depend on, as the templates need them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from kitgen.crd.declaration import has_conversion
from kitgen.crd.definition import is_crd
from kitgen.kit.model.migration import Migration, MigrationPath, Phase
from kitgen.kube.identity import ObjectId
from kitgen.kube.manifest import Manifest
from kitgen.migrate.kinds import MovingKind, ServedKind, versions_of
from kitgen.migrate.phases.admission import BINDING, POLICY, list_webhook_rules, policy_name
from kitgen.migrate.phases.crds import find_stored_version
from kitgen.migrate.phases.objects import PhaseMade
from kitgen.migrate.phases.permissions import role_name
from kitgen.migrate.runbook.managers import MigrationSite, OperatorDeployment
from kitgen.render.overlays.files import assign_file_names
from kitgen.text.values import texts_at

LIFTED = {MigrationPath.ONE_SHOT: Phase.PREPARE, MigrationPath.PROGRESSIVE: Phase.MIGRATE}
"""Where resources are taken from one group and put into another."""
SETTLING = (Phase.INTRODUCE, Phase.MIGRATE, Phase.READ_ONLY)
"""Where one CRD may begin to store another version, in order."""
CRD = "CustomResourceDefinition"
HELD = (CRD, "Namespace")
"""What holds other things, and is left to people."""


class RunbookPhase(Struct, frozen=True, kw_only=True):
    """A phase of a migration on a cluster of a target, and how it differs from the one before."""

    migration: Migration
    site: MigrationSite
    kinds: tuple[MovingKind, ...]
    dropped: tuple[ServedKind, ...]
    """Kinds that go without a successor."""
    made: PhaseMade
    before: PhaseMade | None
    added: tuple[ObjectId, ...]
    changed: tuple[ObjectId, ...]
    gone: tuple[ObjectId, ...]

    @property
    def phase(self) -> Phase:
        """Return the phase."""
        return self.made.phase

    @property
    def is_release(self) -> bool:
        """Return whether the phase brings another release than the one before."""
        return self.before is not None and self.before.release != self.made.release

    @property
    def changes(self) -> tuple[str, ...]:
        """Return what changes in words, an object a line."""
        some = (("adds", self.added), ("changes", self.changed), ("no longer has", self.gone))
        return tuple(
            f"{word} {each} in {each.namespace}" if each.namespace else f"{word} {each}"
            for word, ids in some
            for each in ids
        )

    @property
    def across(self) -> tuple[MovingKind, ...]:
        """Return the kinds that get a CRD of another name."""
        return tuple(each for each in self.kinds if not each.within)

    @property
    def within(self) -> tuple[MovingKind, ...]:
        """Return the kinds that keep their CRD, and change the version."""
        return tuple(each for each in self.kinds if each.within)

    @property
    def lifted(self) -> tuple[MovingKind, ...]:
        """Return the kinds whose resources are exported and deleted in the phase."""
        found = self.across if self.phase is LIFTED[self.migration.way] else ()
        within = self.settled
        if self.migration.way is MigrationPath.ONE_SHOT:  # the operator stands still until the next phase
            within = self.within if self.phase is Phase.PREPARE else ()
        return (*found, *(each for each in within if each.is_carried))

    @property
    def made_anew(self) -> tuple[MovingKind, ...]:
        """Return the kinds whose resources are made anew in the phase."""
        found = self.across if self.phase is LIFTED[self.migration.way] else ()
        return (*found, *(each for each in self.settled if each.is_carried))

    @property
    def settled(self) -> tuple[MovingKind, ...]:
        """Return the kinds whose CRD begins to store the new version in the phase."""
        return tuple(each for each in self.within if each.settles is self.phase)

    @property
    def stored(self) -> tuple[MovingKind, ...]:
        """Return the kinds whose CRD stores the new version by the end of the phase."""
        at = self.migration.phases.index
        return tuple(each for each in self.within if at(each.settles) <= at(self.phase))

    @property
    def leaving(self) -> list[ServedKind]:
        """Return all old kinds."""
        return [*(each.old for each in self.kinds), *self.dropped]

    @property
    def gone_kinds(self) -> list[ServedKind]:
        """Return the old kinds whose CRD goes."""
        return [*(each.old for each in self.across), *self.dropped]

    @property
    def running(self) -> tuple[OperatorDeployment, ...]:
        """Return the Deployments that run when the phase begins."""
        return self.site.operators[(self.before or self.made).release]

    @property
    def coming(self) -> tuple[OperatorDeployment, ...]:
        """Return the Deployments of the phase."""
        return self.site.operators[self.made.release]

    @property
    def leftovers(self) -> list[ObjectId]:
        """Return what leaves the tree and may be deleted."""
        return [each for each in self.gone if each.kind not in HELD]

    @property
    def additions(self) -> list[ObjectId]:
        """Return what the phase adds and may be deleted on the way back, webhooks and the like first."""
        return [each for each in reversed(self.added) if each.kind not in HELD]

    @property
    def new_crds(self) -> list[Manifest]:
        """Return the CRDs that the phase adds."""
        return [each for each in self.made.objects if each.id in self.added and each.id.kind == CRD]

    @property
    def webhooks(self) -> dict[Phase, list[str]]:
        """Return the files of webhooks that are called for the kinds, of the phase and of the one before."""
        groups = {side.name.group for each in self.kinds for side in (each.old, each.new)}
        now, old = (
            [
                each.id
                for each in (made.objects if made else ())
                if any(groups & {*texts_at(rule, "apiGroups")} for rule in list_webhook_rules(each))
            ]
            for made in (self.made, self.before)
        )
        found = {self.phase: self.files(now)}
        if self.before:
            found[self.before.phase] = self.files((each for each in old if each not in now), earlier=True)
        return {phase: files for phase, files in found.items() if files}

    def files(self, some: Iterable[ObjectId], *, earlier: bool = False) -> list[str]:
        """Return the files of objects in the folder of the phase, or of the one before."""
        made = self.before if earlier and self.before else self.made
        names = assign_file_names({each.id: each for each in made.objects})
        return [names[each] for each in some]

    def by_hand(self, some: Iterable[ObjectId]) -> list[ObjectId]:
        """Return the objects that no installer brings: CRDs that move or go, the policy, the mover's role."""
        own = {("ClusterRole", role_name(self.migration))}
        own |= {(kind, policy_name(self.migration)) for kind in (POLICY, BINDING)}
        own |= {(CRD, each.crd_name) for each in (*self.leaving, *(each.new for each in self.kinds))}
        return [each for each in some if (each.kind, each.name) in own]

    def crds_of(self, some: Iterable[ServedKind], *, earlier: bool = False) -> list[ObjectId]:
        """Return the CRDs of kinds that the phase has, or the one before."""
        names = {each.crd_name for each in some}
        made = self.before if earlier and self.before else self.made
        return [each.id for each in made.objects if each.id.kind == CRD and each.id.name in names]

    def crd_versions(self, kind: ServedKind) -> list[str]:
        """Return the versions of the CRD of a kind in the phase."""
        return next(versions_of(each.body) for each in self.made.objects if each.id == kind.crd.id)

    def deployments(self, started: bool) -> list[ObjectId]:
        """Return the Deployments that the phase adds or changes, but for an operator that was started."""
        known = [(each.namespace, each.name) for each in self.coming if started]
        some = (each for each in (*self.added, *self.changed) if each.kind == "Deployment")
        return [each for each in some if (each.namespace, each.name) not in known]

    def has_policy(self, made: PhaseMade) -> bool:
        """Return whether a phase refuses new resources of old kinds."""
        wanted = (POLICY, policy_name(self.migration))
        return any((each.id.kind, each.id.name) == wanted for each in made.objects)


def build_runbook_phases(
    migration: Migration, site: MigrationSite, made: Sequence[PhaseMade]
) -> list[RunbookPhase]:
    """Compare each phase with the one before it; the first one changes nothing."""
    moved, last = made[0].moved, {each.id for each in made[-1].objects}
    kinds = tuple(
        _set_applied_crds(each, made, site.declared[each.new.crd_name]) for each in moved.moving_kinds
    )
    dropped = tuple(each.old for each in moved.dropped_kinds if each.old.crd.id not in last)
    found = []
    for each, before in zip(made, (None, *made[:-1]), strict=True):
        new = {one.id: one.body for one in each.objects}
        old = {one.id: one.body for one in before.objects} if before else new
        found.append(
            RunbookPhase(
                migration=migration,
                site=site,
                kinds=kinds,
                dropped=dropped,
                made=each,
                before=before,
                added=tuple(one for one in new if one not in old),
                changed=tuple(one for one in new if one in old and new[one] != old[one]),
                gone=tuple(one for one in old if one not in new),
            )
        )
    return found


def _set_applied_crds(each: MovingKind, made: Sequence[PhaseMade], declared: str) -> MovingKind:
    """Return a kind with what its CRDs are in the phases, which may be others than those of releases."""
    applied = {one.phase: {crd.id: crd.body for crd in one.objects if is_crd(crd.body)} for one in made}
    new = {phase: crds[each.new.crd.id] for phase, crds in applied.items() if each.new.crd.id in crds}
    storing = (each.new.name.version, find_stored_version(each.new.crd.body))
    settles = next(
        (at for at in SETTLING if at in new and find_stored_version(new[at]) in storing), Phase.READ_ONLY
    )
    old = [crds[each.old.crd.id] for crds in applied.values() if each.old.crd.id in crds]
    several = each.within or any(len(versions_of(body)) > 1 for body in old)
    return replace(
        each,
        old=replace(each.old, several=several),
        new=replace(each.new, several=each.within),
        settles=settles,
        converts=settles in new and has_conversion(new[settles]),
        declared=declared,
    )
