"""Check what was compiled: one release of some targets, or all that they ship."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from kitgen.check import Context, check
from kitgen.compile import Plan
from kitgen.errors import UsageError
from kitgen.findings import Finding, Severity, accept
from kitgen.model import Release, Target
from kitgen.pipeline.opened import Opened, pick
from kitgen.schema.wording import choice


def check_plans(opened: Opened, plans: list[Plan], minors: tuple[int, ...] = ()) -> list[Finding]:
    """Return what compiling found, and what is wrong with the objects; each target is there once."""
    accepted = opened.kit.exceptions
    findings = accept(opened.kit.warnings, accepted)
    findings += [finding for plan in plans for finding in plan.findings]
    if any(finding.severity is Severity.ERROR for finding in findings):
        return findings  # objects made from wrong values would only repeat it
    releases = {plan.release.name: plan for plan in plans}
    crds = [manifest.body for plan in releases.values() for manifest in plan.crds]
    objects = {
        plan.target.name: [*(m for unit in plan.units for m in unit.final), *plan.outside] for plan in plans
    }
    context = Context(targets=objects, minors=minors or opened.kit.minors, crds=crds)
    return accept([*findings, *check(context)], accepted)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shipped:
    """What a check of the releases that targets ship found."""

    objects: int
    releases: int
    """How many releases it looked at."""
    findings: tuple[Finding, ...]


def check_shipped(
    opened: Opened,
    targets: Iterable[Target],
    release: str | None,
    minors: tuple[int, ...],
    told: Sequence[Finding] = (),
) -> Shipped:
    """Check targets in every release that they ship, or in one of them; what is told already is left out."""
    pinned: list[Plan] = []
    others: dict[str, list[Plan]] = {}
    for target in targets:
        for each in _releases(opened, target, release):
            plan = opened.plan(target, each.name)
            (pinned if each.name == target.release else others.setdefault(each.name, [])).append(plan)
    plans = [*pinned, *(plan for group in others.values() for plan in group)]
    found = check_plans(opened, pinned, minors)
    # One at a time: two releases of a target are alternatives, and their objects do not meet.
    elsewhere = {name: check_plans(opened, group, minors) for name, group in others.items()}
    return Shipped(
        objects=sum(len(unit.final) for plan in plans for unit in plan.units),
        releases=len({plan.release.name for plan in plans}),
        findings=(*found, *_elsewhere(elsewhere, [*told, *found])),
    )


def _releases(opened: Opened, target: Target, release: str | None) -> list[Release]:
    """Return what to check of a target: all that it ships, or the release that is asked for."""
    shipped = opened.session.shipped(target)
    return [each for each in shipped if release in (None, each.name)]


def require_shipped(opened: Opened, targets: Iterable[Target], release: str) -> None:
    """Raise if a release is none of the kit, or if one of the targets does not ship it."""
    pick(opened.kit.releases, "release", release)
    for target in targets:
        if not _releases(opened, target, release):
            hint = f"it ships {choice([each.name for each in opened.session.shipped(target)], last='and')}"
            raise UsageError(f"target {target.name} does not ship release {release}", hint=hint)


def _elsewhere(elsewhere: dict[str, list[Finding]], told: list[Finding]) -> list[Finding]:
    """Return what is wrong in releases that are not pinned alone, each thing once with the releases."""
    same = {_thing(finding) for finding in told}
    found: dict[object, tuple[Finding, dict[str, None]]] = {}
    for release, findings in elsewhere.items():
        for finding in findings:
            if _thing(finding) not in same:
                found.setdefault(_thing(finding), (finding, {}))[1][release] = None
    return [
        replace(finding, subject=f"{finding.subject} in {_named(list(releases))}".strip())
        for finding, releases in found.values()
    ]


def _named(releases: list[str]) -> str:
    return f"release{'s' if len(releases) > 1 else ''} {choice(releases, last='and')}"


def _thing(finding: Finding) -> object:
    """Return what makes a finding the same in two releases; the objects that it shows in may differ."""
    return finding.rule, finding.origin, finding.message
