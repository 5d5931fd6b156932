"""Put the runbook of a migration together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kitgen.compile.phases import PhaseMade
from kitgen.model.migration import Migration, Phase, StepPlace, Way
from kitgen.runbook.changing import changing, in_words
from kitgen.runbook.checks import checks_of
from kitgen.runbook.kinds import BACKUP, MOVED, PHASES, dropped_of, kinds_of
from kitgen.runbook.limits import limits_of
from kitgen.runbook.model import PhaseSteps, Runbook
from kitgen.runbook.own import own_steps
from kitgen.runbook.places import Place
from kitgen.runbook.returning import back_of, put_away
from kitgen.runbook.risks import risks_of
from kitgen.runbook.scene import Scene
from kitgen.runbook.steps import ABOUT, steps_of
from kitgen.runbook.surroundings import surroundings_of


def runbook_of(migration: Migration, place: Place, made: Sequence[PhaseMade]) -> Runbook:
    """Return the runbook of a migration for a target, from what it brings in each phase."""
    kinds = kinds_of(made, place.declared)
    scenes = [
        Scene(
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
    if migration.way is Way.ONE_SHOT:
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


def _phase(scene: Scene) -> PhaseSteps:
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
