"""What the fields of a migration say of a place in a schema, so that a change there is meant."""

from __future__ import annotations

from collections.abc import Sequence

from kitgen.model.migration import MovedField
from kitgen.yamlio import Json

ELSEWHERE = "the fields below it are said to move, or to be lost"


def said_of(path: str, fields: Sequence[MovedField], schema: Json) -> str:
    """Return what becomes of a field, by its own word, by one above it, or by all below it.

    The schema is that of the old kind. Nothing is said of a field that stays where it is: what changes in it
    is not what the migration is for.
    """
    going = [each for each in fields if each.field != each.to]
    for each in going:
        if _is_below(path, _written(each.field)) or (each.to and _is_below(path, _written(each.to))):
            return each.lost or f"{'.'.join(each.field)} moves to {'.'.join(each.to)}"
    came = any(each.to and _is_below(_written(each.to), path) for each in going)
    gone = _schema_at(schema, path)
    ways = [_written(each.field) for each in going]
    return ELSEWHERE if (gone is None and came) or _all_said(gone, path, ways) else ""


def _schema_at(schema: Json, path: str) -> Json:
    """Return the schema of a field, if there is one."""
    for step in path.replace("[]", ".[]").split(".")[1:]:
        schema = _part(schema, "items") if step == "[]" else _part(_part(schema, "properties"), step)
    return schema


def _all_said(schema: Json, path: str, ways: Sequence[str]) -> bool:
    """Tell whether something is said of every field at or below a place."""
    if any(_is_below(path, way) for way in ways):
        return True
    if not any(_is_below(way, path) for way in ways):
        return False
    inner, items = _part(schema, "properties"), _part(schema, "items")
    parts = {f".{key}": each for key, each in inner.items()} if isinstance(inner, dict) else {}
    parts |= {"[]": items} if isinstance(items, dict) else {}
    return bool(parts) and all(_all_said(each, path + step, ways) for step, each in parts.items())


def _part(schema: Json, key: str) -> Json:
    return schema.get(key) if isinstance(schema, dict) else None


def _is_below(path: str, way: str) -> bool:
    return path == way or path.startswith((f"{way}.", f"{way}[", f"{way}{{"))


def _written(steps: tuple[str, ...]) -> str:
    return "".join(each if each == "[]" else f".{each}" for each in steps)
