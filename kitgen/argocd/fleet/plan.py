"""The plan of a fleet: which cluster gets which target, release and wave, and in which steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache

from msgspec import Struct

from kitgen.argocd.fleet.generators import Application, LabelledClusters, generate_applications
from kitgen.argocd.fleet.steps import COMPONENT_LABEL, WAVE_LABEL, RolloutStep, parse_steps
from kitgen.findings import Origin, make_problem
from kitgen.findings.errors import FindingsError
from kitgen.kit.model import Cluster, FleetTarget
from kitgen.kube.selectors import LabelSelector, matches_labels
from kitgen.text.values import group_pairs
from kitgen.text.yaml import JsonObject

MAX_APPLICATIONS = 100_000
"""More than any Argo CD looks after."""


class FleetMember(Struct, frozen=True, kw_only=True):
    """A target of a fleet, with its ApplicationSet."""

    said: FleetTarget
    release: str
    body: JsonObject
    content: str | None = None
    """What stands for all that the target brings, if that is to be compared."""


class FleetApplication(Struct, frozen=True, kw_only=True):
    """An Application that Argo CD makes for a cluster."""

    name: str
    """The name of the Application."""
    component: str | None
    """The component; null where one Application brings all."""
    path: str
    """The folder in the repository that it syncs."""
    namespace: str
    """Where objects go that say no namespace."""
    step: int
    """The step of its target that it is synced in; the first is 1."""


class FleetState(Struct, frozen=True, kw_only=True):
    """What a cluster gets."""

    target: str
    """The target."""
    release: str
    """The release that the target pins."""
    wave: str
    """The wave that the cluster is in."""
    components: tuple[str, ...]
    """What comes as an Application each; empty where one brings all."""
    content: str | None
    """Stands for all objects that come; null unless revisions are compared."""


class PlacedCluster(Struct, frozen=True, kw_only=True):
    """A cluster that gets a target."""

    cluster: Cluster
    member: FleetMember
    wave: str
    applications: tuple[FleetApplication, ...]

    @property
    def target(self) -> str:
        """Return the name of the target."""
        return self.member.said.name

    @property
    def state(self) -> FleetState:
        """Return what the cluster gets."""
        return FleetState(
            target=self.target,
            release=self.member.release,
            wave=self.wave,
            components=tuple(each.component for each in self.applications if each.component),
            content=self.member.content,
        )

    @property
    def places(self) -> list[tuple[str, str, str]]:
        """Return what Applications are called, and what they bring where."""
        return [(each.name, each.path, each.namespace) for each in self.applications]


class PlannedStep(Struct, frozen=True, kw_only=True, rename="camel"):
    """Applications of one component, on the clusters of one wave."""

    target: str
    """The target."""
    release: str
    """The release that it pins."""
    number: int
    """The place among the steps of the target; the first is 1."""
    wave: str
    """The wave."""
    component: str | None
    """The component; null where one Application brings all."""
    clusters: int
    """How many clusters are in it."""
    at_once: int
    """How many of them change at a time; with 0 they wait for somebody to sync them."""


class FleetPlan(Struct, frozen=True, kw_only=True):
    """What becomes of a fleet."""

    placed: tuple[PlacedCluster, ...]
    """By target, then in order of their waves, as the list has them."""
    steps: tuple[PlannedStep, ...]
    unmatched: tuple[Cluster, ...]
    """Clusters that no target is for."""


class FleetChange(Struct, frozen=True, kw_only=True):
    """A cluster that would get something else."""

    name: str
    """What Argo CD calls the cluster."""
    before: tuple[FleetState, ...]
    """What it got; empty if nothing."""
    after: tuple[FleetState, ...]
    """What it would get; empty if nothing."""


def plan_fleet(members: Sequence[FleetMember], clusters: Sequence[Cluster]) -> FleetPlan:
    """Plan what the ApplicationSets of targets make for clusters; FindingsError if that is too much."""
    labelled = LabelledClusters(clusters)
    placed: list[PlacedCluster] = []
    steps: list[PlannedStep] = []
    for member in members:
        room = MAX_APPLICATIONS - sum(len(each.applications) for each in placed)
        here = _place_clusters(member, labelled, room)
        placed += here
        steps += _plan_steps(member, here)
    known = {id(each.cluster) for each in placed}
    unmatched = tuple(each for each in clusters if id(each) not in known)
    return FleetPlan(placed=tuple(placed), steps=tuple(steps), unmatched=unmatched)


def _place_clusters(member: FleetMember, clusters: LabelledClusters, room: int) -> list[PlacedCluster]:
    """Return the clusters of a target, in the order in which they are synced."""
    step = _build_step_finder(parse_steps(member.body))
    found = group_pairs((id(each.cluster), each) for each in _limit_applications(member, clusters, room))
    placed = [
        PlacedCluster(
            cluster=some[0].cluster,
            member=member,
            wave=some[0].labels[WAVE_LABEL],
            applications=tuple(
                FleetApplication(
                    name=each.name,
                    component=each.labels.get(COMPONENT_LABEL),
                    path=each.path,
                    namespace=each.namespace,
                    step=step(tuple(each.labels.items())),
                )
                for each in some
            ),
        )
        for some in found.values()
    ]
    return sorted(placed, key=lambda each: (each.applications[0].step, clusters.order[id(each.cluster)]))


def _limit_applications(member: FleetMember, clusters: LabelledClusters, room: int) -> Iterator[Application]:
    """Yield what a set makes, as long as there is room for it."""
    for number, each in enumerate(generate_applications(member.body, clusters)):
        if number == room:
            message = f"found clusters for more than {MAX_APPLICATIONS:,} Applications, expected no more"
            wrong = make_problem("fleet-applications", message, line=1).to_finding(
                Origin(each.cluster.origin.file)
            )
            raise FindingsError([wrong])
        yield each


def _build_step_finder(steps: Sequence[RolloutStep]) -> Callable[[tuple[tuple[str, str], ...]], int]:
    """Return what tells the step that an Application with some labels is in; the first is 1."""

    @cache
    def find(labels: tuple[tuple[str, str], ...]) -> int:
        # Every wave and component has a step.
        return next(at for at, each in enumerate(steps, 1) if matches_labels(each.labels, dict(labels)))

    return find


def _plan_steps(member: FleetMember, placed: Sequence[PlacedCluster]) -> Iterator[PlannedStep]:
    """Yield the steps that have clusters."""
    steps = parse_steps(member.body)
    found = group_pairs(
        (each.step, (one.wave, each.component)) for one in placed for each in one.applications
    )
    for number in sorted(found):
        wave, component = found[number][0]
        yield PlannedStep(
            target=member.said.name,
            release=member.release,
            number=number,
            wave=wave,
            component=component,
            clusters=len(found[number]),
            at_once=steps[number - 1].count_at_once(len(found[number])),
        )


def compare_plans(before: FleetPlan, after: FleetPlan, selector: LabelSelector = ()) -> Iterator[FleetChange]:
    """Yield the clusters with some labels that get something else than before."""
    old, new = (group_pairs((each.cluster.name, each) for each in plan.placed) for plan in (before, after))
    for name in dict.fromkeys((*new, *old)):
        sides = old.get(name, []), new.get(name, [])
        one, other = ([(each.state, each.places) for each in side] for side in sides)
        if one != other and matches_labels(selector, (new.get(name) or old[name])[0].cluster.labels):
            first, last = (tuple(state for state, _ in side) for side in (one, other))
            yield FleetChange(name=name, before=first, after=last)
