"""The base: what all targets have in common of a component, and its CRDs beside it."""

from __future__ import annotations

from kitgen.compile import Base
from kitgen.emit.kustomize.files import kustomization, object_files
from kitgen.emit.tree import FileTree


def base_files(base: Base) -> FileTree:
    """Return the base's files, below its folder. It is not complete by itself: targets are."""
    return _folder(object_files(base.assembled, base.component.prefix), base.component.origin.file)


def crd_files(base: Base) -> FileTree:
    """Return the CRDs' files, below their folder."""
    return _folder(
        object_files(base.crds), base.component.origin.file.removesuffix("component.yaml") + "crds"
    )


def _folder(files: FileTree, origin: str) -> FileTree:
    """Return files with the kustomization that lists them; nothing if there are none."""
    return {"kustomization.yaml": kustomization({"resources": list(files)}, origin), **files} if files else {}
