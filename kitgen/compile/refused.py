"""Permissions of a real tree that no spec may grant, since a kit takes them for slips."""

from __future__ import annotations

from kitgen.compile.inverse import Scene
from kitgen.findings import Origin, Severity
from kitgen.load.permissions import check_permissions
from kitgen.model import Item, Layer, Part


def is_refused(scene: Scene, permissions: dict[str, str]) -> bool:
    """Tell whether the kit would find an error in permissions, such as a singular for a plural."""
    if scene.apis is None:
        return False
    layer = Layer(data={"permissions": permissions}, origin=Origin(""))
    part = Part({"roles": (Item(name="role", layers=(layer,)),)})
    return any(each.severity is Severity.ERROR for each in check_permissions([part], scene.apis))
