"""Complete features once all places are decided.

What new features say of things that the component does not have must stand by itself. Trees turn on a
feature of the older spec that says by now what a new one would say for them. What features of an older spec
say of things that the component removes goes too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from kitgen.findings import Path
from kitgen.importing.places import COMPONENT, OwnerEdit, Solution
from kitgen.kit.model import Component
from kitgen.kit.model.component import each_set
from kitgen.text.yaml import Json

NAMED = {"services": ("ports",), "roles": ("permissions",), "bindings": ("role",)}
REQUIRED = {**NAMED, "webhooks": ("kinds",), "params": ("configMap", "keys")}
"""Section → the keys that a thing of it must have, unless the component says them of the same thing."""


def complete(wanted: Mapping[str, Mapping[Path, Json]], made: Solution) -> None:
    """Let every new feature say the required keys of the things that it says more of.

    Another feature says the same. `wanted` has the places of each tree. Lists stay empty, as those of layers
    add up.
    """
    edit = made.edits.get(COMPONENT, OwnerEdit())
    base = [*(path for path in made.own if path not in edit.gone), *edit.new]
    for owner, mine in made.edits.items():
        if isinstance(owner, str):
            continue
        things = dict.fromkeys(path[: 2 if path[0] in NAMED else 1] for path in mine.new)
        for place in [(*thing, key) for thing in things for key in REQUIRED.get(str(thing[0]), ())]:
            if not any(path[: len(place)] == place for path in (*base, *mine.new)):
                for path, value in wanted[min(owner)].items():
                    if path[: len(place)] == place:
                        mine.new[path] = [] if isinstance(value, list) else value


Layers: TypeAlias = Sequence[tuple[str, Mapping[Path, Json]]]


def join(said: Mapping[str, Layers], made: Solution) -> None:
    """Turn features on instead of saying the same again; `said` has the layers of each tree."""
    known = {owner: places for layers in said.values() for owner, places in layers if owner != COMPONENT}
    for owner, edit in list(made.edits.items()):
        if isinstance(owner, str):
            continue
        for feature, before in known.items():
            change = made.edits.get(feature, OwnerEdit())
            places = {path: value for path, value in before.items() if path not in change.gone} | change.new
            mine = [path for path in places if path in edit.new]
            if mine and all(_gets_all(said[who], feature, places, edit) for who in owner):
                for path in mine:
                    del edit.new[path]
                for who in owner:
                    made.switched.setdefault(who, {})[feature] = True
        if not edit.new:
            del made.edits[owner]


def _gets_all(layers: Layers, feature: str, places: Mapping[Path, Json], edit: OwnerEdit) -> bool:
    """Tell whether a tree without a feature has all that it says from a new one, and from the component."""
    own = dict(layers).get(COMPONENT, {})
    others = {path for owner, some in layers if owner != COMPONENT for path in some}
    return feature not in dict(layers) and all(
        edit.new[path] == value and path not in others if path in edit.new else own.get(path) == value
        for path, value in places.items()
    )


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
