"""Check compiled objects: one release of some targets, or all that they ship."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from math import inf
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from kitgen.check.context import CheckContext, Place
from kitgen.check.engine import CheckedObjects, check_targets, merge_hits, run_checks
from kitgen.check.hits import LocatedHit
from kitgen.check.passed_checks import keep_passed_checks
from kitgen.check.table import BETWEEN_TARGETS, OF_PLANS, RENDERED_FOLDERS
from kitgen.files.results import decode_value, encode_value, find_slot, remember
from kitgen.files.workers import share_work
from kitgen.findings import Finding, deduplicate_findings
from kitgen.findings.errors import UsageError
from kitgen.findings.records import from_record, to_record
from kitgen.kit.model import Release, Target
from kitgen.kit.model.moves import NO_MOVES
from kitgen.kube.manifest import Manifest
from kitgen.render.outputs import OUTPUTS
from kitgen.text.wording import join_words
from kitgen.text.yaml import Json
from kitgen.workspace.kit import OpenedKit
from kitgen.workspace.planned_targets import MANY, ComponentSize, PlannedTarget, plan_target

if TYPE_CHECKING:
    from kitgen.render.plan import TargetPlan

CHECKED = "checks of a target"
NO_RANGES: Mapping[tuple[str, int], tuple[int, ...]] = {}
NO_FOLDERS: Mapping[Place, Sequence[Manifest]] = {}
Objects: TypeAlias = Mapping[str, Sequence[Manifest]]
"""The objects of each target."""


class TargetBaseline(Struct, frozen=True):
    """What a target upgrades from."""

    objects: Sequence[Manifest]
    accepted: Mapping[str, str]
    """Rules that the target breaks on the way from there, with the reasons."""


Before: TypeAlias = Callable[[Target, str], TargetBaseline | None]
"""Returns what is there before a target in a release, if that is known."""
NOWHERE: Mapping[str, TargetBaseline] = {}


class CheckedTarget(NamedTuple):
    """What is wrong with a target, and what others must know of it."""

    compiled: Sequence[Finding]
    """Found by compiling."""
    objects: CheckedObjects
    rendered: Sequence[Finding]
    """Found in what is rendered of the objects."""
    facts: Sequence[Json]
    """What each check between targets has to know."""
    sizes: Sequence[ComponentSize] = ()


def check_plans(
    opened: OpenedKit, plans: list[TargetPlan], minors: tuple[int, ...] = (), before: Before | None = None
) -> list[Finding]:
    """Return what compiling found, and what is wrong with the objects; each target is there once."""
    found = [
        _check_plan(opened, each, minors, before and before(each.target, each.release.name)) for each in plans
    ]
    return _merge_checks(opened, found)


def check_planned_targets(
    opened: OpenedKit,
    planned: Sequence[PlannedTarget],
    minors: tuple[int, ...] = (),
    before: Before | None = None,
) -> tuple[list[Finding], int]:
    """Return the same of targets that need not be compiled where an earlier run kept what is wrong.

    And how many objects they have. Two processes share the work if there is much.
    """
    items = list_baselines(planned, before)
    work = partial(recall_check, opened, minors)
    with share_work(work, items, encode_checks, decode_checks, alone=limit_sharing(minors, items)) as results:
        return merge_planned_checks(opened, planned, [*results])


PlannedBaseline: TypeAlias = tuple[PlannedTarget, TargetBaseline | None]


def list_baselines(planned: Sequence[PlannedTarget], before: Before | None) -> list[PlannedBaseline]:
    """Return targets with what is there before them, if that is known."""
    return [(each, before(each.target, each.release.name) if before else None) for each in planned]


def merge_planned_checks(
    opened: OpenedKit, planned: Sequence[PlannedTarget], found: Sequence[CheckedTarget]
) -> tuple[list[Finding], int]:
    """Return what is wrong with targets that were checked apart, and how many objects they have."""
    objects = sum(each.count_objects(checked.sizes) for each, checked in zip(planned, found, strict=True))
    return _merge_checks(opened, found), objects


def recall_check(opened: OpenedKit, minors: tuple[int, ...], item: PlannedBaseline) -> CheckedTarget:
    """Check a target, unless an earlier run did and nothing but specs went into it."""
    planned, there = item

    def check() -> CheckedTarget:
        return _check_plan(opened, planned.plan, minors, there)._replace(sizes=planned.measure())

    if there:
        return check()
    return remember(CHECKED, partial(_list_inputs, minors, planned), check, encode_checks, decode_checks)


def _list_inputs(minors: tuple[int, ...], planned: PlannedTarget) -> list[bytes | None]:
    return [encode_value(minors), planned.key]


def limit_sharing(minors: tuple[int, ...], items: Sequence[PlannedBaseline]) -> float | None:
    """Return that one process does all, if earlier runs did most: another one would expand CRDs again."""
    slots = (find_slot(CHECKED, partial(_list_inputs, minors, planned)) for planned, _ in items)
    return None if sum(slot is None or slot.read() is None for slot in slots) >= MANY else inf


def encode_checks(checked: CheckedTarget) -> bytes | None:
    """Return the result of a check as bytes."""
    targets, hits = checked.objects
    located = [(to_record(hit.finding), hit.target, hit.place) for hit in hits]
    own, rendered = ([to_record(each) for each in some] for some in (checked.compiled, checked.rendered))
    return encode_value((own, targets, located, rendered, checked.facts, checked.sizes))


def decode_checks(content: bytes) -> CheckedTarget:
    """Return the result that was encoded."""
    compiled, targets, located, rendered, facts, sizes = decode_value(content)
    hits = [LocatedHit(from_record(record), target, place) for record, target, place in located]
    own, others = ([from_record(each) for each in some] for some in (compiled, rendered))
    measured = [ComponentSize(*each) for each in sizes]
    return CheckedTarget(own, CheckedObjects(targets, hits), others, facts, measured)


def _check_plan(
    opened: OpenedKit, plan: TargetPlan, minors: tuple[int, ...], there: TargetBaseline | None
) -> CheckedTarget:
    from kitgen.render.placement import find_plan_minors

    if any(each.is_blocking for each in plan.findings):
        # Objects made from wrong values would only repeat it.
        return CheckedTarget(plan.findings, CheckedObjects((), ()), (), [[] for _ in BETWEEN_TARGETS])
    name = plan.target.name
    ranges = {(name, body): each for body, each in find_plan_minors(opened.kit, plan).items()}
    folders = {place: each for row in RENDERED_FOLDERS for place, each in resolve_name(row)([plan]).items()}
    context = _build_context(
        opened,
        {name: plan.objects, **_collect_extra_objects(plan)},
        plan.crds,
        minors,
        ranges,
        {} if there is None else {name: there},
        [plan],
        folders,
    )
    with keep_passed_checks(context, name, plan.release.name):
        objects = check_targets(context)
    # Of a bundle that could not be made as it is meant, its own faults would only repeat why.
    rendered = [finding for row in OF_PLANS for finding in resolve_name(row)([plan])]
    facts = [resolve_name(row.collect)(plan) for row in BETWEEN_TARGETS]
    return CheckedTarget(plan.findings, objects, rendered, facts)


def _merge_checks(opened: OpenedKit, parts: Sequence[CheckedTarget]) -> list[Finding]:
    found = [*opened.kit.warnings, *(each for part in parts for each in part.compiled)]
    if any(each.is_blocking for each in found):
        return found
    between = [
        hit
        for index, row in enumerate(BETWEEN_TARGETS)
        for hit in resolve_name(row.check)([part.facts[index] for part in parts])
    ]
    if any(hit.finding.is_blocking and not hit.place for hit in between):
        return [*found, *(hit.finding for hit in between if not hit.place)]
    rendered = (each for part in parts for each in part.rendered)
    objects = [*(part.objects for part in parts), CheckedObjects((), between)]
    return [*found, *merge_hits(objects), *rendered]


def _collect_extra_objects(plan: TargetPlan) -> dict[str, Sequence[Manifest]]:
    """Return what comes to a cluster instead of the objects of a target, or to the one that brings them."""
    found: dict[str, Sequence[Manifest]] = {}
    for extra in (plan.extras[name] for name in OUTPUTS if name in plan.extras):
        found |= {each.name: each.objects for each in (extra.apart, extra.shared) if each}
    return found


def check_objects(
    opened: OpenedKit,
    targets: Objects,
    crds: Iterable[Manifest],
    findings: Iterable[Finding],
    minors: tuple[int, ...] = (),
    ranges: Mapping[tuple[str, int], tuple[int, ...]] = NO_RANGES,
    before: Mapping[str, TargetBaseline] = NOWHERE,
) -> list[Finding]:
    """Return the findings of loading and compiling, and what is wrong with the objects of each target.

    Minors that are asked for count for all objects, before what releases and components say.
    """
    found = [*opened.kit.warnings, *findings]
    if any(finding.is_blocking for finding in found):
        return found  # objects made from wrong values would only repeat it
    context = _build_context(opened, targets, crds, minors, ranges, before)
    return [*found, *run_checks(context)]


def _build_context(
    opened: OpenedKit,
    targets: Objects,
    crds: Iterable[Manifest],
    minors: tuple[int, ...],
    ranges: Mapping[tuple[str, int], tuple[int, ...]],
    before: Mapping[str, TargetBaseline],
    plans: Sequence[TargetPlan] = (),
    folders: Mapping[Place, Sequence[Manifest]] = NO_FOLDERS,
) -> CheckContext:
    return CheckContext(
        targets=targets,
        minors=minors or opened.kit.minors,
        ranges={} if minors else ranges,
        crds=[manifest.body for manifest in crds],
        before={target: each.objects for target, each in before.items()},
        accepted={target: each.accepted for target, each in before.items()},
        moves=opened.load_declared_moves().moves if before else NO_MOVES,
        plans=plans,
        published=opened.kit.publishing.images,
        folders=folders,
        views=opened.views,
    )


class CheckResult(Struct, frozen=True, kw_only=True):
    """What a check looked at and found."""

    root: Path | None = None
    """Where the findings' files are."""
    minors: tuple[int, ...] = ()
    """The minors of Kubernetes 1 that the objects were held against."""
    objects: int = 0
    releases: frozenset[str] = frozenset()
    """The releases of the kit that were looked at."""
    findings: tuple[Finding, ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict)
    """What was read besides the specs, for the lines of findings."""
    aside: int = 0
    """How many documents in folders were left out because only kustomize reads them."""
    remarks: tuple[str, ...] = ()
    """What else was left out, and what was built."""


