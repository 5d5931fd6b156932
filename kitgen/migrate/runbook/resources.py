"""Carry resources over: take them off the cluster without their children, and make them anew."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kitgen.kit.model.migration import StepPlace
from kitgen.migrate.runbook import commands as run
from kitgen.migrate.runbook.changes import webhooks
from kitgen.migrate.runbook.kinds import BACKUP, MOVED, KindSide, MovingKind
from kitgen.migrate.runbook.managers import Odh, OperatorDeployment
from kitgen.migrate.runbook.model import Manager, RunbookPhase, RunbookStep, own_steps
from kitgen.text.yaml import Json

_APPLIED = ("apply", "--server-side")
CLUSTERS = "datascienceclusters.datasciencecluster.opendatahub.io"


def lifted(scene: RunbookPhase) -> Iterator[RunbookStep]:
    """Yield the steps from a running operator to a cluster without resources of the kinds."""
    kinds = scene.lifted
    if not kinds:
        return
    yield RunbookStep(
        title="Stop whoever writes resources of the old kinds",
        why=(
            "SDKs, pipelines, notebooks and GitOps tools. No command finds them all. What is written after "
            "the export is lost. Look twice: the list must not change."
        ),
        commands=tuple(run.listed(each.old) for each in kinds),
    )
    yield from stopped(scene)
    yield from own_steps(scene, StepPlace.STOPPED)
    yield from _exported(scene, kinds)
    yield from _transformed(scene, kinds)
    yield from _freed(kinds)


def stopped(scene: RunbookPhase, some: Sequence[OperatorDeployment] | None = None) -> Iterator[RunbookStep]:
    """Yield how the operator is stopped, by whatever runs it: the one that runs when the phase begins."""
    place, some = scene.place, scene.running if some is None else some
    scale = run.chained(*(run.scaled(each, 0) for each in some), [run.pods(each) for each in some])
    why = (
        "A running operator answers the deletion of a resource by deleting what it made for it. "
        "Where it makes other controllers, stop it first, or it makes them again; then stop those. "
        "The last command lists the pods that are left: it must find none."
    )
    if place.odh:
        yield _removed(scene, place.odh)
        return
    yield RunbookStep(title="Stop the operator", why=why, commands=scale)
    if place.olm:
        yield RunbookStep(
            title="See whether it stays stopped",
            why="OLM may put the replicas back. Look again before every step until the operator is to run.",
            commands=tuple(run.pods(each) for each in some),
            by=Manager.OLM,
        )
    yield from _unasked(scene)


def _unasked(scene: RunbookPhase) -> Iterator[RunbookStep]:
    """Yield how the webhooks go that nobody answers any more: those of the phase, and of the one before."""
    place, found = scene.place, scene.found
    asked = {made.phase: webhooks(made, scene.kinds) for made in (found.earlier, found.made) if made}
    here = asked.pop(scene.phase)
    files = run.deleted_files(scene.phase, found.files(here))
    for phase, some in asked.items():
        gone = [each for each in some if each not in here]
        files += run.deleted_files(phase, found.files(gone, earlier=True))
    if files:
        own = " Those that OLM made have names of their own: look for them, and delete them too."
        yield RunbookStep(
            title="Take its webhooks away",
            why=(
                "Nobody answers them while the operator stands still, so the API server would refuse what "
                "follows. They come back with the operator." + (own if place.olm else "")
            ),
            commands=files,
        )


def _removed(scene: RunbookPhase, odh: Odh) -> RunbookStep:
    """Return how the ODH operator takes the component away."""
    crds = [run.join(["kubectl", "get", "crd", each.old.crd]) for each in scene.kinds]
    return RunbookStep(
        title="Have the ODH operator stop the operator",
        why=(
            "It puts replicas back that somebody else changes. With managementState Removed it takes the "
            "operator, its roles and its webhooks away. CRDs stay: see that they do, before anything else."
        ),
        commands=(*managed(odh, "Removed"), *crds),
        by=Manager.ODH,
    )


def managed(odh: Odh, state: str, keys: Sequence[str] = ()) -> tuple[str, ...]:
    """Return what tells the ODH operator who looks after components, by the names that people set else."""
    if odh.cluster and odh.key:
        states: Json = {key: {"managementState": state} for key in keys or (odh.key,)}
        return (run.patched(CLUSTERS, odh.cluster, "", {"spec": {"components": states}}),)
    said = f'{{"spec":{{"components":{{"\'"$COMPONENT"\'":{{"managementState":"{state}"}}}}}}}}'
    return (
        run.join(["kubectl", "get", CLUSTERS]),
        f"kubectl patch {CLUSTERS} \"$DSC\" --type=merge -p '{said}'",
    )


def dependents(scene: RunbookPhase) -> str:
    """Return the file with what depends on the resources that a phase carries over."""
    return f"{BACKUP}/dependents-{scene.phase}.txt"


def _exported(scene: RunbookPhase, kinds: Sequence[MovingKind]) -> Iterator[RunbookStep]:
    each_kind = [
        (
            run.exported(each, each.backup),
            run.kept_crd(each, f"{BACKUP}/{each.crd}.crd.yaml"),
            run.listed(each, each.names),
            run.identified(each, each.uids),
            f"wc -l < {run.quote(each.names)}",
            run.found_none_too(f"grep -c '^- apiVersion:' {run.quote(each.backup)}"),
        )
        for each in (kind.old for kind in kinds)
    ]
    yield RunbookStep(
        title="Export all resources, and keep the export",
        why=(
            "This is the backup. A file that is there is not written again: move it away to export anew. The "
            "last two numbers of each kind are how many there are, and how many the file holds: they must be "
            "the same. Keep a copy outside of the cluster."
        ),
        commands=run.chained([f"mkdir -p {BACKUP} {MOVED}"], *each_kind),
    )
    yield RunbookStep(
        title="Write down what depends on them",
        why="These objects must be there afterwards too, without an owner of the old kind.",
        commands=(
            run.owned(*run.of_groups(kinds), into=dependents(scene)),
            f"wc -l < {dependents(scene)}",
        ),
    )


def dropped(scene: RunbookPhase) -> Iterator[RunbookStep]:
    """Yield how resources go whose kind goes without a successor."""
    if not scene.dropped:
        return
    each_kind = [(run.exported(each, each.backup), run.listed(each, each.names)) for each in scene.dropped]
    yield RunbookStep(
        title="Export what goes without a successor, and keep the export",
        why=(
            "The way back restores it from there. What these resources say has to be said otherwise by now: "
            "the table above has what. A file that is there is not written again: move it away to export "
            "anew. Keep a copy outside of the cluster."
        ),
        commands=run.chained([f"mkdir -p {BACKUP}"], *each_kind),
    )
    yield RunbookStep(
        title="Delete what goes without a successor, and keep its children",
        why="Nobody reads these resources any more, nor answers their finalizers.",
        commands=run.chained(*((run.released(each), _deleted(each)) for each in scene.dropped)),
    )


def _deleted(named: KindSide) -> str:
    return run.every(named, "--all", "--cascade=orphan", verb="delete")


def _transformed(scene: RunbookPhase, kinds: Sequence[MovingKind]) -> Iterator[RunbookStep]:
    yield RunbookStep(
        title="Turn them into resources of the new kinds",
        why=(
            "Nothing is written to the cluster. Where kitgen finds errors, correct a copy of the export and "
            "read that; the backup stays. Fields that have no counterpart are named, each with what to do "
            "instead."
        ),
        commands=run.chained(
            [run.transformed(scene.migration.name, each) for each in kinds],
            [
                run.if_any(each.old, run.kitgen("crd", "validate", "--crds", each.declared, each.moved))
                for each in kinds
            ],
        ),
    )
    if across := [each for each in kinds if not each.within]:
        yield RunbookStep(
            title="Have the API server try them",
            why="It refuses what it would refuse later, and names that are taken. Nothing is made.",
            commands=tuple(run.with_moved(each, "create", "--dry-run=server") for each in across),
        )


def _freed(kinds: Sequence[MovingKind]) -> Iterator[RunbookStep]:
    yield RunbookStep(
        title="Take finalizers off the old resources",
        why=(
            "Nobody runs who would answer them, and the operator would answer by deleting children. "
            "What a finalizer was to clean up outside of the cluster stays: see to it by hand."
        ),
        commands=tuple(run.released(each.old) for each in kinds),
    )
    yield RunbookStep(
        title="Delete the old resources, and keep their children",
        why=(
            "With orphan, the garbage collector takes the owner off each child and keeps it, so pods run on. "
            "Without it, they die."
        ),
        commands=tuple(_deleted(each.old) for each in kinds),
    )
    yield RunbookStep(
        title="See that no child names an owner that is gone",
        why=(
            "This must print nothing. Wait and look again as long as it does: what names one is deleted "
            "later."
        ),
        commands=(run.owned(*(part for each in kinds for part in ("-f", each.old.uids))),),
    )


def made_anew(scene: RunbookPhase) -> Iterator[RunbookStep]:
    """Yield the steps that make the resources of the new kinds."""
    kinds = scene.made_anew
    if not kinds:
        return
    if within := [each for each in kinds if each.within]:
        yield RunbookStep(
            title="Have the API server try them",
            why=(
                "It could not before: a CRD that serves both versions would have shown old resources without "
                "their fields. Nothing is made. Where it refuses one, correct the file, or go back."
            ),
            commands=tuple(run.with_moved(each, *_APPLIED, "--dry-run=server") for each in within),
        )
    yield RunbookStep(
        title="Make the new resources",
        why=(
            "Parents first, where one owns another. They get new UIDs and an empty status, and may wait for "
            "capacity that their own pods use."
        ),
        commands=tuple(run.with_moved(each, *_APPLIED) for each in kinds),
    )
    yield RunbookStep(
        title="See that none is missing",
        why="The command fails where one is, and names it.",
        commands=tuple(run.with_moved(each, "get", "-o", "name") for each in kinds),
    )
