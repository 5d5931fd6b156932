"""How to go back from each phase, and what cannot be taken back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kitgen.model.migration import Phase
from kitgen.runbook import commands as run
from kitgen.runbook.bringing import BUNDLES, SUBSCRIPTIONS, by_kubectl
from kitgen.runbook.carrying import managed
from kitgen.runbook.kinds import Kind
from kitgen.runbook.model import By, Step
from kitgen.runbook.scene import Scene

RESTORED = (
    "Old resources come back with new UIDs and an empty status, and their children stay without an owner."
)


def back_of(scene: Scene) -> Iterator[Step]:
    """Yield how a cluster comes from a phase to the one before."""
    if scene.earlier is None:
        yield Step(title="There is nothing to take back")
        return
    if scene.phase is Phase.AFTER and scene.across:
        yield Step(
            title="Once the old CRDs are deleted, only the backup helps",
            why=(
                "Applying the phase before brings them back empty. What was in them comes from the export "
                "alone."
            ),
        )
    if scene.lifted:
        yield Step(
            title="Before the old resources are deleted, start the operator again",
            why="Nothing has changed for them. What follows is for later.",
            commands=managed(scene.place.odh, "Managed") if scene.place.odh else _replicas(scene),
        )
    across = [each for each in scene.lifted if not each.within]
    within = [each for each in scene.lifted if each.within]
    yield from _across(scene, across)
    yield from _away(scene)
    yield from _brought_back(scene)
    yield from _within(scene, within)
    if scene.lifted and not scene.place.odh:
        yield Step(title="Start the operator", commands=_replicas(scene))


def _across(scene: Scene, kinds: Sequence[Kind]) -> Iterator[Step]:
    """Yield how resources come back into the group that they were in."""
    if kinds:
        yield Step(
            title="After they were deleted, take away what was carried over, and restore the old resources",
            why=f"What was carried over goes without its children. {RESTORED}",
            commands=run.chained(
                *(
                    (
                        run.join(
                            ["kubectl", "delete", "--ignore-not-found", "--cascade=orphan", "-f", each.moved]
                        ),
                        run.restored(scene.migration.name, each.backup),
                    )
                    for each in kinds
                )
            ),
        )


def _away(scene: Scene) -> Iterator[Step]:
    """Yield how a CRD goes that stores the new version: the server takes no other one in its place."""
    if kinds := [each for each in scene.settled if each.is_carried]:
        yield Step(
            title="Take the resources of the new version away, and then their CRD",
            why=(
                "The server refuses a CRD that lacks a stored version. What was made meanwhile is exported "
                "first. Delete the CRD only once the list is empty."
            ),
            commands=run.chained(
                *(
                    (
                        run.exported(each.new, f"{each.backup}.new"),
                        run.every(each.new, "--all", "--cascade=orphan", verb="delete"),
                        run.listed(each.new),
                        run.join(["kubectl", "delete", "crd", each.new.crd]),
                    )
                    for each in kinds
                )
            ),
        )


def _within(scene: Scene, kinds: Sequence[Kind]) -> Iterator[Step]:
    """Yield how resources come back into the version that they were in."""
    if kinds:
        yield Step(
            title="Restore the resources of the old version",
            why=f"Only once the CRD of the old version is served again. {RESTORED}",
            commands=tuple(run.restored(scene.migration.name, each.backup) for each in kinds),
        )


def _replicas(scene: Scene) -> tuple[str, ...]:
    return run.chained(*(run.scaled(each, each.replicas) for each in scene.running))


def _brought_back(scene: Scene) -> Iterator[Step]:
    earlier, place = scene.earlier, scene.place
    assert earlier is not None  # the caller has looked
    if place.odh:
        yield Step(
            title="Have the ODH operator bring what it brought before",
            why="Take its release before this one, and set the component to Managed.",
            commands=managed(place.odh, "Managed"),
            by=By.ODH,
        )
    else:
        yield Step(
            title=f"Apply the phase {earlier} again",
            why=_alone(scene),
            commands=(run.applied(earlier),),
            by=by_kubectl(place),
        )
    if place.olm and scene.found.is_release:
        name = place.olm.bundles.get(scene.found.made.release, "")
        home = ["kubectl", "-n", place.olm.namespace, "delete"]
        bundle = [run.join([*home, BUNDLES, name])] if name else []
        yield Step(
            title="Install the release before anew",
            why=(
                "OLM does not go back. Delete the Subscription and the bundle; CRDs and resources stay. "
                "Then make the Subscription anew, with the bundle before as startingCSV and Manual approval."
            ),
            commands=(run.join([*home, SUBSCRIPTIONS, place.olm.package]), *bundle),
            by=By.OLM,
        )


def _alone(scene: Scene) -> str:
    """Say whom the phase before leaves alone."""
    if scene.phase is Phase.READ_ONLY and scene.earlier is Phase.PREPARE:
        return "Its operator does not know the new kinds. Go on with the way back of the phase prepare."
    if scene.phase is Phase.INTRODUCE and scene.across:
        return (
            "The new CRDs stay, and nobody looks after what is in them. Delete them only while they are "
            "empty."
        )
    return ""
