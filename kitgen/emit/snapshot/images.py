"""The list of a target's images: what containers run, and what configuration names."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.compile import Plan
from kitgen.compile.named import found_in, place_of
from kitgen.emit.snapshot.names import stable_id
from kitgen.objects import Manifest


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
    sure, unsure = found_in(manifest)
    for path, image in (*((each.path, each.image) for each in sure), *unsure):
        yield image, place_of(manifest.body, path)
