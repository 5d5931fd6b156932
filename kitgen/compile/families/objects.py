"""The escape hatch: objects as they are."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from kitgen.compile.context import Context
from kitgen.compile.family import Family
from kitgen.compile.layers import Touch, source
from kitgen.findings import By, Cause
from kitgen.objects import Manifest


def objects(context: Context) -> Iterator[Manifest]:
    """Take over each object as the spec has it."""
    for item in context.part["objects"]:
        layer = item.layers[0]
        made = source(Touch((), layer, ()), (), "objects")
        yield Manifest(body=layer.data, sources=(replace(made, cause=Cause(By.OBJECTS), verbatim=True),))


FAMILY = Family(key="objects", objects=objects, alone=True, verbatim=True)
