"""Let trees turn on a feature of the older spec that says by now what a new one would say for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from kitgen.findings import Path
from kitgen.importer.owners import COMPONENT, Edit, Group, Solution
from kitgen.yamlio import Json

Layers: TypeAlias = Sequence[tuple[str, Mapping[Path, Json]]]


def join(said: Mapping[str, Layers], made: Solution) -> None:
    """Turn features on instead of saying the same again; `said` has the layers of each tree."""
    known = {owner: places for layers in said.values() for owner, places in layers if owner != COMPONENT}
    for owner, edit in list(made.edits.items()):
        if isinstance(owner, str):
            continue
        for feature, before in known.items():
            places = _now(before, made.edits.get(feature, Edit()))
            mine = [path for path in places if path in edit.new]
            if mine and all(_gets_all(said[who], feature, places, edit) for who in owner):
                _switch(made, owner, edit, feature, mine)
        if not edit.new:
            del made.edits[owner]


def _now(places: Mapping[Path, Json], edit: Edit) -> dict[Path, Json]:
    """Return what a feature says after an edit."""
    left = {path: value for path, value in places.items() if path not in edit.gone}
    return {**left, **edit.new}


def _gets_all(layers: Layers, feature: str, places: Mapping[Path, Json], edit: Edit) -> bool:
    """Tell whether a tree without a feature has all that it says from a new one, and from the component."""
    own = dict(layers).get(COMPONENT, {})
    others = {path for owner, some in layers if owner != COMPONENT for path in some}
    return feature not in dict(layers) and all(
        edit.new[path] == value and path not in others if path in edit.new else own.get(path) == value
        for path, value in places.items()
    )


def _switch(made: Solution, trees: Group, edit: Edit, feature: str, places: Sequence[Path]) -> None:
    for path in places:
        del edit.new[path]
    for who in trees:
        made.switched.setdefault(who, {})[feature] = True
