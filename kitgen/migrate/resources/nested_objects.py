"""Objects within objects, such as those in a template or a list, and references to them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from kitgen.findings import Step
from kitgen.migrate.resources.kinds import MigrationMoves, MigrationRole, kind_name_of
from kitgen.migrate.walks import ConvertedValue, convert_children
from kitgen.text.yaml import Json, JsonObject

Move: TypeAlias = Callable[[JsonObject], ConvertedValue]
"""Moves an object of an old kind."""
OBJECT_PARTS = ("metadata", "spec")
"""An object has one of them, what refers to one has none."""


def migrate_nested_objects(value: Json, moves: MigrationMoves, move: Move, *, inside: bool) -> ConvertedValue:
    """Return a value with all old objects below it moved; `inside` of one that moves, references too."""

    def visit(_step: Step, item: Json) -> ConvertedValue | None:
        if type(item) is list or "apiVersion" not in item:  # most of them, by far
            return convert_children(item, visit)
        match moves.role_of(item):
            case MigrationRole.OLD | MigrationRole.STRANDED if any(key in item for key in OBJECT_PARTS):
                return move(item)
            case MigrationRole.OLD if inside:
                after = moves.old[kind_name_of(item)].after
                return ConvertedValue({**item, "apiVersion": after.api_version, "kind": after.kind})
        return convert_children(item, visit)

    return convert_children(value, visit) or ConvertedValue(value)
