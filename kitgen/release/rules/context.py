"""What a check of a release gets to see: the kit, known tags, and what targets do with the release."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from msgspec import Struct, field

from kitgen.findings import Origin
from kitgen.kit.model import Component, Kit, Release
from kitgen.kit.releases import Tags
from kitgen.kube.image_reference import ImageReference
from kitgen.render.placement import Placement, build_placement, list_shipped_releases
from kitgen.text.values import group_pairs


class UsedImage(NamedTuple):
    """An image, whose it is, and where it is said."""

    parts: ImageReference
    component: Component
    origin: Origin


class ReleaseContext(Struct, frozen=True, kw_only=True):
    """Everything that releases are held against."""

    kit: Kit
    tags: Tags
    placements: Mapping[str, list[Placement]]
    """Release → what each target does with it that ships it."""
    said: dict[tuple[str, str], list[UsedImage]] = field(default_factory=dict)
    """Component and version → its images: many releases have the same."""

    def placements_of(self, release: Release) -> list[Placement]:
        """Return what targets do with a release."""
        return self.placements.get(release.name, [])


def build_context(kit: Kit, tags: Tags) -> ReleaseContext:
    """Look at a kit once for all of its releases."""
    placements = group_pairs(
        (release.name, build_placement(kit, target, release))
        for target in kit.targets.values()
        for release in list_shipped_releases(kit, target)
    )
    return ReleaseContext(kit=kit, tags=tags, placements=placements)
