"""The images of a bundle, each once, so that they can be mirrored."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from kitgen.compile.context import Context
from kitgen.compile.families.config import image_values
from kitgen.compile.named import named_by
from kitgen.compile.olm.parts import Piece, made, many
from kitgen.compile.unit import Unit
from kitgen.findings import Origin, Path
from kitgen.objects import Manifest
from kitgen.objects.mentions import mappings, mentions

NOT_PLAIN = re.compile(r"[^a-z0-9]+")
HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


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
                name = _unique(known.get(image) or _plain(image), taken)
                found[image] = Piece({"name": name, "image": image}, (made(manifest.origin(path)),))
    for name, image, origin in (*_unseen(unit.context), *_elsewhere(unit, known)):
        if image not in found:
            found[image] = Piece({"name": _unique(name, taken), "image": image}, (made(origin),))
    return many(found.values())


def _unseen(context: Context) -> Iterator[tuple[str, str, Origin]]:
    """Yield the images that no workload names: those of the operator's configuration, and of code."""
    for path, image, origin in image_values(context):
        yield _plain("-".join(map(str, path))), image, origin
    for each in context.component.runtime_images:
        yield each.name, context.renames.get(each.image, each.image), each.origin


def _elsewhere(unit: Unit, known: Mapping[str, str]) -> Iterator[tuple[str, str, Origin]]:
    """Yield the images that other objects name."""
    for manifest in unit.final:
        for image, _, _, origin in named_by(manifest):
            yield known.get(image) or _plain(image), image, origin


def _plain(text: str) -> str:
    """Write a name as names of images are written: certGeneratorImage is cert-generator-image."""
    return NOT_PLAIN.sub("-", HUMP.sub("-", text).lower()).strip("-")


def _images(manifest: Manifest) -> Iterator[tuple[Path, str]]:
    found = mentions(mappings(manifest.body))
    yield from ((each.path, each.image) for each in sorted(found, key=lambda each: not each.runs))


def _unique(name: str, taken: set[str]) -> str:
    """Return a name that no other image has."""
    number, free = 2, name
    while free in taken:
        free, number = f"{name}-{number}", number + 1
    taken.add(free)
    return free
