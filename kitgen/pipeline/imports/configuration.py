"""The configuration of an import: what config.yaml did not know."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.yamlio import JsonObject


def new_fields(learnt: JsonObject, known: JsonObject | None) -> Iterator[str]:
    """Yield the fields that a tree has and an older config.yaml lacks, or has with another type."""
    if known is None:
        return
    todo: list[tuple[str, JsonObject, JsonObject]] = [("", learnt.get("fields", {}), known["fields"])]
    while todo:
        way, more, have = todo.pop()
        for name, each in more.items():
            if name not in have:
                yield f"{way}{name}"
            elif "properties" in each and "properties" in have[name]:
                todo.append((f"{way}{name}.", each["properties"], have[name]["properties"]))
            elif each.get("type") != have[name].get("type"):
                yield f"{way}{name}, of another type"
