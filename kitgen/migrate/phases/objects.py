"""Assemble the objects of one phase from those of releases."""

from __future__ import annotations

from msgspec import Struct

from kitgen.kit.model.migration import Migration, Phase
from kitgen.kube.manifest import Manifest
from kitgen.migrate.kinds import MovedKinds, find_kinds
from kitgen.migrate.phases.admission import add_webhook_counterparts, build_admission_policy
from kitgen.migrate.phases.crds import Releases, build_phase_crds, merge_objects
from kitgen.migrate.phases.permissions import (
    READ_ONLY,
    Counterpart,
    add_role_counterparts,
    build_migration_role,
)

BOTH = (Phase.INTRODUCE, Phase.SWITCH, Phase.MIGRATE)
"""Where an operator runs that knows both sides."""


class PhaseMade(Struct, frozen=True, kw_only=True):
    """What a target brings in a phase."""

    phase: Phase
    release: str
    objects: tuple[Manifest, ...]
    moved: MovedKinds


def build_phase_objects(migration: Migration, phase: Phase, releases: Releases) -> PhaseMade:
    """Return what a target brings in a phase, from its objects in each release of the migration."""
    some = find_kinds(migration, releases)
    release = migration.release(phase)
    objects = list(releases[release])
    if not some.findings and phase not in (Phase.BEFORE, Phase.AFTER):
        objects = _add_counterparts(
            migration, phase, merge_objects(objects, build_phase_crds(migration, phase, releases, some)), some
        )
    return PhaseMade(phase=phase, release=release, objects=tuple(objects), moved=some)


def _add_counterparts(
    migration: Migration, phase: Phase, made: list[Manifest], some: MovedKinds
) -> list[Manifest]:
    """Return objects that treat both sides alike, as far as the operator of a phase knows them."""
    old, new = (
        {here.group_resource: Counterpart(here, there, origin) for here, there, origin in sides}
        for sides in (
            [(each.old, each.new, each.said.origin) for each in some.kinds_with_new_crd],
            [(each.new, each.old, each.said.origin) for each in some.kinds_with_new_crd],
        )
    )
    last = phase is Phase.READ_ONLY
    pairs = {**old, **new} if phase in BOTH else new if last else old
    made = [*add_role_counterparts(migration, made, pairs, READ_ONLY if last else ())]
    made = [*add_webhook_counterparts(migration, made, pairs, any_path=phase in BOTH)]
    if phase not in (Phase.INTRODUCE, Phase.SWITCH):
        made.append(build_migration_role(migration, some))
    return [*made, *build_admission_policy(migration, made, some)] if last else made
