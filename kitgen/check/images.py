"""Rules of images: what containers run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kitgen.check.context import Context, Hit
from kitgen.check.pods import CONTAINERS
from kitgen.findings import Chapter, Path, Rule
from kitgen.objects import wrong_image
from kitgen.yamlio import JsonObject

IMAGE_TAG = Rule(
    id="image-tag",
    chapter=Chapter.IMAGE,
    checks="Every image of a container has a tag or a whole digest.",
    fix="Add the tag of the version, or better the digest.",
    exceptable=True,
)


def check(context: Context) -> Iterator[Hit]:
    """Yield every image that may be another one tomorrow."""
    for target, manifest in context.objects():
        for path, image in images(context.mappings(manifest)):
            if problem := wrong_image(image, IMAGE_TAG):
                yield Hit(target, manifest, problem.below(*path))


def images(mappings: Iterable[tuple[Path, JsonObject]]) -> Iterator[tuple[Path, str]]:
    """Yield the images of all containers in an object, with their paths."""
    for path, mapping in mappings:
        for name in CONTAINERS:
            items = mapping.get(name)
            for index, item in enumerate(items if isinstance(items, list) else ()):
                if isinstance(item, dict) and isinstance(item.get("image"), str):
                    yield (*path, name, index, "image"), item["image"]
