"""Labels and annotations that a spec gives to an object of a family by itself, besides the label rules."""

from __future__ import annotations

from kitgen.compile.layers import Folded, source
from kitgen.objects import Source
from kitgen.yamlio import JsonObject


def metadata(name: str, folded: Folded, family: str) -> tuple[JsonObject, list[Source]]:
    """Return an object's metadata with what its spec says, and where each part of that stands."""
    meta: JsonObject = {"name": name}
    sources = []
    for key in ("labels", "annotations"):
        if given := folded.data.get(key):
            meta[key] = given
            sources += [source(folded.exact((key, each)), ("metadata", key, each), family) for each in given]
    return meta, sources
