"""The base: what all targets share of a component, with its CRDs beside it.

Each folder is named after the version that declares it. A version that builds on another one has a folder
with the differences, or none if there are none. CRDs with types of another Kubernetes minor are written
whole: patches of thousands of fields would be unreadable, and slow in kustomize.
"""

from __future__ import annotations

from collections.abc import Sequence
from os.path import relpath

from kitgen.files.root import BASES, CRDS
from kitgen.kube.manifest import Manifest
from kitgen.render.file_tree import FileTree, nest_files
from kitgen.render.overlays.difference import build_difference
from kitgen.render.overlays.files import object_files, render_kustomization
from kitgen.render.unit import Base, has_same_minor


class Bases:
    """The folders of bases and CRDs. Asking for one writes it, and what it builds on; once."""

    def __init__(self) -> None:
        self.tree: FileTree = {}
        self._known: dict[tuple[str, ...], str] = {}

    def objects_folder(self, base: Base) -> str:
        """Return the folder with a component's objects; it is not complete by itself: targets are."""
        return self._add_folder(base, alone=not base.assembled)

    def crds_folder(self, base: Base) -> str:
        """Return the folder with a component's CRDs."""
        component, parent = base.context.component, base.parent
        home = component.origin.file.removesuffix("component.yaml")
        own = all(origin.file.startswith(home) for origin, _ in component.crds)
        far = parent is not None and not has_same_minor(component, parent.context.component)
        return self._add_folder(base, CRDS, alone=own or far)

    def _add_folder(self, base: Base, *part: str, alone: bool) -> str:
        """Return the folder with some objects of a component, alone or made of those that it builds on.

        What is the same as in the folder that it builds on has none of its own.
        """
        component, parent = base.context.component, base.parent
        if (key := (component.name, component.version, *part)) not in self._known:
            folder, origin = "/".join((BASES, *key)), component.origin.file
            have, want = (_select_objects(each, *part) for each in (parent, base))
            if parent is None or not have or alone:
                self.tree |= nest_files(folder, crd_files(base) if part else base_files(base))
            elif (made := build_difference(have, want, (origin,), component.prefix)).files:
                beside = relpath(self.crds_folder(parent) if part else self.objects_folder(parent), folder)
                fields = {"resources": [beside, *made.own], "patches": list(made.patches)}
                text = render_kustomization(fields, origin)
                self.tree |= nest_files(folder, {"kustomization.yaml": text, **made.files})
            else:
                folder = self.crds_folder(parent) if part else self.objects_folder(parent)
            self._known[key] = folder
        return self._known[key]


def _select_objects(base: Base | None, *part: str) -> Sequence[Manifest]:
    return () if base is None else base.crds if part else base.assembled


def base_files(base: Base) -> FileTree:
    """Return all files of a base, below its folder."""
    component = base.context.component
    return _add_kustomization(object_files(base.assembled, component.prefix), component.origin.file)


def crd_files(base: Base) -> FileTree:
    """Return all files of a component's CRDs, below their folder."""
    return _add_kustomization(
        object_files(base.crds), base.context.component.origin.file.removesuffix("component.yaml") + CRDS
    )


def _add_kustomization(files: FileTree, origin: str) -> FileTree:
    """Return files with the kustomization that lists them; nothing if there are none."""
    return (
        {"kustomization.yaml": render_kustomization({"resources": list(files)}, origin), **files}
        if files
        else {}
    )
