"""Sets of access roles as specs write them: by name or in a list, with the resources in them."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.findings import Step
from kitgen.yamlio import Json, JsonObject


def each_set(section: JsonObject) -> Iterator[tuple[Step, JsonObject]]:
    """Yield what `accessRoles` says of each set, by its name or by its place in the list."""
    sets: Json = section.get("sets") or ()
    yield from sets.items() if isinstance(sets, dict) else enumerate(sets)


def resource_key(entry: Json) -> str | None:
    """Return what tells a resource of a set from others: `group/plural`, and `:name` if it says another name.

    None if it is no resource at all, which the schema says.
    """
    match entry:
        case {"resource": str(resource), "name": str(name)}:
            return f"{resource}:{name}"
    return entry if isinstance(entry, str) else None


def resource_entry(key: str) -> Json:
    """Return a resource as specs write it."""
    resource, colon, name = key.partition(":")
    return {"resource": resource, "name": name} if colon else resource
