"""The request and the result of a render."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Generic, TypeAlias, TypeVar

from msgspec import Struct

from kitgen.files.reads import ReadLog
from kitgen.files.tree_changes import TreeChanges
from kitgen.findings import Finding

D = TypeVar("D")
WAITING = "waiting for another kitgen to finish"
Progress: TypeAlias = Callable[[str], None]
"""Is told what is being worked on."""


class RenderRequest(Struct, frozen=True, kw_only=True):
    """What to render, and whether to write it."""

    root: Path | None = None
    targets: tuple[str, ...] = ()
    """All of them when empty."""
    dry_run: bool = False
    release: str | None = None
    out: Path | None = None
    """Another folder than the kit's overlays/."""

    @property
    def is_whole(self) -> bool:
        """Return whether all of overlays/ is rendered."""
        return not (self.targets or self.release or self.out)


class RenderResult(Struct, Generic[D], frozen=True, kw_only=True):
    """What a render did, or would do."""

    root: Path
    out: Path
    targets: tuple[str, ...]
    objects: int
    files: int
    changes: TreeChanges
    findings: tuple[Finding, ...]
    of_folder: tuple[Finding, ...]
    """What holds of the folder as it was found, and not of the specs."""
    diff: D | None = None
    """What changes on a cluster, if the folder held something and it is known what."""
    unknown: bool = False
    """Whether the folder held something, and nobody knows what it was rendered from."""
    log: ReadLog | None = None
    """What it was made from, and what is on the disk then, if all of that can be compared later."""
