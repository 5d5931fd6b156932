"""Check compiled objects: one release of some targets, or all that they ship."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from kitgen.check.context import CheckContext, Place
from kitgen.check.engine import run_checks
from kitgen.check.table import BETWEEN_PLANS, OF_PLANS, RENDERED_FOLDERS
from kitgen.findings import Finding, deduplicate_findings
from kitgen.findings.errors import UsageError
from kitgen.kit.model import Release, Target
from kitgen.kit.model.moves import NO_MOVES
from kitgen.kube.manifest import Manifest
from kitgen.render.outputs import OUTPUTS
from kitgen.text.wording import join_words
from kitgen.workspace.kit import OpenedKit

if TYPE_CHECKING:
    from kitgen.render.plan import TargetPlan

NO_RANGES: Mapping[tuple[str, int], tuple[int, ...]] = {}
NO_FOLDERS: Mapping[Place, Sequence[Manifest]] = {}
Objects: TypeAlias = Mapping[str, Sequence[Manifest]]
"""The objects of each target."""


class TargetBaseline(Struct, frozen=True):
    """What a target upgrades from."""

    objects: Sequence[Manifest]
    accepted: Mapping[str, str]
    """Rules that the target breaks on the way from there, with the reasons."""


Before: TypeAlias = "Callable[[TargetPlan], TargetBaseline | None]"
"""Tells what is there before a plan, if that is known."""
PlanCheck: TypeAlias = "Callable[[Sequence[TargetPlan]], Iterable[Finding]]"
NOWHERE: Mapping[str, TargetBaseline] = {}


def list_plan_objects(plan: TargetPlan) -> list[Manifest]:
    """Return everything that a target brings to a cluster."""
    return [*(each for unit in plan.units for each in unit.final), *plan.outside_objects]


def check_plans(
    opened: OpenedKit, plans: list[TargetPlan], minors: tuple[int, ...] = (), before: Before | None = None
) -> list[Finding]:
    """Return what compiling found, and what is wrong with the objects; each target is there once."""
    from kitgen.render.placement import find_plan_minors

    releases = {plan.release.name: plan for plan in plans}
    crds = [manifest for plan in releases.values() for manifest in plan.crds]
    objects: dict[str, Sequence[Manifest]] = {plan.target.name: list_plan_objects(plan) for plan in plans}
    objects |= _collect_extra_objects(plans)
    there = {plan.target.name: found for plan in plans if before and (found := before(plan)) is not None}
    ranges = {
        (plan.target.name, body): each
        for plan in plans
        for body, each in find_plan_minors(opened.kit, plan).items()
    }
    findings = [*(each for plan in plans for each in plan.findings), *run_plan_checks(BETWEEN_PLANS, plans)]
    folders = {place: each for row in RENDERED_FOLDERS for place, each in resolve_name(row)(plans).items()}
    checked = check_objects(opened, objects, crds, findings, minors, ranges, there, plans, folders)
    # Of a bundle that could not be made as it is meant, its own faults would only repeat why.
    return (
        checked
        if any(each.is_blocking for each in findings)
        else [*checked, *run_plan_checks(OF_PLANS, plans)]
    )


def _collect_extra_objects(plans: Iterable[TargetPlan]) -> dict[str, Sequence[Manifest]]:
    """Return what comes to a cluster instead of the objects of targets, or to the one that brings them."""
    extras = [(name, extra) for plan in plans for name, extra in plan.extras.items()]
    found: dict[str, Sequence[Manifest]] = {}
    for output in OUTPUTS:
        own = [extra for name, extra in extras if name == output]
        found |= {each.apart.name: each.apart.objects for each in own}
        for shared in (each.shared for each in own if each.shared):
            found.setdefault(shared.name, shared.objects)
    return found


def run_plan_checks(rows: Iterable[str], plans: Sequence[TargetPlan]) -> Iterator[Finding]:
    """Yield what the checks of some rows find in plans."""
    for row in rows:
        check_: PlanCheck = resolve_name(row)
        yield from check_(plans)


def check_objects(
    opened: OpenedKit,
    targets: Objects,
    crds: Iterable[Manifest],
    findings: Iterable[Finding],
    minors: tuple[int, ...] = (),
    ranges: Mapping[tuple[str, int], tuple[int, ...]] = NO_RANGES,
    before: Mapping[str, TargetBaseline] = NOWHERE,
    plans: Sequence[TargetPlan] = (),
    folders: Mapping[Place, Sequence[Manifest]] = NO_FOLDERS,
) -> list[Finding]:
    """Return the findings of loading and compiling, and what is wrong with the objects of each target.

    Minors that are asked for count for all objects, before what releases and components say.
    """
    found = [*opened.kit.warnings, *findings]
    if any(finding.is_blocking for finding in found):
        return found  # objects made from wrong values would only repeat it
    context = CheckContext(
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
    )
    return [*found, *run_checks(context)]


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
    pinned: list[TargetPlan] = []
    others: dict[str, list[TargetPlan]] = {}
    for target in targets:
        for each in (name for name in list_target_releases(opened, target) if release in (None, name)):
            plan = opened.plan(target, each)
            (pinned if each == target.release else others.setdefault(each, [])).append(plan)
    plans = [*pinned, *(plan for group in others.values() for plan in group)]
    found = check_plans(opened, pinned, minors, before)
    # One at a time: two releases of a target are alternatives, and their objects do not meet.
    elsewhere = {name: check_plans(opened, group, minors, before) for name, group in others.items()}
    return CheckResult(
        objects=sum(len(unit.final) for plan in plans for unit in plan.units),
        releases=frozenset(plan.release.name for plan in plans),
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
