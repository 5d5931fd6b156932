"""Keep snapshots as plain files below snapshots/, under the names that kitgen gives them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

FOLDER = Path(__file__).parents[2] / "snapshots"


class SnapshotFiles(SingleFileSnapshotExtension):
    """One file a snapshot; its name is the path below the folder."""

    _write_mode = WriteMode.TEXT
    file_extension = ""

    @classmethod
    def get_snapshot_name(cls, *, test_location: Any, index: Any = 0) -> str:
        return str(index)

    @classmethod
    def get_location(cls, *, test_location: Any, index: Any) -> str:
        return str(FOLDER / str(index))

    def discover_snapshots(self, *args: Any, **options: Any) -> Any:
        """Find none: workers each see a part of the tests only, so what is unused has a test of its own."""
        from syrupy.data import SnapshotCollections

        return SnapshotCollections()
