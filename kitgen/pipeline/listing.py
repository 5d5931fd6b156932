"""What `kitgen list` does: say what a kit holds, and which releases each target ships."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from kitgen.compile import shipped
from kitgen.model import Kit
from kitgen.pipeline.opened import open_kit


class ListRequest(Struct, frozen=True, kw_only=True):
    """Which kit to list."""

    root: Path | None = None


class Listed(Struct, frozen=True, kw_only=True):
    """A kit, and the releases that each of its targets ships, the pinned one first."""

    kit: Kit
    ships: Mapping[str, tuple[str, ...]]


def list_kit(request: ListRequest) -> Listed:
    """Return what a kit holds."""
    kit = open_kit(request.root).kit
    ships = {name: tuple(each.name for each in shipped(kit, target)) for name, target in kit.targets.items()}
    return Listed(kit=kit, ships=ships)
