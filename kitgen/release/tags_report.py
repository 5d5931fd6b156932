"""Write the images of a release with their tags: as a table, Markdown, JSON or commands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kitgen.kit.model import STABLE
from kitgen.release.publishing import Tagged
from kitgen.release.steps.commands import copy
from kitgen.release.tags import TaggedImage, TagsReport
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


def as_commands(release: str, tagged_images: Iterable[Tagged]) -> str:
    """Write what moves the stable tags to the release, and say where they stay."""
    return "".join(f"{line}\n" for line in _commands(release, tagged_images))


def _commands(release: str, tagged_images: Iterable[Tagged]) -> Iterator[str]:
    for tagged in tagged_images:
        if tagged.stable:
            yield copy(tagged)
        elif STABLE in tagged.moving:
            yield printable(f"# {tagged.published.image}:{STABLE} stays with {tagged.newer}")
        elif STABLE in tagged.published.moving:
            yield printable(f"# {tagged.published.image}:{STABLE} stays: {release} is a pre-release")


def _cells(each: TaggedImage) -> tuple[str, str, str, str, str]:
    moving = (f"{tag} (at {each.newer})" if tag == STABLE and each.newer else tag for tag in each.moving)
    of = f"{each.of.name} {each.of.version}" if each.of else NONE
    return each.image, each.tag, ", ".join(moving) or NONE, of, ", ".join(each.run_by) or NONE
