"""Objects in other namespaces: kustomize moves all to the overlay's, and what runs last moves them back."""

from __future__ import annotations

import json

from msgspec.structs import replace

from kitgen.compile import Unit
from kitgen.emit.kustomize.difference import said_in, selector
from kitgen.emit.kustomize.files import document, file_names
from kitgen.kustomize.namespace import is_elsewhere

FOLDER = "namespaces"


def origins_of(unit: Unit) -> tuple[str, str]:
    """Return what an overlay is generated from."""
    return said_in(unit.context.component.origin.file), f"targets/{unit.context.target}.yaml"


def moved_back(unit: Unit) -> dict[str, str]:
    """Return what gives objects their own namespace again, a file each; without one nothing moves them."""
    home = unit.context.namespace
    away = {each.id: each for each in unit.assembled if home and is_elsewhere(each, home)}
    if not away:
        return {}
    like = [replace(each.id, namespace="") for each in unit.assembled]
    files = {}
    for identity, name in file_names(away, unit.context.component.prefix, flat=True).items():
        near = [each for each in like if (each.kind, len(each.name)) == (identity.kind, len(identity.name))]
        change = {"op": "replace", "path": "/metadata/namespace", "value": identity.namespace}
        found = selector(away[identity], near).items()  # all are in one namespace when this is looked for
        body = {
            "apiVersion": "builtin",
            "kind": "PatchTransformer",
            "metadata": {"name": name.removesuffix(".yaml")},
            "target": {key: value for key, value in found if key != "namespace"},
            "patch": json.dumps([change]),
        }
        note = f"kustomize moves all objects to {home}; this one belongs to {identity.namespace}"
        files[f"{FOLDER}/{name}"] = document(body, *origins_of(unit), note=note)
    return files
