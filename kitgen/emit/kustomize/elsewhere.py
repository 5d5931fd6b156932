"""Objects in other namespaces: kustomize moves all to the overlay's, and what runs last moves them back."""

from __future__ import annotations

import json

from msgspec.structs import replace

from kitgen.compile import Unit
from kitgen.emit.kustomize.difference import said_in, selector
from kitgen.emit.kustomize.files import document, file_names
from kitgen.kustomize.namespace import is_elsewhere, is_nowhere
from kitgen.yamlio import JsonObject

FOLDER = "namespaces"


def origins_of(unit: Unit) -> tuple[str, str]:
    """Return what an overlay is generated from."""
    return said_in(unit.context.component.origin.file), f"targets/{unit.context.target}.yaml"


def moved_back(unit: Unit) -> dict[str, str]:
    """Return what gives objects their own namespace again, or none, a file each.

    Without a namespace for all, kustomize moves none, but what says an empty one keeps that.
    """
    home = unit.context.namespace
    wanted = (lambda each: is_elsewhere(each, home)) if home else is_nowhere
    away = {each.id: each for each in unit.assembled if wanted(each)}
    if not away:
        return {}
    like = [replace(each.id, namespace="") for each in unit.assembled]
    files = {}
    for identity, name in file_names(away, unit.context.component.prefix, flat=True).items():
        near = [each for each in like if (each.kind, len(each.name)) == (identity.kind, len(identity.name))]
        change: JsonObject = {"op": "remove", "path": "/metadata/namespace"}
        if identity.namespace:
            change = {**change, "op": "replace", "value": identity.namespace}
        found = selector(away[identity], near).items()  # all are in one namespace when this is looked for
        body = {
            "apiVersion": "builtin",
            "kind": "PatchTransformer",
            "metadata": {"name": name.removesuffix(".yaml")},
            "target": {key: value for key, value in found if key != "namespace"},
            "patch": json.dumps([change]),
        }
        note = f"kustomize moves all objects to {home}" if home else "kustomize writes an empty namespace"
        note += f"; this one belongs to {identity.namespace or 'none'}"
        files[f"{FOLDER}/{name}"] = document(body, *origins_of(unit), note=note)
    return files
