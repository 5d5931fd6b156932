"""What features of an older spec say of things that the component removes."""

from __future__ import annotations

from collections.abc import Sequence

from kitgen.model import Component
from kitgen.model.access import each_set

AUDIENCES = "/accessRoles/aggregates"


def dangling(remove: Sequence[str], older: Component | None) -> list[str]:
    """Return what features say of roles that the component has no more, and that is no role by itself."""
    gone = {path.removeprefix("/roles/") for path in remove if path.startswith("/roles/")}
    return [
        f"/features/{name}/roles/{item.name}"
        for name, feature in (older.features if older else {}).items()
        for item in feature.part["roles"]
        if (item.name in gone or "/roles" in remove)
        and f"/features/{name}" not in remove
        and not any("permissions" in layer.data for layer in item.layers)
    ]


def needed(remove: Sequence[str], older: Component | None) -> set[str]:
    """Return the audiences that features name, and that make no role, so that they may stay."""
    if older is None:
        return set()
    layers = older.part.layers("accessRoles")
    own = {name: each for layer in layers for name, each in layer.data.get("aggregates", {}).items()}
    gone = {name for name, each in own.items() if f"{AUDIENCES}/{name}" in remove and "role" not in each}
    used = {
        name
        for feature in older.features.values()
        for layer in feature.part.layers("accessRoles")
        if f"/features/{feature.name}" not in remove
        for _, content in each_set(layer.data)
        for name in (*content["editors"], *content["viewers"])
    }
    return {f"{AUDIENCES}/{name}" for name in gone & used}
