"""The objects of one phase, put together from those of releases."""

from __future__ import annotations

from msgspec import Struct

from kitgen.findings import Finding
from kitgen.kit.model.migration import Migration, Phase
from kitgen.kube.manifest import Manifest
from kitgen.migrate.phases.admission import asked_about_both, refusing
from kitgen.migrate.phases.crds import Releases, phase_crds, put
from kitgen.migrate.phases.moves import Moved, Moving, moving
from kitgen.migrate.phases.permissions import READ_ONLY, Resource, mover_role, with_counterparts


class PhaseMade(Struct, frozen=True, kw_only=True):
    """What a target brings in a phase."""

    phase: Phase
    release: str
    objects: tuple[Manifest, ...]
    moved: Moved

    @property
    def moving(self) -> tuple[Moving, ...]:
        """Return the kinds that move."""
        return self.moved.kinds

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Return what is missing."""
        return self.moved.findings


def phase_objects(migration: Migration, phase: Phase, releases: Releases) -> PhaseMade:
    """Return what a target brings in a phase, from its objects in each release of the migration."""
    some = moving(migration, releases)
    release = migration.release(phase)
    objects = list(releases[release])
    if not some.findings and phase not in (Phase.BEFORE, Phase.AFTER):
        made = put(objects, phase_crds(migration, phase, releases, some))
        objects = _changed(migration, phase, made, some)
    return PhaseMade(phase=phase, release=release, objects=tuple(objects), moved=some)


def _changed(migration: Migration, phase: Phase, made: list[Manifest], some: Moved) -> list[Manifest]:
    old: dict[Resource, Moving] = {each.old.resource: each for each in some.across}
    new: dict[Resource, Moving] = {each.new.resource: each for each in some.across}
    match phase:
        case Phase.BEFORE | Phase.AFTER:
            return made
        case Phase.PREPARE:
            made = [*with_counterparts(migration, made, old)]
            made = [*asked_about_both(migration, made, old, any_path=False)]
            return [*made, mover_role(migration, some)]
        case Phase.INTRODUCE | Phase.SWITCH | Phase.MIGRATE:
            made = [*with_counterparts(migration, made, {**old, **new})]
            made = [*asked_about_both(migration, made, {**old, **new})]
            return [*made, mover_role(migration, some)] if phase is Phase.MIGRATE else made
        case Phase.READ_ONLY:
            made = [*with_counterparts(migration, made, new, verbs=READ_ONLY)]
            made = [*asked_about_both(migration, made, new, any_path=False), mover_role(migration, some)]
            return [*made, *refusing(migration, made, some)]
