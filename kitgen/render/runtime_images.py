"""Hold images that specs declare to what nodes can pull, whoever names them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kitgen.findings import Chapter, Finding, Origin, Rule
from kitgen.kit.model import Component
from kitgen.kube.image_reference import parsed, wrong_image

RUNTIME_IMAGE = Rule(
    id="runtime-image",
    chapter=Chapter.REFERENCE,
    checks="Every image in `runtimeImages` is written as nodes read it, with a tag or a digest.",
    fix="Correct it: host, path, and a tag or a digest.",
    why="Nothing runs it before somebody mirrors it or a user's cluster starts, and then it is too late.",
)

IMAGE_FORM = Rule(
    id="image-form",
    chapter=Chapter.REFERENCE,
    checks="Every image that a component or a target names is one that nodes read: host, path, tag, digest.",
    fix="Correct it, as the message says.",
    why="No node and no registry reads it otherwise, and nothing can lock or mirror it.",
)


def wrong_images(images: Iterable[tuple[str, Origin]]) -> Iterator[Finding]:
    """Yield the images that are no references, each with where it is said."""
    for image, origin in images:
        if isinstance(wrong := parsed(image), str):
            yield IMAGE_FORM(wrong).at(origin)


def wrong_runtime_images(component: Component) -> Iterator[Finding]:
    """Yield the images that no node could pull."""
    for each in component.runtime_images:
        found = parsed(each.image)
        at = each.origin.at("image")
        if isinstance(found, str):
            yield RUNTIME_IMAGE(found).at(at)
        elif problem := wrong_image(each.image, RUNTIME_IMAGE):
            yield problem.at(at)
