"""Check that nodes can pull the images that specs declare."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kitgen.findings import Finding, Origin, get_rule, make_problem
from kitgen.kit.model import Component
from kitgen.kube.image_reference import check_image, parse_reference_or_error

RUNTIME_IMAGE = get_rule("runtime-image")


def check_image_references(images: Iterable[tuple[str, Origin]]) -> Iterator[Finding]:
    """Yield the images that are no references, each with where it is said."""
    for image, origin in images:
        if isinstance(wrong := parse_reference_or_error(image), str):
            yield make_problem("image-form", wrong).to_finding(origin)


def check_runtime_images(component: Component) -> Iterator[Finding]:
    """Yield the images that no node could pull."""
    for each in component.runtime_images:
        found = parse_reference_or_error(each.image)
        at = each.origin.at("image")
        if isinstance(found, str):
            yield RUNTIME_IMAGE(found).to_finding(at)
        elif wrong := check_image(each.image, RUNTIME_IMAGE):
            yield wrong.to_finding(at)
