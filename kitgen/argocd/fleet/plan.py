"""The plan of a fleet: which cluster gets which target, release and wave, and in which steps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from msgspec import Struct

from kitgen.argocd.fleet.generators import Application, Labelled, applications
from kitgen.argocd.fleet.steps import COMPONENT_LABEL, WAVE_LABEL, RolloutStep, step_of, steps_of
from kitgen.findings import Origin, problem
from kitgen.findings.errors import FindingsError
from kitgen.kit.model import Cluster, FleetTarget
from kitgen.text.yaml import JsonObject

MAX_APPLICATIONS = 100_000
"""More than any Argo CD looks after."""


class Member(Struct, frozen=True, kw_only=True):
    """A target of a fleet, with its ApplicationSet."""

    said: FleetTarget
    release: str
    body: JsonObject
    content: str = ""
    """What stands for all that the target brings, if that is to be compared."""


class PlannedApplication(Struct, frozen=True, kw_only=True):
    """An Application in the plan, and the step that it is synced in; the first is 1."""

    application: Application
    component: str
    """Empty where one Application brings the whole target."""
    step: int


class ClusterState(NamedTuple):
    """What a cluster gets, to be compared."""

    target: str
    release: str
    wave: str
    components: tuple[str, ...]
    applications: tuple[tuple[str, str, str], ...]
    """Names, folders and namespaces."""
    content: str


class PlacedCluster(Struct, frozen=True, kw_only=True):
    """A cluster that gets a target."""

    cluster: Cluster
    member: Member
    wave: str
    applications: tuple[PlannedApplication, ...]

    @property
    def target(self) -> str:
        """Return the name of the target."""
        return self.member.said.name

    @property
    def release(self) -> str:
        """Return the release that the target pins."""
        return self.member.release

    @property
    def spot(self) -> ClusterState:
        """Return what the cluster gets."""
        made = [each.application for each in self.applications]
        return ClusterState(
            self.target,
            self.release,
            self.wave,
            tuple(each.component for each in self.applications if each.component),
            tuple((each.name, each.path, each.namespace) for each in made),
            self.member.content,
        )


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


class ClusterMove(Struct, frozen=True, kw_only=True):
    """A cluster that would get something else; more than one thing only if its labels are wrong."""

    cluster: Cluster
    before: tuple[ClusterState, ...]
    after: tuple[ClusterState, ...]


def plan_fleet(members: Sequence[Member], clusters: Sequence[Cluster]) -> FleetPlan:
    """Plan what the ApplicationSets of targets make for clusters; FindingsError if that is too much."""
    labelled = Labelled(clusters)
    placed: list[PlacedCluster] = []
    steps: list[PlannedStep] = []
    made = 0
    for member in members:
        here, some = _member(member, labelled, MAX_APPLICATIONS - made)
        made += sum(len(each.applications) for each in here)
        placed += here
        steps += some
    known = {id(each.cluster) for each in placed}
    unmatched = tuple(each for each in clusters if id(each) not in known)
    return FleetPlan(placed=tuple(placed), steps=tuple(steps), unmatched=unmatched)


def _member(member: Member, clusters: Labelled, room: int) -> tuple[list[PlacedCluster], list[PlannedStep]]:
    steps = steps_of(member.body)
    of: dict[int, list[PlannedApplication]] = {}
    places: dict[tuple[tuple[str, str], ...], int] = {}
    for number, each in enumerate(applications(member.body, clusters)):
        if number == room:
            message = f"found clusters for more than {MAX_APPLICATIONS:,} Applications, expected no more"
            raise FindingsError(
                [problem("fleet-applications", message, line=1).at(Origin(each.cluster.origin.file))]
            )
        if (key := tuple(each.labels.items())) not in places:
            at = step_of(each.labels, steps)
            assert at is not None  # every wave and component has a step
            places[key] = at
        component = each.labels.get(COMPONENT_LABEL, "")
        planned = PlannedApplication(application=each, component=component, step=places[key] + 1)
        of.setdefault(id(each.cluster), []).append(planned)

    def order(some: list[PlannedApplication]) -> tuple[int, int]:
        return some[0].step, clusters.order[id(some[0].application.cluster)]

    placed = [
        PlacedCluster(
            cluster=some[0].application.cluster,
            member=member,
            wave=some[0].application.labels[WAVE_LABEL],
            applications=tuple(some),
        )
        for some in sorted(of.values(), key=order)
    ]
    return placed, [*_steps(member, steps, placed)]


def _steps(
    member: Member, steps: Sequence[RolloutStep], placed: Sequence[PlacedCluster]
) -> Iterator[PlannedStep]:
    """Yield the steps that have clusters."""
    counts = Counter(each.step for one in placed for each in one.applications)
    words = {each.step: (one.wave, each.component) for one in placed for each in one.applications}
    for number in sorted(counts):
        wave, component = words[number]
        yield PlannedStep(
            target=member.said.name,
            release=member.release,
            number=number,
            wave=wave,
            component=component or None,
            clusters=counts[number],
            at_once=steps[number - 1].size(counts[number]),
        )


def moves(before: FleetPlan, after: FleetPlan) -> Iterator[ClusterMove]:
    """Yield the clusters that get something else than before."""
    old, new = _by_name(before), _by_name(after)
    for name in dict.fromkeys((*new, *old)):
        one, other = (tuple(each.spot for each in side.get(name, ())) for side in (old, new))
        if one != other:
            yield ClusterMove(cluster=(new.get(name) or old[name])[0].cluster, before=one, after=other)


def _by_name(plan: FleetPlan) -> dict[str, list[PlacedCluster]]:
    found: dict[str, list[PlacedCluster]] = {}
    for each in plan.placed:
        found.setdefault(each.cluster.name, []).append(each)
    return found
