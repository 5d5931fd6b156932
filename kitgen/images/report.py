"""Write the images of targets: as a table, or a plain list."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kitgen.images.list import ImageEntry
from kitgen.report.table import render_table
from kitgen.text.wording import escape_unprintable

HEAD = ("image", "named by", "in", "target")


def as_table(images: Sequence[ImageEntry], *, width: int, colour: bool) -> str:
    """Write a row for each image and each way that it is named; nothing if there is none."""
    rows = [row for each in images for row in _build_rows(each)]
    return render_table("", HEAD, rows, width=width, colour=colour) if rows else ""


def as_lines(images: Sequence[ImageEntry]) -> str:
    """Write one image a line."""
    return "".join(f"{escape_unprintable(each.image)}\n" for each in images)


def _build_rows(image: ImageEntry) -> Iterator[tuple[str, ...]]:
    """Yield the places of an image, those of several targets once."""
    found: dict[tuple[str, str], list[str]] = {}
    for each in image.uses:
        place = f"{each.component}: {each.place}" if each.component else each.place
        found.setdefault((each.by.value, place), []).append(each.target)
    first = True
    for (use, place), targets in found.items():
        yield (image.image if first else "", use, place, ", ".join(dict.fromkeys(targets)))
        first = False
