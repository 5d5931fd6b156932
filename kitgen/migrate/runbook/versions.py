"""Versions of one CRD: what a server may have stored, and how it forgets a version."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kitgen.migrate.phases.moves import versions_of
from kitgen.migrate.runbook import commands as run
from kitgen.migrate.runbook.changes import CRD
from kitgen.migrate.runbook.kinds import KindSide, MovingKind
from kitgen.migrate.runbook.model import RunbookPhase, RunbookStep

DROPPED = (
    "Without conversion the API server takes an object of the old version for one of the new version: it "
    "changes apiVersion, and drops every field that the new schema does not have. No error is shown."
)


def joined(scene: RunbookPhase) -> Iterator[RunbookStep]:
    """Yield the steps that make a CRD store the new version, before anything else of the phase comes."""
    kinds = [each for each in scene.settled if each.is_carried]
    if not kinds:
        return
    crds = {each.new.crd for each in kinds}
    some = [each.id for each in scene.found.made.objects if each.id.kind == CRD and each.id.name in crds]
    yield RunbookStep(
        title="See that no resource of the old version is left",
        why=f"This must print nothing. {DROPPED}",
        commands=tuple(run.listed(each.old) for each in kinds),
    )
    yield RunbookStep(
        title="Bring the CRD that has both versions",
        why="It stores the new one. OLM and the API server take no CRD that lacks a stored version.",
        commands=run.chained(
            run.applied_files(scene.phase, scene.found.files(some)),
            [run.established(each.new) for each in kinds],
        ),
    )


def rewritten(scene: RunbookPhase) -> Iterator[RunbookStep]:
    """Yield the step that stores resources anew, where somebody converts them."""
    if kinds := [each for each in scene.settled if not each.is_carried]:
        yield RunbookStep(
            title="Have the server store every resource anew",
            why="It converts what it reads, and writes the new version. The content stays as it is.",
            commands=tuple(_written(each.new) for each in kinds),
        )
        yield _forgotten(kinds)


def reverted(scene: RunbookPhase) -> Iterator[RunbookStep]:
    """Yield how resources go back into the version that they were stored in, where somebody converts them."""
    if kinds := [each for each in scene.settled if not each.is_carried]:
        bodies = {each.id.name: each.body for each in scene.found.made.objects if each.id.kind == CRD}
        yield RunbookStep(
            title="Have the server store every resource in the old version again",
            why="It has to, before the CRD loses the new one. The operator that converts them still runs.",
            commands=run.chained(
                *(
                    (
                        run.stores(each.old.crd, versions_of(bodies[each.old.crd]), each.old.version),
                        _written(each.old),
                        run.forget_versions(each.old),
                    )
                    for each in kinds
                )
            ),
        )


def _written(named: KindSide) -> str:
    """Return what has the server store every resource of a kind; kubectl takes no empty list."""
    listing, some = run.every(named, "-o", "name"), run.every(named, "-o", "json")
    return f'test -z "$({listing})" || {some} | kubectl replace -f -'


def settled(scene: RunbookPhase) -> Iterator[RunbookStep]:
    """Yield the step after which the server lists the new version alone, where resources were made anew."""
    if kinds := [each for each in scene.settled if each.is_carried]:
        yield _forgotten(kinds)


def _forgotten(kinds: Sequence[MovingKind]) -> RunbookStep:
    return RunbookStep(
        title="Say that only the new version is stored",
        why=(
            "The server only ever adds to storedVersions. It is true now: whatever was stored before is "
            "gone or written anew. Said too early, it makes the server unable to read what is left."
        ),
        commands=run.chained(
            *((run.forget_versions(each.new), run.stored_versions(each.new)) for each in kinds)
        ),
    )


def stored(scene: RunbookPhase) -> Iterator[RunbookStep]:
    """Yield the check of what is stored, before a CRD loses a version."""
    for each in dict.fromkeys(each.new for each in scene.stored):
        yield RunbookStep(
            title=f'{each.crd} says ["{each.version}"] in storedVersions, and nothing else',
            why="OLM and the API server refuse a CRD that lacks a version which is listed there.",
            commands=(run.stored_versions(each),),
        )
