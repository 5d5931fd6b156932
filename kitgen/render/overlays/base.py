"""The base: what all targets share of a component, with its CRDs beside it.

Each folder is named after the version that declares it. A version that builds on another one has a folder
with the differences, or none if there are none. CRDs with types of another Kubernetes minor are written
whole: patches of thousands of fields would be unreadable, and slow in kustomize.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from os.path import relpath

from msgspec import Struct

from kitgen.files.root import BASES, CRDS
from kitgen.kube.manifest import Manifest
from kitgen.render.file_tree import FileTree, nest_files
from kitgen.render.overlays.difference import build_difference
from kitgen.render.overlays.files import object_files, render_kustomization
from kitgen.render.unit import Base, has_same_minor


class BaseFolder(Struct, frozen=True, kw_only=True, dict=True):
    """A folder that overlays build on."""

    path: str
    """Below overlays/."""
    below: BaseFolder | None = None
    """The one that it builds on."""
    render: Callable[[], FileTree]
    """Makes its own files, by their paths in it."""

    @cached_property
    def files(self) -> FileTree:
        """Return its own files, by their paths below overlays/; they are made once, if at all."""
        return nest_files(self.path, self.render())

    def list_chain(self) -> list[BaseFolder]:
        """Return it and those that it builds on."""
        return [self, *(self.below.list_chain() if self.below else ())]


class BaseFolders(Struct, frozen=True, dict=True):
    """The folders of a component by itself."""

    base: Base

    @cached_property
    def objects(self) -> BaseFolder:
        """Return the folder with a component's objects; it is not complete by itself: targets are."""
        return self._render_folder(alone=not self.base.assembled)

    @cached_property
    def crds(self) -> BaseFolder:
        """Return the folder with a component's CRDs."""
        component, parent = self.base.context.component, self.base.parent
        home = component.origin.file.removesuffix("component.yaml")
        own = all(origin.file.startswith(home) for origin, _ in component.crds)
        far = parent is not None and not has_same_minor(component, parent.context.component)
        return self._render_folder(CRDS, alone=own or far)

    def _render_folder(self, *part: str, alone: bool) -> BaseFolder:
        """Return the folder with some objects of a component, alone or made of those that it builds on.

        What is the same as in the folder that it builds on has none of its own.
        """
        base, parent, component = self.base, self.base.parent, self.base.context.component
        folder, origin = "/".join((BASES, component.name, component.version, *part)), component.origin.file
        have, want = (_select_objects(each, *part) for each in (parent, base))
        if parent is None or not have or alone:
            return BaseFolder(path=folder, render=partial(crd_files if part else base_files, base))
        below = parent.folders.crds if part else parent.folders.objects
        made = build_difference(have, want, (origin,), component.prefix)
        if not made.files:
            return below
        fields = {"resources": [relpath(below.path, folder), *made.own], "patches": list(made.patches)}
        files = {"kustomization.yaml": render_kustomization(fields, origin), **made.files}
        return BaseFolder(path=folder, below=below, render=lambda: files)


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
