"""What keeps a release from coming out: errors that its plan and its check both report."""

from __future__ import annotations

from functools import partial

from kitgen.files.paths import is_in_scope
from kitgen.files.root import BASES
from kitgen.findings import Finding
from kitgen.findings.errors import FindingsError
from kitgen.kit.model import Release
from kitgen.release.kit_releases import check_releases
from kitgen.render.plan import TargetPlan
from kitgen.workspace.baselines import Baselines
from kitgen.workspace.checks import check_plans, list_release_plans
from kitgen.workspace.kit import OpenedKit
from kitgen.workspace.planned_files import folders_of
from kitgen.workspace.render import render_targets
from kitgen.workspace.render_request import RenderRequest
from kitgen.workspace.sources import Kits


def check_buildable(
    opened: OpenedKit, release: Release, plans: list[TargetPlan] | None = None
) -> list[Finding]:
    """Return the errors that `kitgen check` finds in a release and in what targets make of it."""
    if not release.components:
        return []
    found = [*check_releases(opened, [release])]
    for name, version in release.components.items():
        found += opened.session.compile_alone(opened.kit.components[name][version]).findings
    baselines = Baselines(Kits(opened.root))
    before = partial(baselines.of_target, opened, release=release.name)
    found += check_plans(
        opened, list_release_plans(opened, release) if plans is None else plans, before=before
    )
    judged = baselines.locate_findings(opened.apply_exceptions(found))
    return [each for each in judged if each.is_blocking]


def check_rendered_targets(opened: OpenedKit, release: Release) -> tuple[dict[str, bool], list[Finding]]:
    """Return the targets that pin a release and whether they are rendered, and what keeps them from it."""
    if not (pinning := [each.name for each in opened.kit.targets.values() if each.release == release.name]):
        return {}, []
    try:
        changes = render_targets(RenderRequest(root=opened.root, dry_run=True), lambda _: None).changes
    except FindingsError as error:
        return dict.fromkeys(pinning, False), [each for each in error.findings if each.is_blocking]
    stale = (*changes.create, *changes.change, *changes.delete)
    return {
        name: not any(is_in_scope(path, (BASES, *folders_of(name))) for path in stale) for name in pinning
    }, []
