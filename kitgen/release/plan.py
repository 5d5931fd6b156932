"""What `kitgen release plan` does: see how far a release is, from specs, bundles, README and git."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from kitgen.files.checkout import count_uncommitted_files
from kitgen.files.git import current_branch, has_committed, has_tag
from kitgen.files.read import MAX_BYTES, read_file
from kitgen.findings import Finding, Problem, deduplicate_findings
from kitgen.findings.errors import KitgenError
from kitgen.kit.model import Matrix, Release
from kitgen.kit.releases import load_tags
from kitgen.kit.spec_files import SpecFiles
from kitgen.kube.image_mentions import find_mentions, walk_mappings
from kitgen.olm.bundle import package_of
from kitgen.release.blockers import check_buildable, check_rendered_targets
from kitgen.release.kit_releases import check_loaded_releases
from kitgen.release.matrix.block import END, START, find_block
from kitgen.release.matrix.writing import render_rows, replace_rows
from kitgen.release.publishing import check_publishing, compute_pull_request, list_published_tags
from kitgen.release.steps.facts import TRACKED, ReadmeMatrix, ReleaseBundle, ReleaseFacts, Repository
from kitgen.release.steps.plan import ReleasePlan, build_plan
from kitgen.render.plan import TargetPlan as Compiled
from kitgen.text.semver import is_version
from kitgen.text.yaml import read_yaml
from kitgen.workspace.checks import list_release_plans
from kitgen.workspace.kit import OpenedKit, get_by_name, open_kit, raise_on_errors

COPIED = frozenset({"version", "from", "images"})
"""What `kitgen release new` writes into the spec of a version that there is none of."""


class ReleaseProgress(Struct, frozen=True, kw_only=True):
    """How far a release is."""

    root: Path
    release: Release
    plan: ReleasePlan | None
    """None if the release builds nothing."""
    findings: tuple[Finding, ...] = ()
    """Errors that block it."""


def plan_release(root: Path | None, version: str, catalog: Path | None) -> ReleaseProgress:
    """Return the steps of a release; specs that cannot be read are a FindingsError.

    A checkout of the catalog's repository shows what is merged there.
    """
    opened = open_kit(root, releases=False)
    release = get_by_name(opened.kit.releases, "release", version)
    if not release.components:
        return ReleaseProgress(root=opened.root, release=release, plan=None)
    tags, wrong = load_tags(SpecFiles(opened.root))
    wrong = opened.apply_exceptions([*wrong, *check_loaded_releases(opened.kit, [release])])
    raise_on_errors([*wrong, *opened.apply_exceptions(check_publishing(opened.kit, release))], opened.root)
    asked = compute_pull_request(opened.kit, release).value
    plans = list_release_plans(opened, release)
    errors = check_buildable(opened, release, plans)
    fresh, more = check_rendered_targets(opened, release)
    errors = deduplicate_findings([*errors, *more])
    # On the branch of the pull request, a checkout has what nobody merged yet.
    switched = bool(catalog and asked and current_branch(catalog) == asked.branch)
    tagged = has_tag(opened.root, release.name)
    facts = ReleaseFacts(
        kit=opened.kit,
        release=release,
        tags=tags,
        tagged=list_published_tags(opened.kit, release).value,
        request=asked,
        copied=_find_copied_specs(opened, release),
        errors=len(errors),
        fresh=fresh,
        bundles=tuple(_list_bundles(opened, release, catalog, merged=not switched)),
        readme=_read_readme_matrix(opened.root / "README.md", matrix, release)
        if (matrix := opened.kit.matrix)
        else None,
        git=Repository(tagged=tagged, changed=count_uncommitted_files(opened.root, TRACKED))
        if tagged is not None
        else None,
        catalog=str(catalog or ""),
        switched=switched,
        exporting=_find_exporting_targets(plans),
    )
    return ReleaseProgress(root=opened.root, release=release, plan=build_plan(facts), findings=tuple(errors))


def _find_exporting_targets(plans: list[Compiled]) -> dict[str, bool]:
    """Return the targets that export something, and whether `kitgen sources` tells anything of them."""
    found = {}
    for plan in plans:
        if own := [each for unit in plan.units if (each := unit.context.settings).export]:
            found[plan.target.name] = any(each.source for each in own)
    return found


def _list_bundles(
    opened: OpenedKit, release: Release, catalog: Path | None, *, merged: bool
) -> Iterator[ReleaseBundle]:
    """Yield the bundles that targets make of a release, and whether a catalog's checkout has them, merged."""
    if catalog is not None and not catalog.is_dir():
        raise KitgenError(f"no folder {catalog}", hint="name the checkout of the catalog's repository")
    for target in opened.kit.targets.values():
        package = package_of(opened.plan(target, release.name)) if target.bundle else None
        if package is not None:
            folder = f"operators/{package.settings.package}/{package.version}"
            yield ReleaseBundle(
                target=target.name,
                package=package.settings.package,
                folder=folder,
                image=next(
                    (each.image for each in find_mentions(walk_mappings(package.csv.body)) if each.runs), ""
                ),
                # On the disk alone, nobody has merged it.
                listed=merged
                and catalog is not None
                and (catalog / folder / "manifests").is_dir()
                and has_committed(catalog, f"{folder}/manifests") is not False,
            )


def _find_copied_specs(opened: OpenedKit, release: Release) -> dict[str, str]:
    """Return the specs of a release that say nothing but their version and images, and what they build on."""
    found = {}
    for name, version in release.components.items():
        component = opened.kit.components[name][version]
        folder = (opened.root / component.origin.file).parent
        if component.parent and [each.name for each in folder.iterdir()] == ["component.yaml"]:
            said = read_yaml(read_file(folder / "component.yaml", MAX_BYTES).decode())
            if isinstance(said, dict) and said.keys() <= COPIED:
                found[folder.relative_to(opened.root).as_posix()] = component.parent
    return found


def _read_readme_matrix(file: Path, matrix: Matrix, release: Release) -> ReadmeMatrix | None:
    """Return which release the README shows, if it has a matrix."""
    try:
        text = read_file(file, MAX_BYTES).decode()
    except (OSError, UnicodeDecodeError):
        return None
    block = find_block(text, [each.label for each in matrix.rows])
    if isinstance(block, Problem):  # which the command tells that is to write it
        return ReadmeMatrix(release="", fresh=False) if START in text or END in text else None
    own = matrix.release_row.label if matrix.release_row else ""
    shown = next((row.version for row in block.rows if row.label == own), "")
    fresh = replace_rows(block, matrix.title, render_rows(matrix, release), matrix.widths) == text
    return ReadmeMatrix(release=shown if is_version(shown) else "", fresh=fresh)
