"""The list of a target's images: what containers run, and what configuration names."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.compile import Plan
from kitgen.compile.named import UNSEEN, place_of, texts_of
from kitgen.emit.snapshot.names import stable_id
from kitgen.objects import Manifest
from kitgen.objects.loose import loosely
from kitgen.objects.mentions import mappings, mentions


def images(plan: Plan) -> list[str]:
    """Return one line an image and place: a container that runs it, or a field that names it."""
    found = {
        f"{image} {stable_id(unit, manifest)}/{place}"
        for unit in plan.units
        for manifest in unit.final
        for image, place in _of_object(manifest)
    }
    return sorted(found)


def _of_object(manifest: Manifest) -> Iterator[tuple[str, str]]:
    if manifest.id.kind in UNSEEN:
        return
    for each in mentions(mappings(manifest.body)):
        yield each.image, place_of(manifest.body, each.path)
    for path, image in (*loosely(manifest.body), *texts_of(manifest)):
        yield image, place_of(manifest.body, path)
