"""The escape hatch: objects as they are."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.compile.context import Context
from kitgen.compile.family import Family
from kitgen.findings import Cause, Kind
from kitgen.objects import Manifest, Source


def objects(context: Context) -> Iterator[Manifest]:
    """Take over each object as the spec has it."""
    for item in context.part["objects"]:
        layer = item.layers[0]
        source = Source(
            path=(),
            cause=Cause(Kind.OBJECTS),
            origin=layer.origin,
            asked=layer.cause,
            feature=layer.feature,
            why=layer.why,
            reads=layer.reads,
            verbatim=True,
        )
        yield Manifest(body=layer.data, sources=(source,))


FAMILY = Family(key="objects", objects=objects, verbatim=True)
