"""The steps of each phase, in order."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.kit.model.migration import Phase
from kitgen.migrate.runbook import commands as run
from kitgen.migrate.runbook import resources, rollout, versions
from kitgen.migrate.runbook.changes import has_policy, role_name
from kitgen.migrate.runbook.kinds import BACKUP
from kitgen.migrate.runbook.model import RunbookPhase, RunbookStep

ABOUT = {
    Phase.BEFORE: "The old kinds alone. Nothing changes yet: look at what is there, and write it down.",
    Phase.INTRODUCE: "The new kinds come beside the old ones, with an operator that serves both.",
    Phase.SWITCH: (
        "The new kinds are what people use. The old ones say that they are deprecated, and no sync deletes "
        "them."
    ),
    Phase.PREPARE: "What the old kinds hold is carried over while the operator stands still.",
    Phase.MIGRATE: "What the old kinds hold is carried over, with an operator that serves both.",
    Phase.READ_ONLY: "The operator serves the new kinds alone. Old resources can be read and deleted.",
    Phase.AFTER: "The new kinds alone.",
}


def steps_of(scene: RunbookPhase) -> Iterator[RunbookStep]:
    """Yield the steps that bring a cluster into a phase."""
    yield rollout.rendered(scene)
    if scene.earlier is Phase.BEFORE:
        yield from rollout.held(scene)
    match scene.phase:
        case Phase.BEFORE:
            yield from _looked(scene)
        case Phase.INTRODUCE:
            yield from resources.lifted(scene)
            yield from _brought(scene, again=bool(scene.lifted))
        case Phase.SWITCH:
            yield from rollout.brought(scene)
            yield _told(scene)
        case Phase.PREPARE:
            yield from rollout.brought(scene)
            yield from _ready(scene)
            yield from resources.lifted(scene)
            yield from resources.made_anew(scene)
        case Phase.MIGRATE:
            yield from rollout.brought(scene)
            yield from _ready(scene)
            yield from resources.lifted(scene)
            yield from resources.made_anew(scene)
            yield from rollout.started(scene) if scene.lifted else ()
            yield from versions.rewritten(scene)
        case Phase.READ_ONLY:
            yield from resources.lifted(scene)
            yield from _brought(scene, again=bool(scene.lifted) or scene.earlier is Phase.PREPARE)
            yield from rollout.tidied(scene)
        case Phase.AFTER:
            yield from resources.dropped(scene)
            yield from _removed(scene)
            yield from rollout.brought(scene)
            yield from rollout.tidied(scene)
            yield from rollout.handed_back(scene)


def _looked(scene: RunbookPhase) -> Iterator[RunbookStep]:
    kinds, old = scene.kinds, (*(each.old for each in scene.kinds), *scene.dropped)
    yield RunbookStep(
        title="See which cluster it is",
        commands=("kubectl config current-context", "kubectl version"),
    )
    yield RunbookStep(
        title="Count the resources, by namespace",
        commands=tuple(run.counted_by_namespace(each) for each in old),
    )
    yield RunbookStep(
        title="Look for finalizers, and for resources that are being deleted",
        why="A resource that is being deleted is not carried over. Wait until it is gone.",
        commands=tuple(run.every(each, "-o", run.HOLDING) for each in old),
    )
    yield RunbookStep(
        title="Look at what depends on them",
        why=(
            "Objects that name one as their owner, and pods with a key that carries the old group, if it is "
            "a label."
        ),
        commands=(
            run.owned(*run.of_groups(kinds)),
            *(
                run.join(["kubectl", "get", "pods", "-A", "--selector", each.key])
                for each in scene.migration.keys
            ),
        ),
    )
    copies = [run.exported(each, f"{BACKUP}/first/{each.resource}.yaml") for each in old]
    yield RunbookStep(
        title="Keep a first copy",
        why="The export that counts comes later. This one is for accidents until then.",
        commands=(f"mkdir -p {BACKUP}/first", *copies),
    )


def _brought(scene: RunbookPhase, *, again: bool) -> Iterator[RunbookStep]:
    """Yield how a phase comes in which one CRD begins to have both versions."""
    yield from versions.joined(scene)
    if any(each.within for each in scene.made_anew):
        yield from resources.made_anew(scene)
    yield from versions.settled(scene)
    yield from rollout.brought(scene)
    yield from rollout.started(scene) if again else ()
    yield from rollout.awaited(scene, started=again)
    yield from versions.rewritten(scene)


def _ready(scene: RunbookPhase) -> Iterator[RunbookStep]:
    if scene.across:
        yield RunbookStep(
            title="See that the new CRDs are served, and which names are taken",
            why="A name that the list and the old kind both have is a clash: one of the two has to go first.",
            commands=run.chained(
                *((run.established(each.new), run.listed(each.new)) for each in scene.across)
            ),
        )
    if scene.lifted:
        name = role_name(scene.migration)
        yield RunbookStep(
            title="Give whoever carries them over a role, if it is no administrator",
            why=f"The ClusterRole {name} is there for that. Set MOVER to the user.",
            commands=(f'kubectl create clusterrolebinding {name} --clusterrole={name} --user="$MOVER"',),
        )


def _told(scene: RunbookPhase) -> RunbookStep:
    return RunbookStep(
        title="Have people use the new kinds",
        why=(
            "Change samples, SDKs, pipelines and manifests in Git. Whoever uses an old kind now sees a "
            "warning. Short names and plurals alone are ambiguous while both groups are there."
        ),
        commands=run.chained(
            *(
                (run.counted_by_namespace(each.old), run.counted_by_namespace(each.new))
                for each in scene.across
            )
        ),
    )


def _removed(scene: RunbookPhase) -> Iterator[RunbookStep]:
    earlier = scene.found.earlier
    old = (*(each.old for each in scene.across), *scene.dropped)
    if not old or earlier is None:
        return
    refused = has_policy(scene.migration, earlier)
    yield RunbookStep(
        title="See that nothing of the old kinds is left",
        why="The commands must print nothing. What they print would be deleted with its children.",
        commands=tuple(run.listed(each) for each in old),
    )
    yield RunbookStep(
        title="See that there is a backup",
        commands=tuple(f"ls -l {run.quote(each.backup)}" for each in old),
    )
    yield RunbookStep(
        title="Delete the old CRDs",
        why=(
            "No tool does it: OLM and the ODH operator never delete CRDs, and the guards keep Argo CD from "
            "it." + (" It is done before the policy goes that refuses new resources." if refused else "")
        ),
        commands=tuple(run.join(["kubectl", "delete", "crd", each.crd]) for each in old),
    )
