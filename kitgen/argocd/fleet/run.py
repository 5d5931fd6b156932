"""What `kitgen fleet plan` does: tell what Argo CD makes of the fleet for a list of clusters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path

import orjson
from msgspec import Struct
from msgspec.structs import replace

from kitgen.argocd.clusters.reading import read_clusters
from kitgen.argocd.fleet.findings import judge_fleet
from kitgen.argocd.fleet.plan import FleetChange, FleetMember, FleetPlan, moves, plan_fleet
from kitgen.argocd.fleet.query import parse_label, parse_selector
from kitgen.argocd.layers import synced_of
from kitgen.argocd.target import fleet_set
from kitgen.findings import Finding, near
from kitgen.findings.errors import FindingsError, UsageError
from kitgen.kit.load import KitSelection
from kitgen.kit.model import Cluster, Target
from kitgen.kube.selectors import LabelSelector, matches
from kitgen.render.placement import place
from kitgen.text.values import collect
from kitgen.text.wording import cut
from kitgen.workspace.kit import OpenedKit, known, tried
from kitgen.workspace.sources import GIT, Kits, SourceKind, parse_source
from kitgen.workspace.target_edits import file_of, moved_text

MANY = 2000
"""Applications of one set, from which on its status may outgrow what an API server stores of an object."""


class FleetRequest(Struct, frozen=True, kw_only=True):
    """Which clusters, and what would be different."""

    root: Path | None = None
    clusters: str
    """A file, or `-` for standard input."""
    selector: str = ""
    """Labels of the clusters to tell of; all when empty."""
    pins: tuple[str, ...] = ()
    """TARGET=RELEASE: as if targets pinned these."""
    labels: tuple[str, ...] = ()
    """CLUSTER:KEY=VALUE or CLUSTER:KEY-: as if clusters had these labels."""
    baseline: str = ""
    """A revision to compare with, as a source."""


class PlannedFleet(Struct, frozen=True, kw_only=True):
    """What becomes of the clusters."""

    root: Path
    plan: FleetPlan
    """Of the clusters that are to be told of."""
    moves: tuple[FleetChange, ...] | None
    """What is different; None if nothing was to be compared."""
    clusters: int
    """How many are to be told of."""
    findings: tuple[Finding, ...]
    texts: Mapping[str, str]
    remarks: tuple[str, ...]


def plan(request: FleetRequest) -> PlannedFleet:
    """Plan the fleet for a list of clusters, and what would be different."""
    selector, pins = _selector(request.selector), _pins(request.pins)
    kits = Kits(request.root, None if pins else KitSelection())
    opened = kits.at()
    whole = bool(request.baseline)
    members = _members(opened, whole=whole)
    read = read_clusters(request.clusters)
    if any(each.blocks for each in read.findings):
        raise FindingsError(list(read.findings), opened.root, read.texts)
    labelled = _labelled(read.clusters, request.labels)
    coming = _members(_repinned(opened, pins), whole=whole) if pins else members
    after = plan_fleet(coming, labelled)
    before = None
    if request.baseline:
        there = kits.at(_revision(request.baseline))
        before = plan_fleet(_members(there, whole=True) if there.kit.fleet else [], read.clusters)
    elif pins or request.labels:
        before = plan_fleet(members, read.clusters)
    fleet, shown = opened.kit.fleet, _selected(after, selector)
    judged = judge_fleet(shown, coming, leaves_others=bool(fleet and fleet.leaves_others))
    return PlannedFleet(
        root=opened.root,
        plan=shown,
        moves=None if before is None else tuple(moves(before, after, selector)),
        clusters=sum(matches(selector, each.labels) for each in labelled),
        findings=(*read.findings, *opened.judged(judged)),
        texts=read.texts,
        remarks=(*read.remarks, *_remarks(after)),
    )


def _members(opened: OpenedKit, *, whole: bool) -> list[FleetMember]:
    """Return the targets of a fleet in order; all that they bring is made only if it is compared."""
    fleet, found = opened.kit.fleet, []
    if fleet is None:
        hint = "say in kit.yaml which targets go to which clusters: fleet: {} is for the labels kitgen.target"
        raise UsageError("the kit has no fleet", hint=hint)
    for said in fleet.targets:
        target = opened.target(said.name)
        body = fleet_set(opened.session, place(opened.kit, target, opened.release(target, None)))
        if body is not None:
            content = _content(opened, target) if whole else None
            found.append(FleetMember(said=said, release=target.release, body=body, content=content))
    return found


def _content(opened: OpenedKit, target: Target) -> str:
    """Return what stands for all objects that a target brings to a cluster."""
    synced = synced_of(opened.plan(target))
    layers = synced.layers if synced else ()
    bodies = [each.annotated.body for layer in layers for each in layer.noted]
    return sha256(orjson.dumps(bodies, option=orjson.OPT_SORT_KEYS)).hexdigest()[:12]


def _repinned(opened: OpenedKit, pins: Mapping[str, str]) -> OpenedKit:
    """Return the kit with other releases pinned; targets that build on these move along."""
    fleet = opened.kit.fleet
    names = [each.name for each in fleet.targets] if fleet else []
    texts = {}
    for name, version in pins.items():
        if name not in names:
            raise UsageError(f"no target {name!r} in the fleet", hint=near(name, names) or known(names))
        target, release = opened.target(name), opened.building(version)
        texts[file_of(target)] = moved_text(opened.texts[file_of(target)], target, release.name)
    return tried(opened.root, texts)


def _selector(text: str) -> LabelSelector:
    found = parse_selector(text) if text else ()
    if found is None:
        raise UsageError(f"{cut(text)} is no selector", hint="such as env=prod,region in (eu, us),!old")
    return found


def _pins(texts: Iterable[str]) -> dict[str, str]:
    pins: dict[str, str] = {}
    for text in texts:
        target, sign, release = text.partition("=")
        if not (target and sign and release):
            raise UsageError(f"found --pin {cut(text)}, expected TARGET=RELEASE", hint="such as odh=v1.16.0")
        if target in pins:
            raise UsageError(f"found --pin for {target} twice, expected one release")
        pins[target] = release
    return pins


def _revision(text: str) -> str:
    name = parse_source(text)
    if name.kind is not SourceKind.KIT:
        raise UsageError(f"{cut(text)} is no revision, expected {GIT}REF", hint="such as git:main")
    return name.revision


def _labelled(clusters: Sequence[Cluster], labels: Iterable[str]) -> tuple[Cluster, ...]:
    """Return clusters with the labels that they would have."""
    found = {each.name: each for each in clusters}
    for text in labels:
        if (said := parse_label(text)) is None:
            raise UsageError(
                f"found --label {cut(text)}, expected CLUSTER:KEY=VALUE",
                hint="such as edge-1:env=prod, or edge-1:env- to take it away",
            )
        name, key, value = said
        if name not in found:
            raise UsageError(f"no cluster {cut(name)} in the list", hint=near(name, list(found)))
        kept = {at: each for at, each in found[name].labels.items() if at != key}
        found[name] = replace(found[name], labels=kept if value is None else {**kept, key: value})
    return tuple(found.values())


def _selected(plan: FleetPlan, selector: LabelSelector) -> FleetPlan:
    """Return a plan with the clusters alone that have some labels; steps are those of the fleet."""
    if not selector:
        return plan
    return replace(
        plan,
        placed=tuple(each for each in plan.placed if matches(selector, each.cluster.labels)),
        unmatched=tuple(each for each in plan.unmatched if matches(selector, each.labels)),
    )


def _remarks(plan: FleetPlan) -> Iterator[str]:
    """Yield that a set makes more Applications than Argo CD may be able to keep account of."""
    for target, made in collect((each.target, each.applications) for each in plan.placed).items():
        if (count := sum(map(len, made))) > MANY:
            advice = "applications: target makes one a cluster, and a target of its own has a set of its own"
            yield f"{target}: {count:,} Applications in one set, whose status may get too large: {advice}"
