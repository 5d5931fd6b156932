"""What `kitgen images check` does: tell whether the images of targets can be carried to a closed cluster."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from kitgen.check.context import CheckContext
from kitgen.check.engine import to_findings
from kitgen.check.images import objects as images
from kitgen.check.images.downloads import IMAGE_EGRESS
from kitgen.check.images.related_images import check_missing_variables
from kitgen.check.images.rules import (
    IMAGE_REFERENCE,
    IMAGE_TAG,
    IMAGE_UNLISTED,
    IMAGE_UNWIRED,
    PARAM_INCOMPLETE,
)
from kitgen.findings import Finding, Severity, check_stale_exceptions, deduplicate_findings, select_exceptions
from kitgen.images.rules.listed import (
    check_image_digests,
    check_record_names,
    check_recorded_images,
    check_related_images,
)
from kitgen.olm.bundle import Package, package_of
from kitgen.olm.rules.certification import CSV_DISCONNECTED
from kitgen.olm.rules.engine import check_bundle
from kitgen.olm.rules.terms import BundleTerms
from kitgen.olm.target_bundles import to_bundle
from kitgen.render.images import ImageUse, list_image_uses, list_unit_image_uses
from kitgen.render.plan import TargetPlan
from kitgen.report.documents import TargetReadiness
from kitgen.workspace.checks import list_target_releases
from kitgen.workspace.kit import OpenedKit, open_kit

ASKED = (IMAGE_REFERENCE, IMAGE_TAG, IMAGE_UNLISTED, IMAGE_UNWIRED, PARAM_INCOMPLETE, IMAGE_EGRESS)
"""What a check of the kit finds too, and a closed cluster has no way around."""
BLOCKERS = (IMAGE_UNLISTED, IMAGE_UNWIRED, IMAGE_EGRESS)
"""What is a warning elsewhere: here it is an image or a file that the cluster cannot get."""


class ReadyRequest(Struct, frozen=True, kw_only=True):
    """Whose images to look at."""

    root: Path | None = None
    targets: tuple[str, ...] = ()
    """All of them when empty."""
    release: str | None = None
    """What each of them pins when absent."""
    fail_on: Severity = Severity.ERROR
    """What makes a target not ready."""


class ReadinessResult(Struct, frozen=True, kw_only=True):
    """What was found of some targets, together and each by itself."""

    root: Path
    targets: tuple[TargetReadiness, ...]
    findings: tuple[Finding, ...]


def check_readiness(request: ReadyRequest) -> ReadinessResult:
    """Look at the images of targets; what is wrong with the target itself comes first."""
    opened = open_kit(request.root)
    names = [*dict.fromkeys(request.targets)] or [*opened.kit.targets]
    plans = [opened.plan(opened.target(name), request.release) for name in names]
    uses = [list_image_uses(plan) for plan in plans]
    found = [
        opened.apply_exceptions(_check_target(opened, plan, some))
        for plan, some in zip(plans, uses, strict=True)
    ]
    whole = not request.targets and request.release is None
    return ReadinessResult(
        root=opened.root,
        targets=tuple(_build_readiness(request, *each) for each in zip(plans, uses, found, strict=True)),
        findings=(
            *_drop_milder_duplicates(each for some in found for each in some),
            *(_check_stale_exceptions(opened) if whole else ()),
        ),
    )


def _check_stale_exceptions(opened: OpenedKit) -> list[Finding]:
    """Return what is accepted of images in vain: in no release that a target ships, or could go back to."""
    if not (accepted := select_exceptions(opened.kit.exceptions, asked=True)):
        return []
    shipped = [
        (each, name) for each in opened.kit.targets.values() for name in list_target_releases(opened, each)
    ]
    plans = (opened.plan(target, name) for target, name in shipped)
    found = opened.apply_exceptions(
        each for plan in plans for each in _check_target(opened, plan, list_image_uses(plan))
    )
    return check_stale_exceptions(found, accepted)


def _drop_milder_duplicates(found: Iterable[Finding]) -> Iterator[Finding]:
    """Yield findings, each once: what is an error of one target is no warning of another besides."""
    told = deduplicate_findings(found)
    errors = {replace(each, graded=None) for each in told if each.severity is Severity.ERROR}
    for each in told:
        if each.severity is Severity.ERROR or replace(each, graded=None) not in errors:
            yield each


def _build_readiness(
    request: ReadyRequest, plan: TargetPlan, uses: list[ImageUse], found: list[Finding]
) -> TargetReadiness:
    standing = [each for each in found if not each.accepted]
    errors = sum(each.is_blocking for each in standing)
    return TargetReadiness(
        target=plan.target.name,
        release=plan.release.name,
        images=len({each.image for each in uses}),
        errors=errors,
        warnings=len(standing) - errors,
        ready=not (standing if request.fail_on is Severity.WARNING else errors),
    )


def _check_target(opened: OpenedKit, plan: TargetPlan, uses: list[ImageUse]) -> Iterator[Finding]:
    """Yield what is wrong with one target; of one that cannot be made as it is meant, only that."""
    if wrong := [each for each in opened.apply_exceptions(plan.findings) if each.is_blocking]:
        yield from wrong
        return
    context = CheckContext(
        targets={plan.target.name: plan.objects},
        minors=opened.kit.minors_for(plan.release),
        plans=[plan],
        published=opened.kit.publishing.images,
    )
    hits = [hit for hit in images.check(context) if hit.problem.rule in ASKED]
    for finding in to_findings(context, hits):
        yield replace(finding, graded=Severity.ERROR) if finding.rule in BLOCKERS else finding
    yield from check_missing_variables([plan])
    # A release without a lock that is not pinned may go by tags elsewhere; here it is asked for.
    yield from check_image_digests(uses, plan.target.origin, promised=plan.target.digests)
    yield from check_recorded_images(opened.kit, plan)
    yield from check_record_names(opened.kit, plan)
    if (package := package_of(plan)) is not None:
        yield from _check_bundle_images(package)


def _check_bundle_images(package: Package) -> Iterator[Finding]:
    """Yield what certification asks of a bundle for closed clusters, and images that it does not list."""
    for finding in check_bundle(to_bundle(package), BundleTerms(certified=True), objects=False):
        if finding.rule is CSV_DISCONNECTED:
            yield finding
    yield from check_related_images(package, list_unit_image_uses(package.unit))
