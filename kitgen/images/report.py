"""Write the images of targets: as a table, JSON, or a plain list."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from kitgen.kube.image_reference import reference
from kitgen.render.images import ListedImage
from kitgen.report.documents import DocumentSchema, document
from kitgen.report.table import table
from kitgen.text.wording import printable
from kitgen.text.yaml import JsonObject

HEAD = ("image", "named by", "in", "target")


def as_table(images: Sequence[ListedImage], *, width: int, colour: bool) -> str:
    """Write a row for each image and each way that it is named; nothing if there is none."""
    rows = [row for each in images for row in _rows(each)]
    return table("", HEAD, rows, width=width, colour=colour) if rows else ""


def as_lines(images: Sequence[ListedImage]) -> str:
    """Write one image a line."""
    return "".join(f"{printable(each.image)}\n" for each in images)


def as_json(looked_at: Iterable[tuple[str, str]], images: Sequence[ListedImage]) -> str:
    """Write the same for a program."""
    targets = [{"target": target, "release": release or None} for target, release in looked_at]
    return document(DocumentSchema.IMAGES, targets=targets, images=[_plain(each) for each in images])


def _rows(image: ListedImage) -> Iterator[tuple[str, ...]]:
    """Yield the places of an image, those of several targets once."""
    found: dict[tuple[str, str], list[str]] = {}
    for each in image.uses:
        place = f"{each.use.component}: {each.use.place}" if each.use.component else each.use.place
        found.setdefault((each.use.use.value, place), []).append(each.target)
    first = True
    for (use, place), targets in found.items():
        yield (image.image if first else "", use, place, ", ".join(dict.fromkeys(targets)))
        first = False


def _plain(image: ListedImage) -> JsonObject:
    parts = reference(image.image)
    return {
        "image": image.image,
        "repository": parts.repository if parts else None,
        "tag": (parts.tag or None) if parts else None,
        "digest": (parts.digest or None) if parts else None,
        "uses": [
            {
                "target": each.target,
                "release": each.release or None,
                "component": each.use.component or None,
                "by": each.use.use.value,
                "place": each.use.place,
                "file": each.use.origin.file if each.use.origin else None,
            }
            for each in image.uses
        ],
    }
