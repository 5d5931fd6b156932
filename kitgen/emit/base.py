"""The base: what all targets have in common of a component, and its CRDs beside it."""

from __future__ import annotations

from kitgen.compile import Unit
from kitgen.emit.files import kustomization, object_files
from kitgen.model import Component
from kitgen.objects import Manifest


def base_files(unit: Unit) -> dict[str, str]:
    """Return the base's files, below its folder. It is not complete by itself: targets are."""
    if not unit.assembled:
        return {}
    origin = unit.context.component.origin.file
    files = object_files(unit.assembled, unit.context.component.prefix)
    return {"kustomization.yaml": kustomization({"resources": list(files)}, origin), **files}


def crd_files(component: Component, crds: tuple[Manifest, ...]) -> dict[str, str]:
    """Return the CRDs' files, below their folder."""
    if not crds:
        return {}
    files = object_files(crds)
    folder = component.origin.file.removesuffix("component.yaml") + "crds"
    return {"kustomization.yaml": kustomization({"resources": list(files)}, folder), **files}
