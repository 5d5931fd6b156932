"""The files of targets: rendered, or as they are on the disk where an earlier run has rendered just these."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from kitgen.files.read import LARGEST, read_file
from kitgen.files.reads import hash_bytes
from kitgen.files.results import decode_value, encode_value, remember
from kitgen.files.root import ARGOCD, BASES
from kitgen.files.tree_changes import TreeChanges
from kitgen.render.file_tree import FileTree
from kitgen.render.outputs import find_folder_below, list_folders_below, merge_trees, render_target
from kitgen.workspace.planned_targets import PlannedTarget


class RenderedFiles(NamedTuple):
    """Some files with their hashes, and the paths of the folders that they build on."""

    files: FileTree
    hashes: Mapping[str, str]
    below: Sequence[str] = ()


def render_planned(planned: Sequence[PlannedTarget], out: Path) -> FileTree:
    """Return the files of all targets; what a folder holds already needs not be rendered."""
    return merge_files(planned, [recall_target_files(each, out) for each in planned], out).files


def recall_target_files(planned: PlannedTarget, out: Path) -> RenderedFiles:
    """Return the files of a target alone."""

    def render() -> tuple[FileTree, list[str]]:
        return render_target(planned.plan), [each.path for each in list_folders_below(planned.plan)]

    return _recall_files("files of a target", planned.key, render, out)


def merge_files(planned: Sequence[PlannedTarget], own: Sequence[RenderedFiles], out: Path) -> RenderedFiles:
    """Return the files of targets, those of the folders that they build on, and those that list others."""
    below = {path: each for each, files in zip(planned, own, strict=True) for path in files.below}
    bases = [_recall_base(each, path, out) for path, each in below.items()]
    targets = [(each.target, files.files) for each, files in zip(planned, own, strict=True)]
    tree = merge_trees(targets, [each.files for each in bases])
    hashes = {path: found for each in (*bases, *own) for path, found in each.hashes.items()}
    lists = {path: _hash_text(text) for path, text in tree.items() if path not in hashes}
    return RenderedFiles(tree, hashes | lists)


def _recall_base(planned: PlannedTarget, path: str, out: Path) -> RenderedFiles:
    """Return the files of a folder that targets build on: what is in it depends on a component alone."""
    opened = planned.opened
    _, name, version, *_ = path.split("/")
    component = opened.kit.components[name][version]

    def render() -> tuple[FileTree, list[str]]:
        return find_folder_below(opened.session, component, path).files, []

    if (out, path) not in opened.base_files:
        key = opened.model_hashes.join_with_components((path,), [component])
        opened.base_files[out, path] = _recall_files("files of a base", key, render, out)
    return opened.base_files[out, path]


def _recall_files(
    stage: str, key: bytes | None, render: Callable[[], tuple[FileTree, Sequence[str]]], out: Path
) -> RenderedFiles:
    """Return files as they are on the disk, if an earlier run rendered just these, or else render them."""
    made: list[FileTree] = []

    def hash_files() -> tuple[dict[str, str], Sequence[str]]:
        files, below = render()
        made.append(files)
        return {path: _hash_text(text) for path, text in files.items()}, below

    hashes, below = remember(stage, lambda: [key], hash_files, encode_value, decode_value)
    if made:
        return RenderedFiles(made[0], hashes, below)
    found = {path: _read_with_hash(out, path) for path in hashes}
    if any(found[path].hash != known for path, known in hashes.items()):
        return RenderedFiles(render()[0], hashes, below)
    return RenderedFiles({path: each.text for path, each in found.items()}, hashes, below)


def _hash_text(text: str) -> str:
    return hash_bytes(text.encode())


class HashedText(NamedTuple):
    """What a file holds; nothing if there is none."""

    hash: str
    text: str


def _read_with_hash(out: Path, path: str) -> HashedText:
    try:
        # Nothing that is told depends on it: what the folder lacks is rendered.
        content = read_file(f"{out}/{path}", LARGEST, noted=True)
        return HashedText(hash_bytes(content), content.decode())
    except (OSError, UnicodeDecodeError):
        return HashedText("", "")


def folders_of(target: str) -> tuple[str, str]:
    """Return the folders of a target: its overlays, and what Argo CD syncs."""
    return target, f"{ARGOCD}/{target}"


def list_touched_targets(changes: TreeChanges, names: Iterable[str]) -> list[str]:
    """Return the targets that build other objects, perhaps, once a folder is changed.

    One that builds on a new base has a file that says so.
    """
    if any(path.startswith(f"{BASES}/") for path in (*changes.change, *changes.delete)):
        return [*names]
    steps = (path.split("/", 2) for path in changes.changed_files)
    folders = {step[1] if step[0] == ARGOCD else step[0] for step in steps}
    return [name for name in names if name in folders]
