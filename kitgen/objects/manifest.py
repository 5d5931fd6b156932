"""A rendered object and the trail that leads from its fields to the specs."""

from __future__ import annotations

from dataclasses import dataclass

from kitgen.findings import Origin, Path
from kitgen.objects.identity import ObjectId
from kitgen.yamlio import Json, JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Says which rule put a part of an object where it is, and from which spec value."""

    path: Path
    """The part of the object; empty for the whole of it."""
    rule: str
    """The family, setting, feature or patch, such as `family webhooks` or `patch viewer-for-users`."""
    origin: Origin
    why: str = ""
    verbatim: bool = False
    """The part stands at the origin just as it is here, so a path inside it goes on in the file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """One object: its body, and its sources in the order in which they worked on it."""

    body: JsonObject
    sources: tuple[Source, ...]

    @property
    def id(self) -> ObjectId:
        """Return what tells this object from the others."""
        return ObjectId.of(self.body)

    def with_(self, body: JsonObject, *sources: Source) -> Manifest:
        """Return the object with a new body and more sources."""
        return Manifest(body=body, sources=(*self.sources, *sources))

    def trail(self, path: Path) -> tuple[Source, ...]:
        """Return the sources that bear on a field, in order: above it, at it or inside it."""
        return tuple(
            source
            for source in self.sources
            if path[: len(source.path)] == source.path or source.path[: len(path)] == path
        )

    def source(self, path: Path) -> Source:
        """Return the source that set a field: the last one among those nearest to it."""
        best = self.sources[0]
        for source in self.sources:
            if path[: len(source.path)] == source.path and len(source.path) >= len(best.path):
                best = source
        return best

    def origin(self, path: Path) -> Origin:
        """Return the place in the specs that a field comes from."""
        source = self.source(path)
        return source.origin.at(*path[len(source.path) :]) if source.verbatim else source.origin


def value_at(body: Json, path: Path) -> Json:
    """Return the value at a path; raise KeyError when it is not there."""
    for step in path:
        if isinstance(body, dict) and str(step) in body:
            body = body[str(step)]
        elif isinstance(body, list) and isinstance(step, int) and step < len(body):
            body = body[step]
        else:
            raise KeyError(step)
    return body
