"""What must hold before the next phase."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kitgen.kit.model.migration import Phase
from kitgen.migrate.phases.admission import GROUP
from kitgen.migrate.runbook import commands as run
from kitgen.migrate.runbook import versions
from kitgen.migrate.runbook.changes import has_policy, policy_name
from kitgen.migrate.runbook.kinds import MovingKind
from kitgen.migrate.runbook.model import RunbookPhase, RunbookStep
from kitgen.migrate.runbook.resources import dependents
from kitgen.migrate.runbook.risks import unguarded
from kitgen.text.wording import choice

SYNC_OPTIONS = 'jsonpath={.metadata.annotations.argocd\\.argoproj\\.io/sync-options}{"\\n"}'
POLICIES = tuple(f"validatingadmission{each}.{GROUP}" for each in ("policies", "policybindings"))


def checks_of(scene: RunbookPhase) -> Iterator[RunbookStep]:
    """Yield what to look at before a cluster leaves a phase."""
    match scene.phase:
        case Phase.BEFORE:
            yield from _before(scene)
        case Phase.INTRODUCE:
            yield from _served(scene)
            yield from _running(scene)
        case Phase.SWITCH:
            yield from _guarded(scene)
            yield from _running(scene)
            yield _unused(scene)
        case Phase.PREPARE:
            yield from _guarded(scene)
            yield from _carried(scene)
        case Phase.MIGRATE:
            yield from _carried(scene)
            yield from _running(scene)
        case Phase.READ_ONLY:
            yield from _running(scene)
            yield from _refused(scene)
            yield from _empty(scene)
        case Phase.AFTER:
            yield from _served(scene)
            yield from _running(scene)
            yield from _gone(scene)
    yield from versions.stored(scene)


def _before(scene: RunbookPhase) -> Iterator[RunbookStep]:
    known = dict.fromkeys(f"{each.old.version} of {each.old.crd}" for each in scene.kinds)
    yield RunbookStep(
        title="The old CRDs store what the migration says",
        why=f"It moves {choice([*known], last='and')}. No other stored version is carried over.",
        commands=tuple(dict.fromkeys(run.stored_versions(each.old) for each in scene.kinds)),
    )
    yield RunbookStep(
        title="kitgen finds nothing wrong with the migration",
        commands=(run.kitgen("migrate", "check", scene.migration.name),),
    )
    yield RunbookStep(title="Everybody who uses the old kinds knows the day")


def _served(scene: RunbookPhase) -> Iterator[RunbookStep]:
    yield RunbookStep(
        title="The new CRDs are served",
        commands=tuple(dict.fromkeys(run.established(each.new) for each in scene.kinds)),
    )


def _running(scene: RunbookPhase) -> Iterator[RunbookStep]:
    if scene.coming:
        yield RunbookStep(
            title="The operator runs",
            commands=tuple(run.rolled_out(each.namespace, each.name) for each in scene.coming),
        )


def _guarded(scene: RunbookPhase) -> Iterator[RunbookStep]:
    if scene.across:
        yield RunbookStep(
            title="The old CRDs say Prune=false on the cluster",
            why=(
                "They have to, one release before they leave the tree. Argo CD deletes them else, with all "
                "that is in them."
            ),
            commands=tuple(
                run.join(["kubectl", "get", "crd", each.old.crd, "-o", SYNC_OPTIONS]) for each in scene.across
            ),
        )


def _unused(scene: RunbookPhase) -> RunbookStep:
    return RunbookStep(
        title="Nobody makes resources of the old kinds any more",
        why="Count twice, a day apart: the numbers must not grow.",
        commands=tuple(run.counted_by_namespace(each.old) for each in scene.across or scene.kinds),
    )


def _carried(scene: RunbookPhase) -> Iterator[RunbookStep]:
    kinds = scene.lifted
    if not kinds:
        return
    yield RunbookStep(
        title="Nothing of the old kinds is left",
        why="These must print nothing.",
        commands=tuple(run.listed(each.old) for each in kinds),
    )
    if scene.made_anew:
        yield _counted(scene.made_anew)
    yield RunbookStep(
        title="Everything that depended on them is still there",
        why="Compare with the list that was written down. No line names an old kind any more.",
        commands=(f"cat {dependents(scene)}", run.owned(*run.of_groups(kinds))),
    )


def _counted(kinds: Iterable[MovingKind]) -> RunbookStep:
    numbers = ((f"wc -l < {run.quote(each.old.names)}", f"{run.listed(each.new)} | wc -l") for each in kinds)
    return RunbookStep(
        title="As many new resources are there as old ones were, or more",
        why="But for those that could not move, and those that somebody deleted since.",
        commands=run.chained(*numbers),
    )


def _refused(scene: RunbookPhase) -> Iterator[RunbookStep]:
    if not has_policy(scene.migration, scene.found.made):
        yield RunbookStep(title="Nobody may create resources of the old kinds", why=unguarded(scene))
        return
    name = policy_name(scene.migration)
    yield RunbookStep(
        title="The admission policy is there, and bound",
        why="Try it with a resource of yours: kubectl create --dry-run=server has to be refused.",
        commands=tuple(run.join(["kubectl", "get", each, name]) for each in POLICIES),
    )


def _empty(scene: RunbookPhase) -> Iterator[RunbookStep]:
    if not scene.across:
        return
    yield RunbookStep(
        title="Nothing of the old kinds is left, in any namespace, and the backup is kept elsewhere too",
        why="Wait for a whole cycle of work first. The commands must print nothing.",
        commands=tuple(run.listed(each.old) for each in scene.across),
    )
    yield RunbookStep(
        title="Nothing else names the old group",
        why="Roles, webhooks and policies of others, besides what the phase itself has.",
        commands=(_naming(scene),),
    )


def _naming(scene: RunbookPhase) -> str:
    kinds = "clusterroles,roles,validatingwebhookconfigurations,mutatingwebhookconfigurations"
    template = (
        "go-template={{range .items}}{{$one := .}}{{range .rules}}{{range .apiGroups}}"
        '{{.}} {{$one.kind}} {{$one.metadata.name}}{{"\\n"}}{{end}}{{end}}'
        "{{range .webhooks}}{{range .rules}}{{range .apiGroups}}"
        '{{.}} {{$one.kind}} {{$one.metadata.name}}{{"\\n"}}{{end}}{{end}}{{end}}{{end}}'
    )
    groups = dict.fromkeys(each.old.api_version.rpartition("/")[0] for each in scene.across)
    found = [part for each in groups for part in ("-e", f"^{each} ".replace(".", "[.]"))]
    return (
        f"{run.join(['kubectl', 'get', kinds, '-A', '-o', template])} | {run.join(['grep', *found])} | sort "
        "-u"
    )


def _gone(scene: RunbookPhase) -> Iterator[RunbookStep]:
    if old := (*(each.old for each in scene.across), *scene.dropped):
        yield RunbookStep(
            title="The old CRDs are gone",
            why="The commands must print nothing.",
            commands=tuple(
                run.join(["kubectl", "get", "crd", each.crd, "--ignore-not-found"]) for each in old
            ),
        )
    if carried := [each for each in scene.kinds if each.is_carried]:
        yield _counted(carried)
