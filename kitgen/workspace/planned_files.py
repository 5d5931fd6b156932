"""The files of targets: rendered, or as they are on the disk where an earlier run has rendered just these."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

from kitgen.files.read import LARGEST, read_file
from kitgen.files.reads import hash_bytes
from kitgen.files.results import decode_value, encode_value, remember
from kitgen.files.root import ARGOCD, BASES
from kitgen.files.tree_changes import TreeChanges
from kitgen.render.file_tree import FileTree
from kitgen.render.outputs import merge_targets, render_target
from kitgen.workspace.planned_targets import PlannedTarget


def render_planned(planned: Sequence[PlannedTarget], out: Path) -> FileTree:
    """Return the files of all targets; what a folder holds already needs not be rendered."""
    read = cache(partial(_read_with_hash, out))  # targets share bases
    return merge_targets([(each.target, _render_target(each, read)) for each in planned])


def _render_target(planned: PlannedTarget, read: Callable[[str], HashedText]) -> FileTree:
    made: FileTree = {}

    def render() -> dict[str, str]:
        made.update(render_target(planned.plan))
        return {path: hash_bytes(text.encode()) for path, text in made.items()}

    hashes = remember("files of a target", lambda: [planned.key], render, encode_value, decode_value)
    if made or any(read(path).hash != known for path, known in hashes.items()):
        return made or render_target(planned.plan)
    return {path: read(path).text for path in hashes}


class HashedText(NamedTuple):
    """What a file holds; nothing if there is none."""

    hash: str
    text: str


def _read_with_hash(out: Path, path: str) -> HashedText:
    try:
        content = read_file(f"{out}/{path}", LARGEST)
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
