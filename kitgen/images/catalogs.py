"""Take the bundles of a release out of catalogs, which have many packages in many versions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from kitgen.findings import Finding, make_problem
from kitgen.images.digests.records import ImageDigest
from kitgen.images.locked_images import LockImages, normalize_version
from kitgen.kit.model import Kit, Release
from kitgen.kube.image_reference import ImageReference
from kitgen.text.values import group_pairs
from kitgen.text.wording import format_count, join_words, quote_text

OPERATOR = "-operator"
"""What packages of an operator are called after it."""


class CatalogBundles(Struct, frozen=True, kw_only=True):
    """What counts of all that files tell, and the bundles that do not."""

    told: tuple[ImageDigest, ...]
    passed: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()

    def describe_passed(self, release: str) -> Iterator[str]:
        """Yield that bundles were passed over, if some were."""
        if self.passed:
            verb = "is" if len(self.passed) == 1 else "are"
            names = join_words(self.passed, last="and", most=5)
            yield (
                f"passed over {format_count(len(self.passed), 'bundle')} that {verb} not of "
                f"{release}: {names}"
            )


def list_release_packages(kit: Kit, release: Release) -> dict[str, frozenset[str]]:
    """Return the packages of a release with its versions: of bundles that targets make, and of components."""
    found: dict[str, set[str]] = {}
    for name, version in release.components.items():
        for package in (name, f"{name}{OPERATOR}"):
            found.setdefault(package, set()).add(normalize_version(version))
    for target in kit.targets.values():
        if target.bundle and target.bundle.component in release.components:
            versions = {
                normalize_version(release.name),
                normalize_version(release.components[target.bundle.component]),
            }
            found.setdefault(target.bundle.package, set()).update(versions)
    return {package: frozenset(versions) for package, versions in found.items()}


def select_bundles(told: Iterable[ImageDigest], wanted: LockImages, release: str) -> CatalogBundles:
    """Leave out bundles of other versions where a file has several; none of use is a finding."""
    every = [*told]
    files = group_pairs((each.origin.file, each) for each in every if each.version)
    left: set[int] = set()
    passed: dict[str, None] = {}
    findings: list[Finding] = []
    for some in files.values():
        if len(names := dict.fromkeys(map(_format_bundle_name, some))) < 2:
            continue  # the only one is meant, or told to be wrong
        kept = [*_select_digests(some, wanted, release)]
        left |= {id(each) for each in some} - {id(each) for each in kept}
        used = {_format_bundle_name(each) for each in kept}
        passed |= {name: None for name in names if name not in used}
        if not any(_is_release_image(each, wanted) for each in kept):
            findings.append(_report_unused_bundles(some, [*used], [*names], release))
    return CatalogBundles(
        told=tuple(each for each in every if id(each) not in left),
        passed=tuple(passed),
        findings=tuple(findings),
    )


def _select_digests(some: Iterable[ImageDigest], wanted: LockImages, release: str) -> Iterator[ImageDigest]:
    """Yield what bundles of the release tell; others count where a tag says which image it is."""
    ranked = group_pairs(
        (rank_bundle(each, wanted, release, wanted.find_in_repository(each.image)), each) for each in some
    )
    known: set[str] = set()
    for rank in sorted(ranked, reverse=True):
        counted = [each for each in ranked[rank] if rank or each.image in wanted.names]
        fresh = [each for each in counted if each.image and each.image.repository not in known]
        yield from fresh
        known |= {each.image.repository for each in fresh if each.image}


def rank_bundle(told: ImageDigest, wanted: LockImages, release: str, images: Iterable[ImageReference]) -> int:
    """Tell how well a bundle fits: 2 by package and version, 1 if only the version can be compared, or 0."""
    version = normalize_version(told.version)
    if told.package in wanted.packages:
        return 2 if version in wanted.packages[told.package] else 0
    return (
        1 if version in {normalize_version(release), *(normalize_version(each.tag) for each in images)} else 0
    )


def _is_release_image(told: ImageDigest, wanted: LockImages) -> bool:
    if told.image and told.image.tag:
        return told.image in wanted.names
    return bool(wanted.find_in_repository(told.image)) or any(
        told.digest == each.digest for each in wanted.fixed
    )


def _format_bundle_name(told: ImageDigest) -> str:
    return f"{told.package} {told.version}".strip()


def _report_unused_bundles(
    some: list[ImageDigest], used: list[str], names: list[str], release: str
) -> Finding:
    bundles = join_words([quote_text(each) for each in used or names], last="and", most=5)
    if used:
        message, hint = f"found no image of {release} by its digest in {bundles}", "kitgen images lists them"
    else:
        message, hint = f"found {bundles}, expected a bundle of {release}", "lock from a catalog that has it"
    return make_problem("digest-image", message, hint=hint).to_finding(some[0].origin)
