"""The list of a target's images: what containers run, and what configuration names."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.compile import Plan
from kitgen.emit.snapshot.names import CRD, stable_id
from kitgen.findings import Path
from kitgen.objects import Manifest
from kitgen.objects.mentions import is_sure, mappings, mentions, named_in, values_in
from kitgen.yamlio import Json

UNSEEN = ("Secret", CRD)
"""What holds secrets, and what only looks like objects."""


def images(plan: Plan) -> list[str]:
    """Return one line an image and place: a container that runs it, or a field that names it."""
    found = {
        f"{image} {stable_id(unit, manifest)}/{place}"
        for unit in plan.units
        for manifest in unit.final
        for image, place in _of_object(manifest)
    }
    return sorted(found)


def _of_object(manifest: Manifest) -> Iterator[tuple[str, str]]:
    body = manifest.body
    if manifest.id.kind in UNSEEN:
        return
    for each in mentions(mappings(body)):
        yield each.image, _place(body, each.path)
    for path, text in ((path, each) for path, each in values_in(body) if isinstance(each, str)):
        whole = [text.strip()] if manifest.id.kind == "ConfigMap" and is_sure(text.strip()) else []
        yield from ((image, _place(body, path)) for image in named_in(f"{path[-1]}={text}") or whole)


def _place(body: Json, path: Path) -> str:
    """Write a place by the names of what it is in: manager for its image, manager/env/NAME for a variable."""
    names: list[str] = []
    value = body
    for step in path:
        value = value[step]
        name = value.get("name") if isinstance(value, dict) and isinstance(step, int) else None
        if isinstance(name, str):
            names.append(name)
        elif names and isinstance(step, str) and step not in ("image", "value"):
            names.append(step)
    return "/".join(names) or "/".join(map(str, path))
