"""Take objects apart, so that a change of one reaches nothing else."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from kitgen.objects import Manifest
from kitgen.yamlio import Json


def apart(manifests: Iterable[Manifest]) -> list[Manifest]:
    """Return the objects with bodies of their own: no list or map stands in two places, or in a spec."""
    return [replace(manifest, body=fresh(manifest.body)) for manifest in manifests]


def fresh(value: Json) -> Json:
    """Copy a value as the tree that it is written as; what stands twice in it becomes two."""
    if isinstance(value, dict):
        return {key: fresh(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [fresh(item) for item in value]
    return value
