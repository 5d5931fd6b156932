"""What kustomize does to all objects of an overlay, and some are not for: what runs last takes it back.

Objects in other namespaces are moved back to theirs, and those that label rules leave alone lose the labels.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from kitgen.compile import Unit
from kitgen.emit.kustomize.difference import said_in, selector
from kitgen.emit.kustomize.files import document, file_names
from kitgen.emit.kustomize.jsonpatch import operations
from kitgen.kustomize.labels import label
from kitgen.kustomize.namespace import is_elsewhere, is_nowhere
from kitgen.model import LabelRule
from kitgen.objects import Manifest
from kitgen.yamlio import JsonObject


def origins_of(unit: Unit) -> tuple[str, str]:
    """Return what an overlay is generated from."""
    return said_in(unit.context.component.origin.file), f"targets/{unit.context.target}.yaml"


def moved_back(unit: Unit) -> dict[str, str]:
    """Return what gives objects their own namespace again, or none, a file each.

    Without a namespace for all, kustomize moves none, but what says an empty one keeps that.
    """
    home = unit.context.namespace
    wanted = (lambda each: is_elsewhere(each, home)) if home else is_nowhere
    away = [each for each in unit.assembled if wanted(each)]
    note = f"kustomize moves all objects to {home}" if home else "kustomize writes an empty namespace"
    steps = []
    for manifest in away:
        place = manifest.id.namespace
        change: JsonObject = {"op": "remove", "path": "/metadata/namespace"}
        if place:
            change = {**change, "op": "replace", "value": place}
        steps.append(_Last(manifest, [change], f"{note}; this one belongs to {place or 'none'}"))
    return _transformers("namespaces", steps, unit.assembled, unit.context.component.prefix, origins_of(unit))


def unlabelled(
    objects: Sequence[Manifest],
    rules: Sequence[LabelRule],
    spared: frozenset[str],
    prefix: str,
    origins: Sequence[str],
) -> dict[str, str]:
    """Return what takes labels off again that kustomize puts on all objects, a file each."""
    steps = []
    for manifest in objects:
        changes = operations(label(manifest, rules), manifest) if str(manifest.id) in spared else []
        if changes:
            data = [each.data for each in changes]
            steps.append(_Last(manifest, data, "kustomize labels all objects; this one is left alone"))
    return _transformers("labels", steps, objects, prefix, origins)


class _Last(NamedTuple):
    """What is done to an object when all else is done."""

    manifest: Manifest
    changes: list[JsonObject]
    note: str


def _transformers(
    folder: str, steps: Sequence[_Last], objects: Iterable[Manifest], prefix: str, origins: Sequence[str]
) -> dict[str, str]:
    """Return transformers, which kustomize runs after all that the fields of a kustomization say."""
    like = [replace(each.id, namespace="") for each in objects] if steps else []
    names = file_names((each.manifest.id for each in steps), prefix, flat=True)
    files = {}
    for manifest, changes, note in steps:
        identity, name = manifest.id, names[manifest.id]
        near = [each for each in like if (each.kind, len(each.name)) == (identity.kind, len(identity.name))]
        found = selector(manifest, near).items()  # all are in one namespace when this is looked for
        body = {
            "apiVersion": "builtin",
            "kind": "PatchTransformer",
            "metadata": {"name": name.removesuffix(".yaml")},
            "target": {key: value for key, value in found if key != "namespace"},
            "patch": json.dumps(changes),
        }
        files[f"{folder}/{name}"] = document(body, *origins, note=note)
    return files
