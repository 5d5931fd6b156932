"""Labels and annotations that a spec gives to an object of a family by itself, besides the label rules."""

from __future__ import annotations

from collections.abc import Mapping

from kitgen.compile.layers import Folded, source
from kitgen.objects import Source
from kitgen.yamlio import Json, JsonObject

OWN: dict[str, tuple[str, ...]] = {"labels": ("labels",), "annotations": ("annotations",)}
"""What an item says of its object; one that makes several objects says it of each under another key."""


def metadata(
    name: str, folded: Folded, family: str, said: Mapping[str, tuple[str, ...]] = OWN
) -> tuple[JsonObject, list[Source]]:
    """Return an object's metadata with what its spec says, and where each part of that stands."""
    meta: JsonObject = {"name": name}
    sources = []
    for key, path in said.items():
        given: Json = folded.data
        for step in path:
            given = given.get(step) or {}
        if given:
            meta[key] = given
            sources += [
                source(folded.exact((*path, each)), ("metadata", key, each), family) for each in given
            ]
    return meta, sources
