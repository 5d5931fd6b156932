"""The images of a release as its specs write them, and its lock held to them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from msgspec.structs import replace

from kitgen.check.images.locks import check_lock
from kitgen.findings import Finding
from kitgen.model import Release
from kitgen.pipeline.checks import shipped_by
from kitgen.pipeline.opened import Opened

if TYPE_CHECKING:
    from kitgen.compile import Plan


def unlocked_plans(opened: Opened, release: Release) -> list[Plan]:
    """Compile those who ship a release, all if none does yet, with every image as the specs write it."""
    from kitgen.compile import Session, place

    if not release.components:
        return []
    targets = [*opened.kit.targets.values()]
    ships = [each for each in targets if release.name in shipped_by(opened, each)]
    session = Session(opened.kit)  # what is rendered besides does not count for the size of the kit
    written = (replace(each, digests=False, mirrored={}) for each in ships or targets)
    return [session.plan(place(opened.kit, each, release)) for each in written]


def check_locks(opened: Opened, releases: Iterable[Release]) -> Iterator[Finding]:
    """Yield what is wrong with the locks of releases, where there are any."""
    from kitgen.compile.images import by_image

    for release in releases:
        if release.lock is None:
            continue
        plans = unlocked_plans(opened, release)
        if not any(each.blocks for plan in plans for each in opened.judged(plan.findings)):
            yield from check_lock(release.lock, (each.image for each in by_image(plans)))
