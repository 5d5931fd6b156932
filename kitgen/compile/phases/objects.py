"""The objects of one phase, put together from those of releases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from msgspec import Struct

from kitgen.compile.phases.admission import asked_about_both, refusing
from kitgen.compile.phases.crds import leaving, put, with_old_version
from kitgen.compile.phases.moving import Moved, Moving, moving
from kitgen.compile.phases.permissions import READ_ONLY, Resource, mover_role, with_counterparts
from kitgen.findings import Finding
from kitgen.model.migration import Migration, Phase
from kitgen.objects import Manifest


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


def phase_objects(
    migration: Migration, phase: Phase, releases: Mapping[str, Sequence[Manifest]]
) -> PhaseMade:
    """Return what a target brings in a phase, from its objects in each release of the migration."""
    some = moving(migration, releases)
    release = migration.release(phase)
    objects = list(releases[release])
    if not some.findings:
        objects = _changed(migration, phase, objects, some)
    return PhaseMade(phase=phase, release=release, objects=tuple(objects), moved=some)


def _changed(migration: Migration, phase: Phase, objects: list[Manifest], some: Moved) -> list[Manifest]:
    old: dict[Resource, Moving] = {each.old.resource: each for each in some.across}
    new: dict[Resource, Moving] = {each.new.resource: each for each in some.across}
    joined = [with_old_version(migration, each) for each in some.kinds if each.said.within_group]
    leave = partial(leaving, migration)
    going = [*map(leave, some.across), *map(leave, some.dropped)]
    fresh = [each.new.crd for each in some.across]
    match phase:
        case Phase.BEFORE | Phase.AFTER:
            return objects
        case Phase.PREPARE:
            stay = [leave(each) for each in some.kinds if each.said.within_group]
            made = put(objects, [*going, *stay, *fresh])
            made = [*with_counterparts(migration, made, old)]
            return [*asked_about_both(migration, made, old), mover_role(migration, some)]
        case Phase.INTRODUCE | Phase.SWITCH | Phase.MIGRATE:
            kept = some.gone if phase is Phase.INTRODUCE else going
            made = put(objects, [*kept, *fresh, *joined])
            made = [*with_counterparts(migration, made, {**old, **new})]
            made = [*asked_about_both(migration, made, {**old, **new})]
            return [*made, mover_role(migration, some)] if phase is Phase.MIGRATE else made
        case Phase.READ_ONLY:
            made = put(objects, [*going, *joined])
            made = [*with_counterparts(migration, made, new, verbs=READ_ONLY)]
            made = [*asked_about_both(migration, made, new), mover_role(migration, some)]
            return [*made, *refusing(migration, some)]
