"""The base: what all targets have in common of a component, and its CRDs beside it."""

from __future__ import annotations

from kitgen.compile import Base
from kitgen.emit.kustomize.files import kustomization, object_files
from kitgen.emit.tree import FileTree


def base_files(base: Base) -> FileTree:
    """Return the base's files, below its folder. It is not complete by itself: targets are."""
    if not base.assembled:
        return {}
    files = object_files(base.assembled, base.component.prefix)
    text = kustomization({"resources": list(files)}, base.component.origin.file)
    return {"kustomization.yaml": text, **files}


def crd_files(base: Base) -> FileTree:
    """Return the CRDs' files, below their folder."""
    if not base.crds:
        return {}
    files = object_files(base.crds)
    folder = base.component.origin.file.removesuffix("component.yaml") + "crds"
    return {"kustomization.yaml": kustomization({"resources": list(files)}, folder), **files}
