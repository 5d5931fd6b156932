"""What `kitgen images` does: list every image that targets can run, with all that names it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct

from kitgen.compile import Plan
from kitgen.compile.images import ListedImage, by_image
from kitgen.compile.locking import LOCK_MISSING
from kitgen.compile.runtime import wrong_images
from kitgen.pipeline.opened import Opened, open_kit, require


class ImagesRequest(Struct, frozen=True, kw_only=True):
    """Whose images to list."""

    root: Path | None = None
    targets: tuple[str, ...] = ()
    """All of them when empty."""
    release: str | None = None
    """What each of them pins when absent."""


class Images(Struct, frozen=True, kw_only=True):
    """The images of some targets."""

    root: Path
    releases: dict[str, str]
    """Target → the release that was looked at."""
    images: tuple[ListedImage, ...]


def list_images(request: ImagesRequest) -> Images:
    """Return the images of targets, each once, by name."""
    opened = open_kit(request.root)
    plans = _plans(opened, request.targets, request.release)
    images = by_image(plans)
    uses = ((opened.target(each.target), each.use) for some in images for each in some.uses)
    require(
        opened.judged(wrong_images((use.image, use.origin or target.origin) for target, use in uses)),
        opened.root,
    )
    return Images(
        root=opened.root,
        releases={plan.target.name: plan.release.name for plan in plans},
        images=tuple(images),
    )


def _plans(opened: Opened, targets: Iterable[str], release: str | None) -> list[Plan]:
    """Compile targets, all if none is named; what is wrong with one is a FindingsError.

    What has no digest yet is no fault here: the list is what digests are looked up for.
    """
    names = [*dict.fromkeys(targets)] or [*opened.kit.targets]
    plans = [opened.plan(opened.target(name), release) for name in names]
    found = (each for plan in plans for each in plan.findings if each.rule is not LOCK_MISSING)
    require(opened.judged(found), opened.root)
    return plans
