"""The CRDs of targets on the disk, and as they will be once a tree is written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from kitgen.check.rendered_trees import Crds, Read, find_target_crds
from kitgen.files.folders import peek_file
from kitgen.files.paths import is_in_scope

MAX_READ = 8 * 1024 * 1024
"""How much is read of a tree: how its files begin, and kustomizations."""


def make_disk_reader(out: Path) -> Read:
    """Return what reads a tree that may be anybody's, and stops where no rendered one is as large."""
    size = 0

    @cache
    def text(path: str, limit: int) -> str | None:
        nonlocal size
        try:
            found = peek_file(out, path, limit) if size < MAX_READ else None
        except OSError:
            return None
        size += len(found or b"")
        return None if found is None else found.decode(errors="replace")

    return text


def make_overlay_reader(out: Path, tree: Mapping[str, str], scope: tuple[str, ...]) -> Read:
    """Return what reads a folder as it is once the tree is in it; outside of the scope nothing changes."""
    other = make_disk_reader(out)

    def text(path: str, limit: int) -> str | None:
        if not is_in_scope(path, scope):
            return other(path, limit)
        found = tree.get(path)
        return None if found is None else found[:limit]

    return text


def read_disk_crds(out: Path, names: Iterable[str]) -> dict[str, Crds]:
    """Return the CRDs of targets as they lie on the disk."""
    text = make_disk_reader(out)
    return {name: find_target_crds(name, text) for name in names}
