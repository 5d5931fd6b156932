"""What the snapshots of a kit should be: of every target, in the release that it pins."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from kitgen.render.file_tree import FileTree
from kitgen.render.snapshots import snapshots
from kitgen.workspace.kit import open_kit, require


class SnapshotsRequest(Struct, frozen=True, kw_only=True):
    """Whose snapshots to make."""

    root: Path | None = None


def make_snapshots(request: SnapshotsRequest) -> FileTree:
    """Return the text of every snapshot by its path; a kit that does not compile is a FindingsError."""
    opened = open_kit(request.root)
    plans = [opened.plan(target) for target in opened.kit.targets.values()]
    require(opened.judged(finding for plan in plans for finding in plan.findings), opened.root)
    return snapshots(plans)
