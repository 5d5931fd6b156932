"""Images that an object runs or mentions, with the fields that name them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import StrEnum

from kitgen.findings import Origin, Path
from kitgen.kube.image_fields import find_default_images, find_image_fields
from kitgen.kube.image_mentions import (
    ImageMention,
    find_images_under_key,
    find_mentions,
    walk_by_level,
    walk_mappings,
)
from kitgen.kube.image_reference import is_tagged, remove_tag
from kitgen.kube.manifest import Manifest
from kitgen.text.yaml import Json

UNSEEN = "Secret"
CRD = "CustomResourceDefinition"
"""What only looks like objects, and has images in defaults alone."""


class ImageNaming(StrEnum):
    """How an image is named."""

    CONTAINER = "container"
    INIT = "init container"
    VARIABLE = "variable"
    ARGUMENT = "argument"
    PARAMETER = "params.env"
    CONFIG = "configuration"
    TEXT = "text"
    BUNDLE = "bundle"
    """Of the OLM bundle alone."""
    EXAMPLE = "example"
    """In an example of the bundle, which people may make as it is."""
    TEST = "test"
    """In a test of the bundle, which no cluster runs by itself."""
    CATALOG = "catalog"
    RUNTIME = "run time"
    """No object names it: code, an SDK or users do."""


OPTIONAL = frozenset({ImageNaming.EXAMPLE, ImageNaming.TEST})
"""What nothing runs unless people ask for it."""


def find_object_images(manifest: Manifest) -> Iterator[tuple[str, str, ImageNaming, Origin]]:
    """Yield the images that an object runs or names: each with its place, how, and where that is said."""
    sure, unsure = collect_image_mentions(manifest)
    seen = {each.path for each in sure}
    # OpenShift puts an image in for a space.
    found = [(each.path, each.image, _naming_at(each.path)) for each in sure if each.image.strip()]
    found += ((path, image, ImageNaming.TEXT) for path, image in unsure if path not in seen)
    for path, image, use in found:
        yield image, f"{manifest.id}/{format_place(manifest.body, path)}", use, manifest.find_origin(path)


def collect_image_mentions(manifest: Manifest) -> tuple[list[ImageMention], list[tuple[Path, str]]]:
    """Return what an object runs or names for sure, and the images that any other place of it names."""
    if manifest.id.kind == UNSEEN:
        return [], []
    if manifest.id.kind == CRD:
        return [], [*find_default_images(manifest.body)]
    body = manifest.body
    return [*find_mentions(walk_mappings(body))], _drop_duplicates(
        find_image_fields(body), _find_text_images(manifest)
    )


def _drop_duplicates(
    known: Iterable[tuple[Path, str]], said: Iterable[tuple[Path, str]]
) -> list[tuple[Path, str]]:
    """Return each image of a place once, and not what a text says without the tag that is known beside it."""
    kept = dict.fromkeys(known)
    parts = {
        (path, end) for path, image in kept if is_tagged(image) for end in _list_suffixes(remove_tag(image))
    }
    return [*dict.fromkeys((*kept, *(each for each in said if each not in parts)))]


def _list_suffixes(repository: str) -> Iterator[str]:
    """Yield a repository, and what is left of it where its registry stands apart."""
    while repository:
        yield repository
        repository = repository.partition("/")[2]


def _find_text_images(manifest: Manifest) -> Iterator[tuple[Path, str]]:
    """Yield the images that texts of an object name, with their places."""
    values = manifest.id.kind == "ConfigMap"
    for path, text in walk_by_level(manifest.body):
        if isinstance(text, str) and path:
            yield from ((path, image) for image in find_images_under_key(str(path[-1]), text, values=values))


def _naming_at(path: Path) -> ImageNaming:
    if "env" in path:
        return ImageNaming.VARIABLE
    if "relatedImages" in path:
        return ImageNaming.BUNDLE
    if path[-1] != "image":
        return ImageNaming.ARGUMENT
    return ImageNaming.CONTAINER if "initContainers" not in path else ImageNaming.INIT


def format_place(body: Json, path: Path) -> str:
    """Write a place by the names of what it is in: manager for its image, manager/env/NAME for a variable."""
    names: list[str] = []
    value = body
    for above, step in zip((None, *path), path, strict=False):
        value = value[step]
        name = value.get("name") if isinstance(value, dict) and isinstance(step, int) else None
        if isinstance(name, str):
            names.append(name)
        elif names and isinstance(step, str) and (above == "properties" or step not in ("image", "value")):
            names.append(step)
    return "/".join(names) or "/".join(map(str, path))
