"""Check that nodes can pull the images that specs declare."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kitgen.findings import Finding, Origin, problem, rule
from kitgen.kit.model import Component
from kitgen.kube.image_reference import parsed, wrong_image

RUNTIME_IMAGE = rule("runtime-image")


def wrong_images(images: Iterable[tuple[str, Origin]]) -> Iterator[Finding]:
    """Yield the images that are no references, each with where it is said."""
    for image, origin in images:
        if isinstance(wrong := parsed(image), str):
            yield problem("image-form", wrong).at(origin)


def wrong_runtime_images(component: Component) -> Iterator[Finding]:
    """Yield the images that no node could pull."""
    for each in component.runtime_images:
        found = parsed(each.image)
        at = each.origin.at("image")
        if isinstance(found, str):
            yield RUNTIME_IMAGE(found).at(at)
        elif wrong := wrong_image(each.image, RUNTIME_IMAGE):
            yield wrong.at(at)
