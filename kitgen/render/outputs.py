"""The table of outputs: each is a function from plans to a file tree. A new one is a module and a row.

Reading it imports none of them. A feature with files of its own may add the data they need to a plan.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pkgutil import resolve_name
from typing import TYPE_CHECKING

from msgspec import Struct

from kitgen.kube.manifest import Manifest
from kitgen.render.plan import Extra, TargetPlan

if TYPE_CHECKING:
    from kitgen.kit.model import Component, Target
    from kitgen.render.file_tree import FileTree
    from kitgen.render.images import ImageUse
    from kitgen.render.overlays.base import BaseFolder
    from kitgen.render.placement import Placement
    from kitgen.render.session import Session


class Output(Struct, frozen=True, kw_only=True):
    """A row: functions by their names."""

    files: str = ""
    """Makes the files of one plan."""
    below: str = ""
    """Lists the folders that those of several plans build on."""
    folder: str = ""
    """Returns such a folder of a component by its path."""
    shared: str = ""
    """Makes those that all plans have together."""
    index: str = ""
    """Makes those that list others, from targets and what is rendered of each."""
    key: str = ""
    """What a target says to have the rest."""
    adds: str = ""
    """Returns what a feature adds to a plan that has all else, in a session and by its placement."""
    images: str = ""
    """Returns uses of images in what a feature adds; those of the target's objects are known."""
    objects: str = ""
    """Yields the objects that its files build, where they are not just those of the target."""
    rendered: bool = False
    """Whether `kitgen render` writes its files into overlays/."""


OUTPUTS = {
    "kustomize": Output(
        files="kitgen.render.overlays.tree:render_overlay",
        below="kitgen.render.overlays.tree:list_base_folders",
        folder="kitgen.render.overlays.tree:find_base_folder",
        rendered=True,
    ),
    "olm": Output(
        files="kitgen.olm.bundle_files:render_olm_files",
        key="bundle",
        adds="kitgen.olm.target:build_bundle_extra",
        images="kitgen.olm.target:list_bundle_images",
        rendered=True,
    ),
    "argocd": Output(
        files="kitgen.argocd.files:render_argocd_files",
        index="kitgen.argocd.files:render_fleet_index",
        key="argocd",
        adds="kitgen.argocd.target:build_synced_extra",
        objects="kitgen.argocd.target:list_synced_objects",
        rendered=True,
    ),
    "odh": Output(files="kitgen.render.odh_export:render_export"),
    "snapshot": Output(shared="kitgen.render.snapshots:render_snapshots"),
}
"""What `kitgen render` writes, what the ODH operator mounts, what reviewers read."""
RENDERED = tuple(row for row in OUTPUTS.values() if row.rendered)


def render_output(name: str, plans: Sequence[TargetPlan]) -> FileTree:
    """Return the files of an output."""
    return _render_rows([OUTPUTS[name]], plans)


def render_outputs(plans: Sequence[TargetPlan]) -> FileTree:
    """Return all that `kitgen render` writes."""
    return _render_rows(RENDERED, plans)


def _render_rows(rows: Sequence[Output], plans: Sequence[TargetPlan]) -> FileTree:
    folders = {each.path: each for plan in plans for each in list_folders_below(plan, rows)}
    parts = [(plan.target, render_target(plan, rows)) for plan in plans]
    files = merge_trees(parts, [each.files for each in folders.values()], rows)
    trees = [resolve_name(row.shared)(plans) for row in rows if row.shared]
    return files | {path: text for tree in trees for path, text in tree.items()}


def list_output_objects(name: str, plan: TargetPlan) -> Iterable[Manifest]:
    """Return the objects that the files of an output build for a plan."""
    objects: Iterable[Manifest] = resolve_name(OUTPUTS[name].objects)(plan)
    return objects


def list_folders_below(plan: TargetPlan, rows: Sequence[Output] = RENDERED) -> list[BaseFolder]:
    """Return the folders that what `kitgen render` writes of a target builds on."""
    return [each for row in rows if row.below for each in resolve_name(row.below)(plan)]


def find_folder_below(session: Session, component: Component, path: str) -> BaseFolder:
    """Return a folder that what `kitgen render` writes builds on, by its path."""
    folder: BaseFolder = resolve_name(OUTPUTS["kustomize"].folder)(session, component, path)
    return folder


def render_target(plan: TargetPlan, rows: Sequence[Output] = RENDERED) -> FileTree:
    """Return what `kitgen render` writes of a target alone."""
    return {path: text for row in rows if row.files for path, text in resolve_name(row.files)(plan).items()}


def merge_trees(
    targets: Sequence[tuple[Target, FileTree]], below: Iterable[FileTree], rows: Sequence[Output] = RENDERED
) -> FileTree:
    """Return all that it writes, from what it writes of each target and of what they build on."""
    indexes = [resolve_name(row.index)(targets) for row in rows if row.index]
    trees = (*below, *(tree for _, tree in targets), *indexes)
    return {path: text for tree in trees for path, text in tree.items()}


def build_extras(session: Session, placement: Placement, plan: TargetPlan) -> dict[str, Extra]:
    """Return what features add to a plan, by their outputs; those that a target does not need are skipped."""
    adding = {name: row for name, row in OUTPUTS.items() if row.adds}
    found = (
        (name, resolve_name(row.adds)(session, placement, plan))
        for name, row in adding.items()
        if getattr(placement.target, row.key) is not None
    )
    return {name: made for name, made in found if made is not None}


def list_extra_image_uses(plan: TargetPlan, known: frozenset[str]) -> list[ImageUse]:
    """Return the uses of images in what features add to a plan."""
    finders = (OUTPUTS[name].images for name in plan.extras)
    return [use for find in finders if find for use in resolve_name(find)(plan, known)]