def merge_results(parts: Sequence[CheckResult]) -> CheckResult:
    """Return one result of several."""
    return CheckResult(
        root=next((each.root for each in parts if each.root), None),
        minors=tuple(sorted({minor for each in parts for minor in each.minors})),
        objects=sum(each.objects for each in parts),
        releases=frozenset().union(*(each.releases for each in parts)),
        findings=tuple(deduplicate_findings(finding for each in parts for finding in each.findings)),
        texts={name: text for each in parts for name, text in each.texts.items()},
        aside=sum(each.aside for each in parts),
        remarks=tuple(remark for each in parts for remark in each.remarks),
    )


def check_shipped_releases(
    opened: OpenedKit,
    targets: Iterable[Target],
    release: str | None,
    minors: tuple[int, ...],
    told: Sequence[Finding] = (),
    before: Before | None = None,
) -> CheckResult:
    """Check targets in every release that they ship, or in one of them, without repeating findings."""
    pinned: list[PlannedTarget] = []
    others: dict[str, list[PlannedTarget]] = {}
    for target in targets:
        for each in (name for name in list_target_releases(opened, target) if release in (None, name)):
            one = plan_target(opened, target, each)
            (pinned if each == target.release else others.setdefault(each, [])).append(one)
    found, objects = check_planned_targets(opened, pinned, minors, before)
    # One at a time: two releases of a target are alternatives, and their objects do not meet.
    checked = {name: check_planned_targets(opened, group, minors, before) for name, group in others.items()}
    elsewhere = {name: findings for name, (findings, _) in checked.items()}
    planned = (*pinned, *(each for group in others.values() for each in group))
    return CheckResult(
        objects=objects + sum(count for _, count in checked.values()),
        releases=frozenset(each.release.name for each in planned),
        findings=(*found, *_merge_other_releases(elsewhere, [*told, *found])),
    )


