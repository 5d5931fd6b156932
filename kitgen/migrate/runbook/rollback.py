"""How to go back from each phase, and what cannot be taken back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from kitgen.kit.model.migration import Phase, StepPlace
from kitgen.kube.identity import ObjectId
from kitgen.migrate.runbook import commands as run
from kitgen.migrate.runbook.changes import CRD, NAMESPACE, additions, by_hand, new_crds
from kitgen.migrate.runbook.kinds import BACKUP, KindSide, MovingKind
from kitgen.migrate.runbook.managers import Olm
from kitgen.migrate.runbook.model import Manager, RunbookPhase, RunbookStep, own_steps
from kitgen.migrate.runbook.resources import managed, stopped
from kitgen.migrate.runbook.rollout import BUNDLES, SUBSCRIPTIONS, by_kubectl, unbound
from kitgen.migrate.runbook.versions import reverted

RESTORED = (
    "Old resources come back with new UIDs and an empty status, and their children stay without an owner."
)


def back_of(scene: RunbookPhase) -> Iterator[RunbookStep]:
    """Yield how a cluster comes from a phase to the one before."""
    if scene.earlier is None:
        yield RunbookStep(title="There is nothing to take back")
        return
    made = scene.made_anew
    if made and scene.phase is not Phase.PREPARE:  # there, it stands still
        yield from stopped(scene, scene.coming)
    yield from _taken_away(made)
    yield from own_steps(scene, StepPlace.UNDO)
    yield from _crds(scene)
    yield from reverted(scene)
    yield from _restored(scene)
    yield from _brought_back(scene)
    yield from _removed(scene)
    yield from _operator(scene)


def _taken_away(kinds: Sequence[MovingKind]) -> Iterator[RunbookStep]:
    """Yield how what was carried over goes; of a CRD that has to go itself, all that is in it."""
    if not kinds:
        return
    yield RunbookStep(
        title="Take away what was carried over, and keep its children",
        why=(
            "Where one CRD has both versions, all of its resources go: the server refuses a CRD that lacks a "
            "stored version, so that it has to go, too. What was made meanwhile is exported first."
        ),
        commands=run.chained(*map(_away, kinds)),
    )


def _away(each: MovingKind) -> tuple[str, ...]:
    if not each.within:
        gone = run.with_moved(each, "delete", "--ignore-not-found", "--cascade=orphan")
        return run.released(each.new), gone
    return (
        f'{run.every(each.new, "-o", "yaml")} > {run.quote(each.old.backup)}."$(date +%s)"',
        run.released(each.new),
        run.every(each.new, "--all", "--cascade=orphan", verb="delete"),
        run.delete_empty_crd(each.new.crd, each.new.resource, namespaced=each.new.namespaced),
    )


def _crds(scene: RunbookPhase) -> Iterator[RunbookStep]:
    """Yield how old CRDs come back that are gone: resources can be restored before anything else comes."""
    old = [each.old for each in scene.made_anew if each.within]
    if scene.phase is Phase.AFTER:
        old += [*(each.old for each in scene.across), *scene.dropped]
    if not old or scene.found.earlier is None:
        return
    names = {each.crd for each in old}
    some = [each.id for each in scene.found.earlier.objects if each.id.kind == CRD and each.id.name in names]
    files = scene.found.files(some, earlier=True)
    yield RunbookStep(
        title="Bring the old CRDs back",
        why="They come back empty. What was in them comes from the export alone.",
        commands=run.chained(
            run.applied_files(scene.found.earlier.phase, files),
            [*dict.fromkeys(run.established(each) for each in old)],
        ),
    )


def _restored(scene: RunbookPhase) -> Iterator[RunbookStep]:
    """Yield how resources come back that the phase took off the cluster."""
    old: list[KindSide] = [each.old for each in scene.lifted]
    if scene.phase is Phase.AFTER:
        old += scene.dropped
    if old:
        yield RunbookStep(
            title="Restore the old resources",
            why=f"Those that are still there stay as they are. {RESTORED}",
            commands=tuple(run.restored(scene.migration.name, each) for each in old),
        )


def _brought_back(scene: RunbookPhase) -> Iterator[RunbookStep]:
    earlier, place, found = scene.earlier, scene.place, scene.found
    assert earlier is not None  # the caller has looked
    if not place.odh:
        yield RunbookStep(
            title=f"Apply the phase {earlier} again", commands=(run.applied(earlier),), by=by_kubectl(place)
        )
    hand = run.applied_files(earlier, found.files(_own(scene, (*found.changed, *found.gone)), earlier=True))
    if (place.odh or place.olm) and hand:
        yield RunbookStep(
            title=f"Apply what the phase {earlier} adds to the release",
            commands=hand,
            by=Manager.ODH if place.odh else Manager.OLM,
        )
    if found.earlier is None or not found.is_release:
        return
    release = found.earlier.release
    if place.olm:
        yield _reinstalled(scene, place.olm, release)
    if place.odh:
        more = [each for each in place.odh.keys[found.made.release] if each not in place.odh.keys[release]]
        yield RunbookStep(
            title="Have the ODH operator remove what came with the release",
            why="The operator itself, if it still runs, and the components that the release before has not.",
            commands=managed(place.odh, "Removed", (place.odh.key, *more)),
            by=Manager.ODH,
        )
        yield RunbookStep(
            title=f"Take the ODH operator back to one that has release {release}", by=Manager.ODH
        )


def _own(scene: RunbookPhase, some: Iterable[ObjectId]) -> list[ObjectId]:
    return by_hand(scene.migration, some, scene.kinds, scene.dropped)


def _reinstalled(scene: RunbookPhase, olm: Olm, release: str) -> RunbookStep:
    name, before = olm.bundles.get(scene.found.made.release, ""), olm.bundles.get(release, "")
    home = ["kubectl", "-n", olm.namespace, "delete", "--ignore-not-found"]
    bundle = [run.join([*home, BUNDLES, name])] if name else []
    named = f" ({before})" if before else ""
    return RunbookStep(
        title=f"Install release {release} anew",
        why=(
            "OLM does not go back. Delete the Subscription and the bundle; CRDs and resources stay. Then "
            f"make the Subscription anew, with the bundle before{named} as startingCSV and Manual approval."
        ),
        commands=(run.join([*home, SUBSCRIPTIONS, olm.package]), *bundle),
        by=Manager.OLM,
    )


def _removed(scene: RunbookPhase) -> Iterator[RunbookStep]:
    """Yield how what the phase added goes, and CRDs only while nothing is in them."""
    found, place = scene.found, scene.place
    some = additions(found)
    if place.odh:  # it removes what it brought
        some = _own(scene, some)
    if some:
        yield RunbookStep(
            title=f"Delete what the phase {scene.phase} added",
            why="Leave out what was on the cluster before, and what others use by now.",
            commands=(*run.deleted_files(scene.phase, found.files(some)), *unbound(scene, some)),
        )
    crds = [
        run.delete_empty_crd(each.id.name, each.id.name, namespaced=each.body["spec"]["scope"] != "Cluster")
        for each in new_crds(found)
    ]
    homes = run.deleted_files(
        scene.phase, found.files(each for each in found.added if each.kind == NAMESPACE)
    )
    if crds or homes:
        what = [*(["CRDs"] if crds else []), *(["namespaces"] if homes else [])]
        yield RunbookStep(
            title=f"Delete the {' and '.join(what)} that the phase {scene.phase} added",
            why=(
                "A command fails while resources of its CRD are left, and deletes nothing. Leave out what "
                "was on the cluster before, and what others use by now."
            ),
            commands=(*crds, *homes),
        )


def _operator(scene: RunbookPhase) -> Iterator[RunbookStep]:
    """Yield how the operator is as the phase before has it: stopped where resources are carried over."""
    odh = scene.place.odh
    replicas = run.chained(*(run.scaled(each, each.replicas) for each in scene.running))
    if scene.earlier is Phase.PREPARE:
        yield from () if odh else stopped(scene)
    elif scene.lifted or scene.made_anew or (odh and scene.found.is_release):
        yield RunbookStep(
            title="Start the operator",
            why="Where the old resources were not deleted yet, this is all that has to be done."
            if scene.lifted
            else "",
            commands=managed(odh, "Managed") if odh else replicas,
        )


def put_away(scene: RunbookPhase) -> Iterator[RunbookStep]:
    """Yield how exports make room for those of another attempt."""
    if scene.lifted:
        yield RunbookStep(
            title="Put the exports away",
            why="They are kept, and another attempt makes new ones.",
            commands=(f'mv {BACKUP} "{BACKUP}.$(date +%s)"',),
        )
    elif scene.phase is Phase.AFTER and scene.dropped:
        files = run.join([name for each in scene.dropped for name in (each.backup, each.names)])
        yield RunbookStep(
            title="Put the exports away",
            why="They are kept, and another attempt makes new ones.",
            commands=(f'put="{BACKUP}/$(date +%s)" && mkdir "$put" && mv {files} "$put"',),
        )
