"""What `kitgen tags` does: the images of a release, those that come out with it and those that it runs.

They are written as a table or JSON.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from msgspec import Struct, field

from kitgen.findings import Finding
from kitgen.findings.errors import UsageError
from kitgen.kit.model import STABLE, Release
from kitgen.kube.image_mentions import find_mentions, walk_mappings
from kitgen.kube.image_reference import parse_image_reference
from kitgen.kube.manifest import Manifest
from kitgen.olm.bundle import package_of
from kitgen.release.publishing import list_published_tags
from kitgen.render.plan import TargetPlan
from kitgen.report.documents import ResultDocument
from kitgen.report.table import render_table
from kitgen.text.semver import version_key
from kitgen.text.values import group_pairs
from kitgen.workspace.checks import list_release_plans
from kitgen.workspace.kit import OpenedKit, get_by_name, open_kit, raise_on_errors

BUNDLE = "bundle"
HEAD = ("image", "tag", "moving", "of", "run by")
NONE = "-"


class TagOwner(Struct, frozen=True, kw_only=True):
    """A component, a record, or the release itself."""

    name: str
    """Its name."""
    version: str
    """Its version."""


class ImageCopy(Struct, frozen=True, kw_only=True):
    """An image that is copied."""

    source: str = field(name="from")
    """The image."""
    to: str
    """What it is called then."""


class TaggedImage(Struct, frozen=True, kw_only=True, rename="camel"):
    """An image of a release."""

    image: str
    """The image, without a tag."""
    tag: str
    """The tag that it has, or the digest."""
    moving: tuple[str, ...] = ()
    """Tags that move: stable with each release, dev with each change."""
    of: TagOwner | None = None
    """What it comes out with; null if it is somebody else's."""
    stable: ImageCopy | None = None
    """How the stable tag moves; null if it does not."""
    newer: str | None = None
    """A later release, with which the stable tag stays."""
    run_by: tuple[str, ...]
    """Targets with their components, or with their bundle."""


class TagsReport(ResultDocument, frozen=True, kw_only=True, tag="kitgen/tags/v1"):
    """Images of a release and their tags: kitgen tags."""

    release: str
    """The release."""
    images: tuple[TaggedImage, ...]
    """First those that come out with the release, then others that targets run."""


def show_tags(root: Path | None, name: str | None) -> TagsReport:
    """Return the images of a release, each once; without a name, it is the newest that builds something."""
    opened = open_kit(root)
    release = _select_release(opened, name)
    tagged = list_published_tags(opened.kit, release)
    plans = list_release_plans(opened, release)
    wrong: list[Finding] = [*tagged.findings, *(each for plan in plans for each in plan.findings)]
    raise_on_errors(opened.apply_exceptions(wrong), opened.root)
    running = group_pairs(
        (mention.image, user)
        for plan in plans
        for user, manifest in _list_owned_objects(plan)
        for mention in find_mentions(walk_mappings(manifest.body))
    )
    found = [
        TaggedImage(
            image=each.published.image,
            tag=each.tag,
            moving=each.moving,
            of=TagOwner(name=each.published.of, version=each.version),
            stable=ImageCopy(source=each.reference, to=each.stable_reference)
            if each.stable_reference
            else None,
            newer=each.newer or None,
            run_by=tuple(sorted({*running.pop(each.reference, ())})),
        )
        for each in tagged.value
    ]
    others = (_build_tagged_image(image, users) for image, users in sorted(running.items()))
    return TagsReport(release=release.name, images=(*found, *others))


def _select_release(opened: OpenedKit, name: str | None) -> Release:
    if name is not None:
        return get_by_name(opened.kit.releases, "release", name)
    if not opened.kit.buildable_releases:
        raise UsageError("no release of this kit builds anything", hint="name the one to look at")
    return max(opened.kit.buildable_releases, key=lambda each: version_key(each.name))


def _list_owned_objects(plan: TargetPlan) -> Iterator[tuple[str, Manifest]]:
    """Yield the objects of a target that may run something, with whose they are; CRDs only look so."""
    for unit in plan.units:
        name = f"{plan.target.name}/{unit.context.component.name}"
        yield from ((name, each) for each in unit.final if each.id.kind != "CustomResourceDefinition")
    if (package := package_of(plan)) is not None:
        yield f"{plan.target.name}/{BUNDLE}", package.csv


def _build_tagged_image(image: str, users: Iterable[str]) -> TaggedImage:
    parts = parse_image_reference(image)
    version = parts.version if parts else ""
    name = image.removesuffix(f"@{version}").removesuffix(f":{version}")
    return TaggedImage(image=name, tag=version, run_by=tuple(sorted({*users})))


def as_table(report: TagsReport, *, width: int, colour: bool) -> str:
    """Write one row an image; nothing if there is none."""
    return (
        render_table("", HEAD, [*map(_format_cells, report.images)], width=width, colour=colour)
        if report.images
        else ""
    )


def _format_cells(each: TaggedImage) -> tuple[str, str, str, str, str]:
    moving = (f"{tag} (at {each.newer})" if tag == STABLE and each.newer else tag for tag in each.moving)
    of = f"{each.of.name} {each.of.version}" if each.of else NONE
    return each.image, each.tag, ", ".join(moving) or NONE, of, ", ".join(each.run_by) or NONE
