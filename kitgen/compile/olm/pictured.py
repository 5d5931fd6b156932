"""The images of a bundle, each once, so that they can be mirrored."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kitgen.compile.families.config import image_values
from kitgen.compile.named import named_by
from kitgen.compile.olm.parts import Piece, made, many
from kitgen.compile.unit import Unit
from kitgen.findings import Origin, Path
from kitgen.objects import Manifest
from kitgen.objects.mentions import mappings, mentions

NOT_PLAIN = re.compile(r"[^a-z0-9]+")


def related_images(unit: Unit) -> Piece:
    """Return every image that workloads run or name, that of the first container first.

    Those of code come next, and what configuration and other objects name: who mirrors a catalog takes this
    list alone.
    """
    known = {image: name for name, (image, _) in reversed(unit.context.images.items())}
    found: dict[str, Piece] = {}
    taken: set[str] = set()
    for manifest in (each for each in unit.final if each.id.kind == "Deployment"):
        for path, image in _images(manifest):
            if image not in found:
                name = _unique(known.get(image) or NOT_PLAIN.sub("-", image.lower()).strip("-"), taken)
                found[image] = Piece({"name": name, "image": image}, (made(manifest.origin(path)),))
    for each in unit.context.component.runtime_images:
        image = unit.context.renames.get(each.image, each.image)
        if image not in found:
            found[image] = Piece({"name": _unique(each.name, taken), "image": image}, (made(each.origin),))
    for image, origin in _configured(unit):
        if image not in found:
            name = _unique(known.get(image) or NOT_PLAIN.sub("-", image.lower()).strip("-"), taken)
            found[image] = Piece({"name": name, "image": image}, (made(origin),))
    return many(found.values())


def _images(manifest: Manifest) -> Iterator[tuple[Path, str]]:
    found = mentions(mappings(manifest.body))
    yield from ((each.path, each.image) for each in sorted(found, key=lambda each: not each.runs))


def _configured(unit: Unit) -> Iterator[tuple[str, Origin]]:
    """Yield the images of the configuration, defaults included, and those that other objects name."""
    yield from ((image, origin) for _, image, origin in image_values(unit.context))
    for manifest in unit.final:
        yield from ((image, origin) for image, _, _, origin in named_by(manifest))


def _unique(name: str, taken: set[str]) -> str:
    """Return a name that no other image has."""
    number, free = 2, name
    while free in taken:
        free, number = f"{name}-{number}", number + 1
    taken.add(free)
    return free
