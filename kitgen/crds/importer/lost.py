"""Tell what CRDs had before and are without now: whole CRDs, their conversion, annotations and labels."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from msgspec import Struct

from kitgen.crds.declare.conversion import converts
from kitgen.findings import Chapter, Problem, Rule, Severity
from kitgen.yamlio import JsonObject

CRD_LOST = Rule(
    id="crd-lost",
    chapter=Chapter.CRD,
    checks="An import brings every CRD, conversion, annotation and label that was there before.",
    fix="Import what kustomize builds instead of the bases; if upstream dropped it, go on.",
    severity=Severity.WARNING,
)

TOGETHER = "import all CRDs of the component together; if upstream dropped it, objects of it stay behind"
BUILT = (
    "kustomize patches it in: import what it builds, such as kubectl kustomize config/default, not the bases"
)


class Before(Struct, frozen=True, kw_only=True):
    """The CRDs that a component declares, before others take their place."""

    version: str
    bodies: tuple[JsonObject, ...]


def lost(before: Before, bodies: Sequence[JsonObject], kept: Collection[str]) -> Iterator[Problem]:
    """Yield everything that is gone, each below its CRD; CRDs that are `kept` were not imported, and stay."""
    now = {str(body["metadata"]["name"]): body for body in bodies}
    for old in before.bodies:
        name = str(old["metadata"]["name"])
        if name in now:
            yield from _lost_of(old, now[name], before.version)
        elif name not in kept:
            message = f"found no CRD {name!r}, which {before.version} has"
            yield CRD_LOST(message, hint=TOGETHER)


def _lost_of(old: JsonObject, new: JsonObject, version: str) -> Iterator[Problem]:
    name = str(new["metadata"]["name"])
    if converts(old) and not converts(new):
        message = f"found no conversion of {name!r}, which {version} has"
        yield CRD_LOST(message, (name, "spec"), BUILT)
    for key, word in (("annotations", "annotation"), ("labels", "label")):
        has = new["metadata"].get(key) or {}
        for each in sorted((old["metadata"].get(key) or {}).keys() - has.keys()):
            message = f"found no {word} {each!r} on {name!r}, which {version} has"
            yield CRD_LOST(message, (name, "metadata"), BUILT)
