"""Bring a phase to a cluster: by kubectl, by OLM, by the ODH operator, past Argo CD."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kitgen.compare.upgrade.rules import UPGRADE_DATA, UPGRADE_MIGRATION
from kitgen.kube.identity import ObjectId
from kitgen.migrate.runbook import commands as run
from kitgen.migrate.runbook.changes import by_hand, deployments, leftovers, role_name
from kitgen.migrate.runbook.managers import Argo, MigrationSite, Olm
from kitgen.migrate.runbook.model import Manager, RunbookPhase, RunbookStep
from kitgen.migrate.runbook.resources import managed

SUBSCRIPTIONS = "subscriptions.operators.coreos.com"
PLANS = "installplans.operators.coreos.com"
BUNDLES = "clusterserviceversions.operators.coreos.com"
APPLICATIONS = "applications.argoproj.io"


def rendered(scene: RunbookPhase) -> RunbookStep:
    """Return the step that renders the phase."""
    migration, phase = scene.migration, scene.phase
    words = ["migrate", "render", migration.name, "--target", scene.place.target.name, "--phase", phase]
    words += ["--from", scene.earlier] if scene.earlier else []
    first = scene.earlier is None
    why = (
        "It is what the cluster has. Its folder is the way back."
        if first
        else "The folder holds every object of the phase. kubectl diff shows what changes in those "
        "that are there."
    )
    # What the phase adds is left out: a server tries no object in a namespace or of a CRD that is not there.
    shown = run.compared_files(phase, scene.found.files(scene.found.changed))
    return RunbookStep(
        title=f"Render the phase {phase}",
        why=why,
        commands=(run.kitgen(*words, "--out", run.folder(phase)), *shown),
    )


def held(scene: RunbookPhase) -> Iterator[RunbookStep]:
    """Yield what keeps others from acting meanwhile."""
    if argocd := scene.place.argocd:
        yield _paused(argocd)
    if olm := scene.place.olm:
        manual = {"spec": {"installPlanApproval": "Manual"}}
        yield RunbookStep(
            title="Have OLM wait for an approval",
            why="With Automatic, OLM installs the next release while resources are still there.",
            commands=(
                run.join(["kubectl", "-n", olm.namespace, "get", SUBSCRIPTIONS]),
                run.patched(SUBSCRIPTIONS, olm.package, olm.namespace, manual),
            ),
            by=Manager.OLM,
        )


def _paused(argocd: Argo) -> RunbookStep:
    home, off = argocd.namespace, {"spec": {"syncPolicy": {"automated": None}}}
    columns = "custom-columns=NAME:.metadata.name,AUTOMATED:.spec.syncPolicy.automated"
    why = (
        "Automated sync and self-heal undo what is done by hand, replicas too. What makes the Applications "
        "(another Application, an ApplicationSet) may turn it on again: pause that as well, or deny syncs "
        "by a window of the project. Nobody presses Sync meanwhile."
    )
    return RunbookStep(
        title="Pause Argo CD",
        why=why,
        commands=(
            *(run.patched(APPLICATIONS, each, home, off) for each in argocd.applications),
            run.join(["kubectl", "-n", home, "get", APPLICATIONS, "-o", columns]),
        ),
        by=Manager.ARGOCD,
    )


def by_kubectl(place: MigrationSite) -> Manager | None:
    """Return whose clusters a folder is applied to: all, unless OLM installs some."""
    return Manager.KUBECTL if place.olm else None


def brought(scene: RunbookPhase) -> Iterator[RunbookStep]:
    """Yield how the phase comes to the cluster."""
    place, phase = scene.place, scene.phase
    own = by_hand(scene.migration, (*scene.found.added, *scene.found.changed), scene.kinds, scene.dropped)
    hand = run.applied_files(phase, scene.found.files(own))
    if not place.odh:
        yield RunbookStep(
            title=f"Apply the phase {phase}",
            commands=(run.applied(phase),),
            by=by_kubectl(place),
        )
    if (place.odh or place.olm) and hand:
        yield RunbookStep(
            title=f"Apply what the phase {phase} adds to the release",
            why="No release has these objects like this.",
            commands=hand,
            by=Manager.ODH if place.odh else Manager.OLM,
        )
    if place.olm and scene.found.is_release:
        yield from _besides(scene, place.olm)
        yield _approved(scene, place.olm)
    if place.odh and scene.found.is_release:
        yield RunbookStep(
            title=f"Update the ODH operator to one that has release {scene.found.made.release}",
            why=(
                "It brings the manifests that it was built with. Roles for the new kinds have to be there "
                "before the operator starts; where CRDs are in its own bundle, they come with that."
            ),
            by=Manager.ODH,
        )


def _besides(scene: RunbookPhase, olm: Olm) -> Iterator[RunbookStep]:
    """Yield how components come that are not in the bundle."""
    target, release = scene.place.target.name, scene.found.made.release
    if some := olm.besides.get(release):
        yield RunbookStep(
            title="Apply the components that are not in the bundle",
            commands=tuple(
                f"{run.kitgen('build', f'target:{target}@{release}/{each}')} | "
                f"{run.join(['kubectl', 'apply', *run.FORCED, '-f', '-'])}"
                for each in some
            ),
            by=Manager.OLM,
        )


def _approved(scene: RunbookPhase, olm: Olm) -> RunbookStep:
    columns = (
        "custom-columns=NAME:.metadata.name,APPROVED:.spec.approved,INSTALLS:.spec.clusterServiceVersionNames"
    )
    bundle = olm.bundles.get(scene.found.made.release, "")
    named = f", here {bundle}" if bundle else ""
    approve = f'kubectl -n {run.quote(olm.namespace)} patch {PLANS} "$PLAN" --type=merge -p'
    return RunbookStep(
        title="Approve the InstallPlan",
        why=(
            f"Only now. Set PLAN to the one that installs the next release{named}. It may name more than "
            "that: an approval is for all that it names. CRDs and operator come together."
        ),
        commands=(
            run.join(["kubectl", "-n", olm.namespace, "get", PLANS, "-o", columns]),
            f'{approve} \'{{"spec":{{"approved":true}}}}\'',
            run.join(["kubectl", "-n", olm.namespace, "get", BUNDLES]),
        ),
        by=Manager.OLM,
    )


def started(scene: RunbookPhase) -> Iterator[RunbookStep]:
    """Yield how an operator that was stopped runs again."""
    place = scene.place
    if place.odh:
        yield RunbookStep(
            title="Have the ODH operator run the operator again",
            why="It takes a while until its objects are there.",
            commands=managed(place.odh, "Managed", place.odh.keys[scene.found.made.release]),
            by=Manager.ODH,
        )
        return
    if not scene.found.is_release:
        yield RunbookStep(
            title="Bring back what was taken away",
            why="The webhooks that were deleted, and the replicas.",
            commands=(run.applied(scene.phase),),
            by=by_kubectl(place),
        )
    yield RunbookStep(
        title="Start the operator",
        commands=run.chained(*(run.scaled(each, each.replicas) for each in scene.coming)),
    )


def awaited(scene: RunbookPhase, *, started: bool) -> Iterator[RunbookStep]:
    """Yield how to wait for what the phase brings, but for an operator that was waited for as it started."""
    known = {(each.namespace, each.name) for each in scene.coming if started and not scene.place.odh}
    some = [each for each in deployments(scene.found) if (each.namespace, each.name) not in known]
    if some:
        yield RunbookStep(
            title="Wait until everything that the phase brings runs",
            why="Until their operators answer webhooks, the API server refuses resources of their kinds.",
            commands=tuple(run.rolled_out(each.namespace, each.name) for each in some),
        )


def tidied(scene: RunbookPhase) -> Iterator[RunbookStep]:
    """Yield what to do with objects that the phase no longer has."""
    some = leftovers(scene.found)
    if not some or scene.earlier is None:
        return
    files = scene.found.files(some, earlier=True)
    yield RunbookStep(
        title="Delete what the phase no longer has",
        why=(
            "kubectl apply deletes nothing. Read the list first. OLM, the ODH operator and Argo CD with "
            "pruning delete what they brought themselves."
        ),
        commands=(*run.deleted_files(scene.earlier, files), *unbound(scene, some)),
    )


def unbound(scene: RunbookPhase, some: Iterable[ObjectId]) -> tuple[str, ...]:
    """Return what deletes the binding that people made for the mover's role, if the role goes."""
    name = role_name(scene.migration)
    command = run.join(["kubectl", "delete", "--ignore-not-found", "clusterrolebinding", name])
    return (command,) if any(each.name == name for each in some) else ()


def handed_back(scene: RunbookPhase) -> Iterator[RunbookStep]:
    """Yield how others take over again at the end."""
    if argocd := scene.place.argocd:
        target, release = scene.place.target.name, scene.migration.after
        columns = "custom-columns=NAME:.metadata.name,AUTOMATED:.spec.syncPolicy.automated"
        yield RunbookStep(
            title="Hand over to Argo CD again",
            why=(
                "Commit and push what is rendered, and look at the diff in Argo CD: it must not delete a "
                "CRD. Then sync once without pruning, and turn automated sync on again as the target says."
            ),
            commands=(
                run.kitgen("pin", target, release, *_accepted(scene)),
                run.kitgen("render"),
                run.join(["kubectl", "-n", argocd.namespace, "get", APPLICATIONS, "-o", columns]),
            ),
            by=Manager.ARGOCD,
        )


def _accepted(scene: RunbookPhase) -> list[str]:
    """Return what a pin over the migration is to accept: the step itself, and that CRDs of kinds go."""
    rules = [UPGRADE_MIGRATION, *([UPGRADE_DATA] if scene.dropped else [])]
    accepts = [word for rule in rules for word in ("--accept", rule.id)]
    return [*accepts, "--reason", f"{scene.migration.name} was done phase by phase"]
