"""What `kitgen fleet plan` does: tell what Argo CD makes of the fleet for a list of clusters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path

import orjson
from msgspec import Struct
from msgspec.structs import replace

from kitgen.argocd.clusters.reading import read_clusters
from kitgen.argocd.fleet.findings import check_fleet
from kitgen.argocd.fleet.plan import FleetChange, FleetMember, FleetPlan, compare_plans, plan_fleet
from kitgen.argocd.fleet.query import parse_label, parse_selector
from kitgen.argocd.layers import find_synced_target
from kitgen.argocd.target import build_application_set
from kitgen.findings import Finding, suggest_word
from kitgen.findings.errors import FindingsError, UsageError
from kitgen.kit.load import KitSelection
from kitgen.kit.model import Cluster, Target
from kitgen.kube.selectors import LabelSelector, matches_labels
from kitgen.render.placement import build_placement
from kitgen.text.values import group_pairs
from kitgen.text.wording import quote_text
from kitgen.workspace.kit import OpenedKit, format_known_names, load_changed_kit
from kitgen.workspace.sources import GIT, Kits, SourceKind, parse_source
from kitgen.workspace.target_edits import edit_pinned_release, file_of

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


def run_fleet_plan(request: FleetRequest) -> PlannedFleet:
    """Plan the fleet for a list of clusters, and what would be different."""
    selector, pins = _require_selector(request.selector), _parse_pins(request.pins)
    kits = Kits(request.root, None if pins else KitSelection())
    opened = kits.open_at()
    whole = bool(request.baseline)
    members = _list_members(opened, whole=whole)
    read = read_clusters(request.clusters)
    if any(each.is_blocking for each in read.findings):
        raise FindingsError(list(read.findings), opened.root, read.texts)
    labelled = _apply_labels(read.clusters, request.labels)
    coming = _list_members(_pin_releases(opened, pins), whole=whole) if pins else members
    after = plan_fleet(coming, labelled)
    before = None
    if request.baseline:
        there = kits.open_at(_parse_revision(request.baseline))
        before = plan_fleet(_list_members(there, whole=True) if there.kit.fleet else [], read.clusters)
    elif pins or request.labels:
        before = plan_fleet(members, read.clusters)
    fleet, shown = opened.kit.fleet, _filter_plan(after, selector)
    judged = check_fleet(shown, coming, leaves_others=bool(fleet and fleet.leaves_others))
    return PlannedFleet(
        root=opened.root,
        plan=shown,
        moves=None if before is None else tuple(compare_plans(before, after, selector)),
        clusters=sum(matches_labels(selector, each.labels) for each in labelled),
        findings=(*read.findings, *opened.apply_exceptions(judged)),
        texts=read.texts,
        remarks=(*read.remarks, *_describe_large_sets(after)),
    )


def _list_members(opened: OpenedKit, *, whole: bool) -> list[FleetMember]:
    """Return the targets of a fleet in order; all that they bring is made only if it is compared."""
    fleet, found = opened.kit.fleet, []
    if fleet is None:
        hint = "say in kit.yaml which targets go to which clusters: fleet: {} is for the labels kitgen.target"
        raise UsageError("the kit has no fleet", hint=hint)
    for said in fleet.targets:
        target = opened.target(said.name)
        body = build_application_set(
            opened.session, build_placement(opened.kit, target, opened.release(target, None))
        )
        if body is not None:
            content = _hash_content(opened, target) if whole else None
            found.append(FleetMember(said=said, release=target.release, body=body, content=content))
    return found


def _hash_content(opened: OpenedKit, target: Target) -> str:
    """Return what stands for all objects that a target brings to a cluster."""
    synced = find_synced_target(opened.plan(target))
    layers = synced.layers if synced else ()
    bodies = [each.annotated_manifest.body for layer in layers for each in layer.noted]
    return sha256(orjson.dumps(bodies, option=orjson.OPT_SORT_KEYS)).hexdigest()[:12]


def _pin_releases(opened: OpenedKit, pins: Mapping[str, str]) -> OpenedKit:
    """Return the kit with other releases pinned; targets that build on these move along."""
    fleet = opened.kit.fleet
    names = [each.name for each in fleet.targets] if fleet else []
    texts = {}
    for name, version in pins.items():
        if name not in names:
            raise UsageError(
                f"no target {name!r} in the fleet",
                hint=suggest_word(name, names) or format_known_names(names),
            )
        target, release = opened.target(name), opened.get_buildable_release(version)
        texts[file_of(target)] = edit_pinned_release(opened.texts[file_of(target)], target, release.name)
    return load_changed_kit(opened.root, texts)


def _require_selector(text: str) -> LabelSelector:
    found = parse_selector(text) if text else ()
    if found is None:
        raise UsageError(
            f"{quote_text(text)} is no selector", hint="such as env=prod,region in (eu, us),!old"
        )
    return found


def _parse_pins(texts: Iterable[str]) -> dict[str, str]:
    pins: dict[str, str] = {}
    for text in texts:
        target, sign, release = text.partition("=")
        if not (target and sign and release):
            raise UsageError(
                f"found --pin {quote_text(text)}, expected TARGET=RELEASE", hint="such as odh=v1.16.0"
            )
        if target in pins:
            raise UsageError(f"found --pin for {target} twice, expected one release")
        pins[target] = release
    return pins


def _parse_revision(text: str) -> str:
    name = parse_source(text)
    if name.kind is not SourceKind.KIT:
        raise UsageError(f"{quote_text(text)} is no revision, expected {GIT}REF", hint="such as git:main")
    return name.revision


def _apply_labels(clusters: Sequence[Cluster], labels: Iterable[str]) -> tuple[Cluster, ...]:
    """Return clusters with the labels that they would have."""
    found = {each.name: each for each in clusters}
    for text in labels:
        if (said := parse_label(text)) is None:
            raise UsageError(
                f"found --label {quote_text(text)}, expected CLUSTER:KEY=VALUE",
                hint="such as edge-1:env=prod, or edge-1:env- to take it away",
            )
        name, key, value = said
        if name not in found:
            raise UsageError(
                f"no cluster {quote_text(name)} in the list", hint=suggest_word(name, list(found))
            )
        kept = {at: each for at, each in found[name].labels.items() if at != key}
        found[name] = replace(found[name], labels=kept if value is None else {**kept, key: value})
    return tuple(found.values())


def _filter_plan(plan: FleetPlan, selector: LabelSelector) -> FleetPlan:
    """Return a plan with the clusters alone that have some labels; steps are those of the fleet."""
    if not selector:
        return plan
    return replace(
        plan,
        placed=tuple(each for each in plan.placed if matches_labels(selector, each.cluster.labels)),
        unmatched=tuple(each for each in plan.unmatched if matches_labels(selector, each.labels)),
    )


def _describe_large_sets(plan: FleetPlan) -> Iterator[str]:
    """Yield that a set makes more Applications than Argo CD may be able to keep account of."""
    for target, made in group_pairs((each.target, each.applications) for each in plan.placed).items():
        if (count := sum(map(len, made))) > MANY:
            advice = "applications: target makes one a cluster, and a target of its own has a set of its own"
            yield f"{target}: {count:,} Applications in one set, whose status may get too large: {advice}"
