"""Check the numbers that the scale subresource of a CRD points at."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.crds.validate.rules import FIELD_VALUE
from kitgen.crds.validate.values import type_fault
from kitgen.findings import Path, Problem
from kitgen.schema.wording import shown
from kitgen.yamlio import Json, JsonObject

MOST = 2**31 - 1
INTEGER, STRING = {"type": "integer"}, {"type": "string"}


def scale_faults(scale: JsonObject, body: JsonObject) -> Iterator[Problem]:
    """Yield what is wrong with the replicas and the selector of an object with its defaults."""
    for key in ("specReplicasPath", "statusReplicasPath"):
        path, count = _at(body, scale.get(key))
        if count is None:
            continue
        if fault := type_fault(INTEGER, count):
            yield fault.below(*path)
        elif not 0 <= count <= MOST:
            text = f"found {shown(count)}, expected 0 to {MOST}: it is the number that is scaled"
            yield FIELD_VALUE(text, path)
    path, selector = _at(body, scale.get("labelSelectorPath"))
    if selector is not None and (fault := type_fault(STRING, selector)):
        yield fault.below(*path)


def _at(body: JsonObject, place: Json) -> tuple[Path, Json]:
    """Return what stands at a path such as .spec.replicas, or nothing."""
    path: Path = tuple(place.removeprefix(".").split(".")) if isinstance(place, str) and place else ()
    value: Json = body if path else None
    for step in path:
        value = value.get(str(step)) if isinstance(value, dict) else None
    return path, value
