"""What objects and their files are called in snapshots."""

from __future__ import annotations

from kitgen.compile import Unit
from kitgen.emit.kustomize.files import short
from kitgen.objects import Manifest, ObjectId

ESCAPES = {char: f"%{ord(char):02X}" for char in "%_:/"}
"""What files must not be called, and the underscore, which stands between the parts of a name."""
CRD = "CustomResourceDefinition"


def stable_id(unit: Unit, manifest: Manifest) -> ObjectId:
    """Return the identity without the hash of the content, which changes with every edit."""
    identity = manifest.id
    if unit.params and identity.kind == "ConfigMap" and identity.name == unit.params.manifest().id.name:
        return ObjectId(identity.group, identity.kind, identity.namespace, unit.params.config_map)
    return identity


def file_name(identity: ObjectId, home: str) -> str:
    """Return a file name that no other object of the component, whose namespace is home, can have."""
    elsewhere = [identity.namespace] if identity.namespace not in ("", home) else []
    parts = [f"{identity.kind}.{identity.group or 'core'}", *elsewhere, identity.name]
    name = short("__".join("".join(ESCAPES.get(char, char) for char in part) for part in parts))
    return f"{name}.txt" if identity.kind == CRD else f"{name}.yaml"
