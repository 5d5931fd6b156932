"""Write the images of a release with their tags: as a table, Markdown, JSON or commands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kitgen.kit.model import STABLE, Release
from kitgen.release.publishing import Tagged
from kitgen.release.steps.commands import copy
from kitgen.report.documents import DocumentSchema, document
from kitgen.report.table import table
from kitgen.text.wording import code, printable, prose
from kitgen.text.yaml import JsonObject

HEAD = ("image", "tag", "moving", "of", "run by")
NONE = "-"
Row = tuple[str, str, Tagged | None, Sequence[str]]
"""Image, tag or digest, how it comes out with the release, and who runs it."""


def as_table(rows: Sequence[Row], *, width: int, colour: bool) -> str:
    """Write one row an image; nothing if there is none."""
    return table("", HEAD, [*map(_cells, rows)], width=width, colour=colour) if rows else ""


def as_markdown(rows: Sequence[Row]) -> str:
    """Write the same as a table in Markdown."""
    lines = [f"| {' | '.join(HEAD)} |", f"|{'---|' * len(HEAD)}"]
    for image, version, *rest in map(_cells, rows):
        lines.append(f"| {' | '.join([code(image), code(version), *map(prose, rest)])} |")
    return "".join(f"{line}\n" for line in lines)


def as_json(release: Release, rows: Sequence[Row]) -> str:
    """Write the same for a program."""
    return document(DocumentSchema.TAGS, release=release.name, images=[_plain(row) for row in rows])


def as_commands(release: Release, rows: Sequence[Row]) -> str:
    """Write what moves the stable tags to the release, and say where they stay."""
    return "".join(f"{line}\n" for line in _commands(release, rows))


def _commands(release: Release, rows: Sequence[Row]) -> Iterator[str]:
    for tagged in filter(None, (row[2] for row in rows)):
        if tagged.stable:
            yield copy(tagged)
        elif STABLE in tagged.moving:
            yield printable(f"# {tagged.published.image}:{STABLE} stays with {tagged.newer}")
        elif STABLE in tagged.published.moving:
            yield printable(f"# {tagged.published.image}:{STABLE} stays: {release.name} is a pre-release")


def _cells(row: Row) -> tuple[str, str, str, str, str]:
    image, version, tagged, users = row
    moving = ", ".join(_moving(tagged, each) for each in tagged.moving) if tagged else ""
    of = f"{tagged.published.of} {tagged.version}" if tagged else ""
    return image, version, moving or NONE, of or NONE, ", ".join(users) or NONE


def _moving(tagged: Tagged, tag: str) -> str:
    return f"{tag} (at {tagged.newer})" if tag == STABLE and tagged.newer else tag


def _plain(row: Row) -> JsonObject:
    image, version, tagged, users = row
    return {
        "image": image,
        "tag": version,
        "moving": [*tagged.moving] if tagged else [],
        "of": {"name": tagged.published.of, "version": tagged.version} if tagged else None,
        "stable": {"from": tagged.reference, "to": tagged.stable} if tagged and tagged.stable else None,
        "newer": (tagged.newer or None) if tagged else None,
        "runBy": [*users],
    }
