"""What the specs say of publishing, for one release: tags of images, and the catalog's pull request."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from kitgen.findings import CauseKind, Finding, deduplicate_findings, make_problem
from kitgen.kit.model import STABLE, Kit, PublishedCatalog, PublishedImage, Release
from kitgen.kube.image_reference import TAG
from kitgen.render.context import ComputedValue, join_computed
from kitgen.render.expressions import NUMBER, ExpressionNames, evaluate_text
from kitgen.render.source_refs import is_branch
from kitgen.text.semver import is_final_version, is_in_range, version_key
from kitgen.text.wording import quote_text
from kitgen.workspace.kit import OpenedKit

BRANCHES, LINES, PROSE = ("base", "branch"), ("title", "commit"), "body"
"""Texts of the catalog's pull request, by what they may hold."""


class PublishedTag(Struct, frozen=True, kw_only=True):
    """An image that comes out with a release, and its tags."""

    published: PublishedImage
    version: str
    tag: str
    """The tag that stays."""
    moving: tuple[str, ...]
    """Those that move; a pre-release never is the stable one."""
    newer: str = ""
    """A later release that is out, with which the stable tag stays."""

    @property
    def reference(self) -> str:
        """Return the image with the tag that stays."""
        return f"{self.published.image}:{self.tag}"

    @property
    def stable_reference(self) -> str:
        """Return the image with the tag that moves to this release; empty if it does not."""
        return f"{self.published.image}:{STABLE}" if STABLE in self.moving and not self.newer else ""


def list_published_tags(kit: Kit, release: Release) -> ComputedValue[tuple[PublishedTag, ...]]:
    """Return the images that come out with a release, each once."""
    made = join_computed(
        _compute_published_tag(kit, each, release)
        for each in kit.publishing.images
        if _is_published_with(each, release)
    )
    return ComputedValue(tuple({each.reference: each for each in made.value}.values()), made.findings)


def compute_tag(image: PublishedImage, version: str) -> ComputedValue[str]:
    """Return the tag that an image has for a version."""
    origin = image.origin.at("tag")
    tag, found = evaluate_text(image.tag, origin, _build_expression_names(version))
    if not found and not TAG.fullmatch(tag):
        wrong = make_problem(
            "publishing-text",
            f"found the tag {quote_text(tag)}, expected letters, digits, ., - and _",
            hint=f"it is made from {image.of} {version}",
        )
        found = (wrong.to_finding(origin),)
    return ComputedValue(tag, found)


def compute_pull_request(kit: Kit, release: Release) -> ComputedValue[PublishedCatalog | None]:
    """Return what the specs say of the catalog's pull request, computed for a release."""
    if (catalog := kit.publishing.catalog) is None:
        return ComputedValue(None)
    names = _build_expression_names(release.name)
    made = {key: _compute_catalog_text(catalog, key, names) for key in (*BRANCHES, *LINES, PROSE)}
    found = tuple(finding for each in made.values() for finding in each.findings)
    return ComputedValue(replace(catalog, **{key: each.value for key, each in made.items()}), found)


def check_all_publishing(opened: OpenedKit, _: Release | None) -> list[Finding]:
    """Return what would go wrong in publishing, in any release."""
    kit = opened.kit
    return deduplicate_findings(
        each for release in kit.releases.values() for each in check_publishing(kit, release)
    )


def check_publishing(kit: Kit, release: Release) -> Iterator[Finding]:
    """Yield what would go wrong in publishing a release."""
    published = list_published_tags(kit, release)
    yield from published.findings
    yield from compute_pull_request(kit, release).findings
    yield from _check_step_order(kit, release, published.value)


def _check_step_order(kit: Kit, release: Release, tags: Iterable[PublishedTag]) -> Iterator[Finding]:
    """Yield steps that a release says are done before others that come first."""
    bundled = any(
        each.bundle and each.bundle.component in release.components for each in kit.targets.values()
    )
    catalog = ("catalog",) if kit.publishing.catalog and bundled else ()
    stable = (STABLE,) if any(each.stable_reference for each in tags) else ()
    for step, first in ((STABLE, catalog), ("announce", (*catalog, *stable))):
        for each in first if step in release.done else ():
            if each not in release.done:
                yield make_problem(
                    "release-done", f"found {step}, expected {each} to be done before it"
                ).to_finding(release.origin.at("done", step))


def _is_published_with(image: PublishedImage, release: Release) -> bool:
    return bool(release.version_of(image.of)) and is_in_range(release.name, image.releases)


def _compute_published_tag(kit: Kit, image: PublishedImage, release: Release) -> ComputedValue[PublishedTag]:
    version = release.version_of(image.of)
    tag, found = compute_tag(image, version)
    final = is_final_version(version) and is_final_version(release.name)
    moving = tuple(each for each in image.moving if each != STABLE or final)
    later = (
        each.name
        for each in (kit.releases.values() if STABLE in moving else ())
        if each.date and is_final_version(each.name) and version_key(each.name) > version_key(release.name)
        if _is_published_with(image, each)
    )
    newer = max(later, key=version_key, default="")
    return ComputedValue(
        PublishedTag(published=image, version=version, tag=tag, moving=moving, newer=newer), found
    )


def _build_expression_names(version: str) -> ExpressionNames:
    return ExpressionNames({CauseKind.VERSION.value: version, NUMBER: version.removeprefix("v")}, {})


def _compute_catalog_text(catalog: PublishedCatalog, key: str, names: ExpressionNames) -> ComputedValue[str]:
    """Return a text of the pull request, computed: a branch that git takes, or what people can read."""
    origin = catalog.origin.at(key)
    made = evaluate_text(getattr(catalog, key), origin, names)
    wrong = None
    lines = made.value.replace("\t", " ").split("\n") if key == PROSE else [made.value]
    odd = next((each for each in lines if not each.isprintable()), "")
    if key in BRANCHES and not is_branch(made.value):
        wrong = make_problem(
            "publishing-text",
            f"found the branch {quote_text(made.value)}, expected one that git takes",
            hint="letters, digits, ., -, _, + and / are good",
        )
    elif key not in BRANCHES and odd:
        wrong = make_problem(
            "publishing-text",
            f"found {quote_text(odd)}, expected a line that people can read",
            hint="remove the sign that nobody sees",
        )
    return ComputedValue(made.value, (wrong.to_finding(origin),)) if wrong and not made.findings else made
