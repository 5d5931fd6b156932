"""Put the runbook of a migration together.

What no tool can do for people who migrate.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kitgen.kit.model.migration import Migration, MigrationPath, Phase, StepPlace
from kitgen.migrate.phases.objects import PhaseMade
from kitgen.migrate.runbook.changes import changing, has_policy, in_words
from kitgen.migrate.runbook.checks import checks_of
from kitgen.migrate.runbook.kinds import BACKUP, MOVED, PHASES, dropped_of, kinds_of
from kitgen.migrate.runbook.managers import MigrationSite
from kitgen.migrate.runbook.model import PhaseSteps, Runbook, RunbookPhase, own_steps
from kitgen.migrate.runbook.risks import risks_of, unguarded
from kitgen.migrate.runbook.rollback import back_of, put_away
from kitgen.migrate.runbook.steps import ABOUT, steps_of
from kitgen.migrate.runbook.surroundings import surroundings_of


def limits_of(last: RunbookPhase, guarding: RunbookPhase) -> Iterator[str]:
    """Yield what is left to people, or to nobody."""
    yield "Decide when users stop submitting work, and tell them."
    yield (
        "Know the clients outside of this cluster: SDKs on laptops, pipelines, dashboards, alerts, scripts. "
        "What speaks an old kind in code, and not in a manifest, shows only when it fails."
    )
    yield "Drain running workloads. Whether one may be interrupted, only its owner knows."
    yield (
        "Carry status, UIDs, creation times, resource versions or managed fields over. The API server sets "
        "them. History that is stored by UID ends."
    )
    if last.across:
        yield (
            "Convert between groups on the server: conversion is within one CRD, and another group is "
            "another place in etcd."
        )
    yield (
        "Give children a new owner. The operator may take them up by their labels; else patch "
        "ownerReferences by hand."
    )
    yield (
        "Look inside of other objects: a resource that stands as text in a ConfigMap, or in a template of "
        "another one, stays as it is."
    )
    yield (
        "See resources that somebody makes between a check and the step after it. Keep the time between them "
        "short."
    )
    if not has_policy(guarding.migration, guarding.found.made):
        yield unguarded(guarding)
    yield "Bring back what was deleted without a backup."


def runbook_of(migration: Migration, place: MigrationSite, made: Sequence[PhaseMade]) -> Runbook:
    """Return the runbook of a migration for a target, from what it brings in each phase."""
    kinds = kinds_of(made, place.declared)
    scenes = [
        RunbookPhase(
            migration=migration,
            place=place,
            kinds=kinds,
            dropped=dropped_of(made[0].moved.dropped, made[-1]),
            found=changing(each, earlier),
        )
        for each, earlier in zip(made, (None, *made[:-1]), strict=True)
    ]
    guarding = next(each for each in scenes if each.phase is Phase.READ_ONLY)
    return Runbook(
        migration=migration,
        target=place.target.name,
        title=f"{migration.name} for {place.target.name}: {migration.about}",
        intro=tuple(_intro(migration)),
        surroundings=tuple(surroundings_of(place, kinds)),
        phases=tuple(_phase(each) for each in scenes),
        limits=tuple(limits_of(scenes[-1], guarding)),
    )


def _intro(migration: Migration) -> Iterator[str]:
    if migration.way is MigrationPath.ONE_SHOT:
        yield (
            f"One release takes over from another: {migration.before} knows the old kinds alone, "
            f"{migration.after} the new ones alone. In between, the operator stands still, and resources are "
            "carried over."
        )
    else:
        yield (
            f"Release {migration.before} knows the old kinds alone, {migration.both} serves both, and "
            f"{migration.after} knows the new ones alone. Nothing has to happen on one day, but no phase may "
            "be left out."
        )
    yield (
        "Work through it from top to bottom, in a POSIX shell in the folder of the kit, as an administrator "
        "of the cluster. Stop where a check does not hold. kitgen itself never talks to a cluster."
    )
    yield (
        f"Phases are rendered into {PHASES}/, exports go to {BACKUP}/, and what becomes of them to {MOVED}/. "
        "Resources are always called by plural and group, since short names are ambiguous while two groups "
        "share them."
    )


def _phase(scene: RunbookPhase) -> PhaseSteps:
    release = scene.found.made.release
    return PhaseSteps(
        phase=scene.phase,
        about=ABOUT[scene.phase],
        release=release,
        version=scene.place.versions[release],
        changes=in_words(scene.found),
        steps=(
            *own_steps(scene, StepPlace.FIRST),
            *steps_of(scene),
            *own_steps(scene, *(() if scene.lifted else (StepPlace.STOPPED,)), StepPlace.LAST),
        ),
        risks=tuple(risks_of(scene)),
        back=(*back_of(scene), *own_steps(scene, StepPlace.BACK), *put_away(scene)),
        checks=(*checks_of(scene), *own_steps(scene, StepPlace.CHECK)),
    )
