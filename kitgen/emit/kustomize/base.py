"""The base: what all targets have in common of a component, and its CRDs beside it."""

from __future__ import annotations

from kitgen.compile import Unit
from kitgen.emit.kustomize.files import kustomization, object_files
from kitgen.emit.tree import FileTree


def base_files(base: Unit) -> FileTree:
    """Return the base's files, below its folder. It is not complete by itself: targets are."""
    component = base.context.component
    return _folder(object_files(base.assembled, component.prefix), component.origin.file)


def crd_files(base: Unit) -> FileTree:
    """Return the CRDs' files, below their folder."""
    folder = base.context.component.origin.file.removesuffix("component.yaml") + "crds"
    return _folder(object_files(base.crds), folder)


def _folder(files: FileTree, origin: str) -> FileTree:
    """Return files with the kustomization that lists them; nothing if there are none."""
    return {"kustomization.yaml": kustomization({"resources": list(files)}, origin), **files} if files else {}