def list_target_releases(opened: OpenedKit, target: Target) -> list[str]:
    """Return the releases that a target ships, the pinned one first."""
    from kitgen.render.placement import list_shipped_releases

    return [each.name for each in list_shipped_releases(opened.kit, target)]


def list_shipping_targets(opened: OpenedKit, release: str) -> list[Target]:
    """Return the targets that ship a release; it is wrong usage if none does."""
    name = opened.get_buildable_release(release).name
    if not (
        found := [each for each in opened.kit.targets.values() if name in list_target_releases(opened, each)]
    ):
        raise UsageError(
            f"no target ships release {release}", hint="a target lists what it ships under releases"
        )
    return found


def list_release_plans(opened: OpenedKit, release: Release) -> list[TargetPlan]:
    """Return what targets build of a release: those that ship it; all of them, if none does yet."""
    if not release.components:
        return []
    targets = [*opened.kit.targets.values()]
    ships = [each for each in targets if release.name in list_target_releases(opened, each)]
    return [opened.plan(each, release.name) for each in ships or targets]


def _merge_other_releases(elsewhere: dict[str, list[Finding]], told: list[Finding]) -> list[Finding]:
    """Return what is wrong in releases that are not pinned alone, each thing once with the releases."""
    same = {_finding_key(finding) for finding in told}
    found: dict[object, tuple[Finding, dict[str, None]]] = {}
    for release, findings in elsewhere.items():
        for finding in findings:
            if _finding_key(finding) not in same:
                found.setdefault(_finding_key(finding), (finding, {}))[1][release] = None
    return [
        replace(finding, subject=f"{finding.subject} in {word} {join_words([*releases], last='and')}".strip())
        for finding, releases in found.values()
        for word in ("releases" if len(releases) > 1 else "release",)
    ]


def _finding_key(finding: Finding) -> object:
    """Return what makes a finding the same in two releases; the objects that it shows in may differ."""
    return finding.rule, finding.origin, finding.message
