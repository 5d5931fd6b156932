"""Write the images of a release with their tags: as a table, Markdown, JSON or commands."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct, field

from kitgen.kit.model import STABLE
from kitgen.release.steps.commands import copy
from kitgen.release.tags import ReleaseImage, ReleaseImages
from kitgen.report.documents import ResultDocument
from kitgen.report.table import table
from kitgen.text.wording import code, printable, prose

HEAD = ("image", "tag", "moving", "of", "run by")
NONE = "-"


def as_table(report: TagsReport, *, width: int, colour: bool) -> str:
    """Write one row an image; nothing if there is none."""
    return table("", HEAD, [*map(_cells, report.images)], width=width, colour=colour) if report.images else ""


def as_markdown(report: TagsReport) -> str:
    """Write the same as a table in Markdown."""
    lines = [f"| {' | '.join(HEAD)} |", f"|{'---|' * len(HEAD)}"]
    for image, version, *rest in map(_cells, report.images):
        lines.append(f"| {' | '.join([code(image), code(version), *map(prose, rest)])} |")
    return "".join(f"{line}\n" for line in lines)


class TaggedOf(Struct, frozen=True, kw_only=True):
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
    moving: tuple[str, ...]
    """Tags that move: stable with each release, dev with each change."""
    of: TaggedOf | None
    """What it comes out with; null if it is somebody else's."""
    stable: ImageCopy | None
    """How the stable tag moves; null if it does not."""
    newer: str | None
    """A later release, with which the stable tag stays."""
    run_by: tuple[str, ...]
    """Targets with their components, or with their bundle."""


class TagsReport(ResultDocument, frozen=True, kw_only=True, tag="kitgen/tags/v1"):
    """Images of a release and their tags: kitgen tags."""

    release: str
    """The release."""
    images: tuple[TaggedImage, ...]
    """First those that come out with the release, then others that targets run."""


def tags_report(found: ReleaseImages) -> TagsReport:
    """Return the images of a release as they are reported."""
    return TagsReport(release=found.release.name, images=tuple(map(_image, found.images)))


def _image(each: ReleaseImage) -> TaggedImage:
    tagged = each.tagged
    return TaggedImage(
        image=each.name,
        tag=each.version,
        moving=tagged.moving if tagged else (),
        of=TaggedOf(name=tagged.published.of, version=tagged.version) if tagged else None,
        stable=ImageCopy(source=tagged.reference, to=tagged.stable) if tagged and tagged.stable else None,
        newer=(tagged.newer or None) if tagged else None,
        run_by=each.run_by,
    )


def as_commands(found: ReleaseImages) -> str:
    """Write what moves the stable tags to the release, and say where they stay."""
    return "".join(f"{line}\n" for line in _commands(found))


def _commands(found: ReleaseImages) -> Iterator[str]:
    for tagged in filter(None, (each.tagged for each in found.images)):
        if tagged.stable:
            yield copy(tagged)
        elif STABLE in tagged.moving:
            yield printable(f"# {tagged.published.image}:{STABLE} stays with {tagged.newer}")
        elif STABLE in tagged.published.moving:
            yield printable(
                f"# {tagged.published.image}:{STABLE} stays: {found.release.name} is a pre-release"
            )


def _cells(each: TaggedImage) -> tuple[str, str, str, str, str]:
    moving = (f"{tag} (at {each.newer})" if tag == STABLE and each.newer else tag for tag in each.moving)
    of = f"{each.of.name} {each.of.version}" if each.of else NONE
    return each.image, each.tag, ", ".join(moving) or NONE, of, ", ".join(each.run_by) or NONE
