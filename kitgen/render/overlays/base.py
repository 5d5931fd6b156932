"""The base: what all targets have in common of a component, and its CRDs beside it.

Each has a folder that is called after the version which declares it. A version that builds on another one has
there what is different, and no folder if nothing is. CRDs with types of another minor of Kubernetes are
written whole: thousands of places differ then, which nobody reads, and kustomize is slow to change them.
"""

from __future__ import annotations

from collections.abc import Sequence
from kitgen.files.root import BASES, CRDS
from kitgen.kit.model import Component
from kitgen.kube.manifest import Manifest
from kitgen.render.file_tree import FileTree, below
from kitgen.render.overlays.difference import OverlayDifference, difference
from kitgen.render.overlays.files import kustomization, object_files
from kitgen.render.unit import Base
from os.path import relpath


class Bases:
    """The folders of bases and CRDs. Asking for one writes it, and what it builds on; once."""

    def __init__(self) -> None:
        self.tree: FileTree = {}
        self._known: dict[tuple[str, ...], str] = {}

    def objects(self, base: Base) -> str:
        """Return the folder with a component's objects; it is not complete by itself: targets are."""
        component, parent = base.context.component, base.parent
        if (key := (component.name, component.version)) not in self._known:
            folder = "/".join((BASES, *key))
            if parent is None or not parent.assembled or not base.assembled:
                self.tree |= below(folder, base_files(base))
            else:
                made = _over(parent.assembled, base.assembled, base)
                folder = self._written(made, folder, self.objects(parent), component)
            self._known[key] = folder
        return self._known[key]

    def crds(self, base: Base) -> str:
        """Return the folder with a component's CRDs."""
        component, parent = base.context.component, base.parent
        if (key := (component.name, component.version, CRDS)) not in self._known:
            folder = "/".join((BASES, *key))
            home = component.origin.file.removesuffix("component.yaml")
            alone = all(origin.file.startswith(home) for origin, _ in component.crds)
            if parent is None or not parent.crds or alone or not base.near:
                self.tree |= below(folder, crd_files(base))
            else:
                made = _over(parent.crds, base.crds, base)
                folder = self._written(made, folder, self.crds(parent), component)
            self._known[key] = folder
        return self._known[key]

    def _written(self, made: OverlayDifference, folder: str, below_it: str, component: Component) -> str:
        """Write a folder that makes objects of those in another one; return that if they are the same."""
        if not made:
            return below_it
        fields = {"resources": [relpath(below_it, folder), *made.own], "patches": list(made.patches)}
        text = kustomization(fields, component.origin.file)
        self.tree |= below(folder, {"kustomization.yaml": text, **made.files})
        return folder


def _over(have: Sequence[Manifest], want: Sequence[Manifest], base: Base) -> OverlayDifference:
    component = base.context.component
    return difference(have, want, (component.origin.file,), component.prefix)


def base_files(base: Base) -> FileTree:
    """Return all files of a base, below its folder."""
    component = base.context.component
    return _folder(object_files(base.assembled, component.prefix), component.origin.file)


def crd_files(base: Base) -> FileTree:
    """Return all files of a component's CRDs, below their folder."""
    return _folder(
        object_files(base.crds), base.context.component.origin.file.removesuffix("component.yaml") + CRDS
    )


def _folder(files: FileTree, origin: str) -> FileTree:
    """Return files with the kustomization that lists them; nothing if there are none."""
    return {"kustomization.yaml": kustomization({"resources": list(files)}, origin), **files} if files else {}
