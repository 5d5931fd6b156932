"""The images of a release that a lock is for, and how what is told of them is compared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct, field

from kitgen.kube.image_reference import ImageReference, parse_image_reference
from kitgen.render.image_places import OPTIONAL
from kitgen.render.images import ListedImage
from kitgen.text.values import group_pairs


class LockImages(Struct, frozen=True, kw_only=True):
    """The images of a release that a lock is for."""

    names: dict[ImageReference, tuple[str, ...]]
    """Image by its tag → how specs write it; those of examples alone too."""
    repositories: Mapping[str, Sequence[ImageReference]]
    """Repository → the same images."""
    needed: tuple[str, ...]
    """What is to have a digest, as specs write it."""
    fixed: frozenset[ImageReference]
    """Images that specs name by digest, without their tags."""
    packages: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Package of OLM → the versions that the release has of it, as numbers."""

    def find_in_repository(self, image: ImageReference | None) -> Sequence[ImageReference]:
        """Return the images of the repository of one."""
        return self.repositories.get(image.repository, ()) if image else ()


def build_lock_images(images: Iterable[ListedImage], packages: Mapping[str, frozenset[str]]) -> LockImages:
    """Return what a lock is for."""
    names: dict[ImageReference, tuple[str, ...]] = {}
    needed, fixed = [], set()
    for each in images:
        if (parts := parse_image_reference(each.image)) is None:
            continue
        if parts.digest:
            fixed.add(parts._replace(tag=""))
            continue
        key = add_default_tag(parts)
        names[key] = (*names.get(key, ()), each.image)
        if any(use.use.use not in OPTIONAL for use in each.uses):
            needed.append(each.image)
    return LockImages(
        names=names,
        repositories=group_pairs((key.repository, key) for key in names),
        needed=tuple(needed),
        fixed=frozenset(fixed),
        packages=packages,
    )


def add_default_tag(image: ImageReference) -> ImageReference:
    """Return an image with the tag that it has where none is written."""
    return image._replace(tag=image.tag or "latest")


def normalize_version(version: str) -> str:
    """Return a version without its v and what it was built from."""
    return version.removeprefix("v").partition("+")[0]
