"""What `kitgen release plan` does: see how far a release is, from specs, rendered files and git."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from kitgen.files.checkout import uncommitted
from kitgen.files.git import current_branch, has_tag
from kitgen.findings import Finding, unique
from kitgen.kit.model import PublishedCatalog, Release
from kitgen.kit.releases import load_tags
from kitgen.kit.spec_files import SpecFiles
from kitgen.release.blockers import rendered, unbuildable, unpublishable
from kitgen.release.evidence import bundles, copied, readme
from kitgen.release.kit_releases import check_written
from kitgen.release.publishing import pull_request, tags_of
from kitgen.release.steps.facts import TRACKED, ReleaseFacts, Repository
from kitgen.release.steps.plan import ReleasePlan, plan_of
from kitgen.render.plan import TargetPlan as Compiled
from kitgen.workspace.checks import plans_of
from kitgen.workspace.kit import open_kit, pick, require


class PlanRequest(Struct, frozen=True, kw_only=True):
    """Which release to look at."""

    root: Path | None = None
    version: str
    catalog: Path | None = None
    """The checkout of the catalog's repository."""


class ReleaseProgress(Struct, frozen=True, kw_only=True):
    """How far a release is."""

    root: Path
    release: Release
    plan: ReleasePlan | None
    """None if the release builds nothing."""
    findings: tuple[Finding, ...] = ()
    """Errors that block it."""


def plan_release(request: PlanRequest) -> ReleaseProgress:
    """Return the steps of a release; specs that cannot be read are a FindingsError."""
    opened = open_kit(request.root, releases=False)
    release = pick(opened.kit.releases, "release", request.version)
    if not release.components:
        return ReleaseProgress(root=opened.root, release=release, plan=None)
    tags, wrong = load_tags(SpecFiles(opened.root))
    wrong = opened.judged([*wrong, *check_written(opened.kit, [release])])
    require([*wrong, *unpublishable(opened, release)], opened.root)
    asked = pull_request(opened.kit, release).value
    plans = plans_of(opened, release)
    errors = unbuildable(opened, release, plans)
    fresh, more = rendered(opened, release)
    errors = unique([*errors, *more])
    switched = _is_switched(request.catalog, asked)
    facts = ReleaseFacts(
        kit=opened.kit,
        release=release,
        tags=tags,
        tagged=tags_of(opened.kit, release).value,
        request=asked,
        copied=copied(opened, release),
        errors=len(errors),
        fresh=fresh,
        bundles=tuple(bundles(opened, release, request.catalog, merged=not switched)),
        readme=readme(opened.root / "README.md", opened.kit.matrix, release),
        git=_git(opened.root, release.name),
        catalog=str(request.catalog or ""),
        switched=switched,
        exporting=_exporting(plans),
    )
    return ReleaseProgress(root=opened.root, release=release, plan=plan_of(facts), findings=tuple(errors))


def _exporting(plans: list[Compiled]) -> dict[str, bool]:
    """Return the targets that export something, and whether `kitgen sources` tells anything of them."""
    found = {}
    for plan in plans:
        if own := [each for unit in plan.units if (each := unit.context.settings).export]:
            found[plan.target.name] = any(each.source for each in own)
    return found


def _is_switched(catalog: Path | None, request: PublishedCatalog | None) -> bool:
    """Tell whether a catalog's checkout is on the branch of the pull request, which nobody merged yet."""
    return bool(catalog and request and current_branch(catalog) == request.branch)


def _git(root: Path, tag: str) -> Repository | None:
    known = has_tag(root, tag)
    if known is None:
        return None
    return Repository(tagged=known, changed=uncommitted(root, TRACKED))
