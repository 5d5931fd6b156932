"""Hold images that only code, an SDK or users name to what nodes can pull."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.findings import Chapter, Finding, Rule
from kitgen.model import Component
from kitgen.objects import wrong_image
from kitgen.objects.reference import parsed

RUNTIME_IMAGE = Rule(
    id="runtime-image",
    chapter=Chapter.REFERENCE,
    checks="Every image in `runtimeImages` is written as nodes read it, with a tag or a digest.",
    fix="Correct it: host, path, and a tag or a digest.",
    why="Nothing runs it before somebody mirrors it or a user's cluster starts, and then it is too late.",
)


def wrong_runtime_images(component: Component) -> Iterator[Finding]:
    """Yield the images that no node could pull."""
    for each in component.runtime_images:
        found = parsed(each.image)
        at = each.origin.at("image")
        if isinstance(found, str):
            yield RUNTIME_IMAGE(found).at(at)
        elif problem := wrong_image(each.image, RUNTIME_IMAGE):
            yield problem.at(at)
