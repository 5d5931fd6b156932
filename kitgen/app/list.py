"""What `kitgen list` does: say what a kit holds, what each target ships, and what nothing reaches."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from kitgen.kit.model import Kit
from kitgen.render.placement import shipped
from kitgen.report.text import with_lines
from kitgen.workspace.kit import open_kit
from kitgen.workspace.reach import Unused, unused


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


class ListedUnused(Struct, frozen=True, kw_only=True):
    """What nothing in a kit reaches, with lines."""

    kit: str
    found: tuple[Unused, ...]


def list_unused(request: ListRequest) -> ListedUnused:
    """Return what no target or release of a kit reaches."""
    opened = open_kit(request.root)
    found = unused(opened.kit)
    lined = with_lines((each.origin for each in found), opened.texts.get)
    return ListedUnused(
        kit=opened.kit.name, found=tuple(replace(each, origin=lined[each.origin]) for each in found)
    )
