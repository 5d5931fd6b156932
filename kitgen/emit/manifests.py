"""Flat manifests: the final objects, one document after the other."""

from __future__ import annotations

from collections.abc import Iterable

from kitgen.objects import Manifest
from kitgen.yamlio import dump_all


def flat(objects: Iterable[Manifest]) -> str:
    """Return the objects as one YAML stream."""
    return dump_all(manifest.body for manifest in objects)
