"""Write the images of targets: as a table, JSON, or a plain list."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from kitgen.kube.image_reference import reference
from kitgen.render.image_places import Use
from kitgen.render.images import ListedImage
from kitgen.report.documents import ResultDocument, safe_json
from kitgen.report.table import table
from kitgen.text.wording import printable

HEAD = ("image", "named by", "in", "target")


class ImageTarget(Struct, frozen=True, kw_only=True):
    """What was looked at."""

    target: str
    """The target, or the source that was looked at instead."""
    release: str | None
    """The release; null of what no target of the kit is."""


class UseEntry(ImageTarget, frozen=True, kw_only=True):
    """A place that names an image."""

    component: str | None
    """The component; null of a catalog."""
    by: Use
    """What names it; run time is code, an SDK or users."""
    place: str
    """The object and what of it, the key, the field, or who names it."""
    file: str | None
    """The spec that says it, if one does."""


class ImageEntry(Struct, frozen=True, kw_only=True):
    """An image."""

    image: str
    """The image as it is rendered."""
    repository: str | None
    """Registry and path; null if no node could read the image."""
    tag: str | None
    """The tag, if it has one."""
    digest: str | None
    """The digest, if it has one."""
    uses: tuple[UseEntry, ...]
    """All that names it."""


class ImageList(ResultDocument, frozen=True, kw_only=True, tag="kitgen/images/v1"):
    """Images of targets: kitgen images."""

    targets: tuple[ImageTarget, ...]
    """The targets, or other sources, that were looked at."""
    images: tuple[ImageEntry, ...]
    """Every image once, by name."""


def as_table(images: Sequence[ListedImage], *, width: int, colour: bool) -> str:
    """Write a row for each image and each way that it is named; nothing if there is none."""
    rows = [row for each in images for row in _rows(each)]
    return table("", HEAD, rows, width=width, colour=colour) if rows else ""


def as_lines(images: Sequence[ListedImage]) -> str:
    """Write one image a line."""
    return "".join(f"{printable(each.image)}\n" for each in images)


def as_json(looked_at: Iterable[tuple[str, str]], images: Sequence[ListedImage]) -> str:
    """Write the same for a program."""
    targets = tuple(ImageTarget(target=target, release=release or None) for target, release in looked_at)
    return safe_json(ImageList(targets=targets, images=tuple(_entry(each) for each in images)))


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


def _entry(image: ListedImage) -> ImageEntry:
    parts = reference(image.image)
    return ImageEntry(
        image=image.image,
        repository=parts.repository if parts else None,
        tag=(parts.tag or None) if parts else None,
        digest=(parts.digest or None) if parts else None,
        uses=tuple(
            UseEntry(
                target=each.target,
                release=each.release or None,
                component=each.use.component or None,
                by=each.use.use,
                place=each.use.place,
                file=each.use.origin.file if each.use.origin else None,
            )
            for each in image.uses
        ),
    )
