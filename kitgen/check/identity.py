"""Rules of identities: objects that collide, names and labels that a cluster refuses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kitgen.check.context import Context, Hit
from kitgen.findings import Path, Problem
from kitgen.objects import Manifest, ObjectId, wrong_object_names, wrong_pairs
from kitgen.objects.identity import OBJECT_DUPLICATE
from kitgen.yamlio import JsonObject


def check(context: Context) -> Iterator[Hit]:
    """Yield collisions and wrong names and labels."""
    for target, manifests in context.targets.items():
        first: dict[ObjectId, Manifest] = {}
        for manifest in manifests:
            other = first.setdefault(manifest.id, manifest)
            if other is not manifest:
                where = f" in the namespace {manifest.id.namespace}" if manifest.id.namespace else ""
                message = f"found a second {manifest.id}{where}, expected every object once"
                hint = f"the first comes from {other.origin(())}"
                yield Hit(target, manifest, OBJECT_DUPLICATE(message, hint=hint))
            for problem in (*wrong_object_names(manifest.body), *_labels(context.mappings(manifest))):
                yield Hit(target, manifest, problem)


def _labels(mappings: Sequence[tuple[Path, JsonObject]]) -> Iterator[Problem]:
    for path, mapping in mappings:
        for key in ("labels", "annotations") if path and path[-1] == "metadata" else ("matchLabels",):
            if key in mapping:
                yield from wrong_pairs(mapping[key], (*path, key), values=key != "annotations")
