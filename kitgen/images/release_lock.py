"""The images of a release as its specs write them, and its lock held to them.

Hold the lock of a release to the images that its targets use.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from msgspec.structs import replace

from kitgen.findings import Finding, get_rule, make_problem
from kitgen.kit.model import Release
from kitgen.kit.model.release import EVERY_PLATFORM, Lock
from kitgen.text.wording import quote_text
from kitgen.workspace.checks import list_target_releases
from kitgen.workspace.kit import OpenedKit

if TYPE_CHECKING:
    from kitgen.render.plan import TargetPlan

LOCK_UNUSED = get_rule("lock-unused")


def check_lock(lock: Lock, images: Iterable[str]) -> Iterator[Finding]:
    """Yield entries that nothing uses, and digests of one platform; the images are as specs write them."""
    used = {*images}
    for each in lock.images.values():
        if each.image not in used:
            yield LOCK_UNUSED(
                f"found a digest of {quote_text(each.image)}, which no target of {lock.release} uses",
                hint="kitgen images lock --prune takes it away",
            ).to_finding(each.origin)
        elif each.platform not in ("", EVERY_PLATFORM):
            yield make_problem(
                "lock-platform",
                f"found the digest of {quote_text(each.platform)} alone, expected that of the index",
                hint=f"skopeo inspect --no-tags docker://{each.image} tells it",
            ).to_finding(each.origin.at("platform"))


def compile_unlocked_plans(opened: OpenedKit, release: Release) -> list[TargetPlan]:
    """Compile those who ship a release, all if none does yet, with every image as the specs write it."""
    from kitgen.render.placement import build_placement
    from kitgen.render.session import Session

    if not release.components:
        return []
    targets = [*opened.kit.targets.values()]
    ships = [each for each in targets if release.name in list_target_releases(opened, each)]
    session = Session(opened.kit)  # what is rendered besides does not count for the size of the kit
    written = (replace(each, digests=False, mirrored={}) for each in ships or targets)
    return [session.compile_plan(build_placement(opened.kit, each, release)) for each in written]


def check_kit_locks(opened: OpenedKit, release: Release | None) -> Iterator[Finding]:
    """Yield what is wrong with the lock of a release, or with all locks of a kit."""
    from kitgen.render.images import list_plan_images

    for each in [release] if release else opened.kit.releases.values():
        if each.lock is None:
            continue
        plans = compile_unlocked_plans(opened, each)
        if not any(found.is_blocking for plan in plans for found in opened.apply_exceptions(plan.findings)):
            yield from check_lock(each.lock, (use.image for use in list_plan_images(plans)))
