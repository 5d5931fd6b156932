"""All that is known of what goes into a mirror, from which its files are made."""

from __future__ import annotations

from msgspec import Struct

from kitgen.images.mirror.image_set import OfferedBundle
from kitgen.images.mirror.places import Mirror, MirrorPlace
from kitgen.render.images import ImageUse


class MirrorContents(Struct, frozen=True, kw_only=True):
    """The images of a target, and how they are carried into a mirror."""

    target: str
    release: str
    origins: tuple[str, ...]
    """The files that it is made from."""
    places: tuple[MirrorPlace, ...]
    uses: tuple[ImageUse, ...]
    """Who names them."""
    mirror: Mirror
    offered: OfferedBundle | None = None
    never_source: bool = False
    """Whether nodes never ask the registry that an image comes from."""
    rewritten: bool = False
    """Whether manifests have the mirror's names, so that nothing has to redirect nodes."""
    platform: bool = False
    """Whether the platform's operator may run the components, with images that it names itself."""

    @property
    def copied(self) -> tuple[MirrorPlace, ...]:
        """Return the images that are not in the mirror yet."""
        return tuple(each for each in self.places if not each.there)

    @property
    def redirected_places(self) -> tuple[MirrorPlace, ...]:
        """Return the images that nodes are to be sent to the mirror for; its catalog is named there."""
        catalog = self.offered.catalog if self.offered else None
        return tuple(each for each in self.copied if each != catalog)
