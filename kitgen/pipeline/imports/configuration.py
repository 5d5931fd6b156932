"""The configuration of an import: what config.yaml has to declare besides what it does."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.model import Component
from kitgen.yamlio import JsonObject

HEADER = "#header"


def config_change(fields: JsonObject, older: Component) -> JsonObject:
    """Return what makes the older config.yaml declare some more fields."""
    assert older.config_type is not None
    added: JsonObject = {}
    changed: JsonObject = {}
    known: JsonObject = older.config_type[1]["fields"]
    todo: list[tuple[tuple[str, ...], JsonObject, JsonObject]] = [((), fields.get("fields", {}), known)]
    while todo:
        way, more, have = todo.pop()
        for name, each in more.items():
            path = (*way, name)
            if name not in have:
                added[".".join(path)] = each
            elif isinstance(each, dict) and "properties" in each:
                todo.append((path, each["properties"], have[name].get("properties", {})))
            elif have[name] != each:
                changed[".".join(path)] = each
    if "header" in fields:
        changed[HEADER] = fields["header"]
    return {**({"$set": changed} if changed else {}), **({"$add": added} if added else {})}


def new_fields(fields: JsonObject, older: Component | None) -> Iterator[str]:
    """Yield what is new to an older config.yaml, field by field."""
    if older is None or older.config_type is None:
        return
    change = config_change(fields, older)
    yield from change.get("$add", ())
    yield from (f"{name}, of another type" for name in change.get("$set", ()) if name != HEADER)
