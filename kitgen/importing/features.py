"""Features of an import: features of the older spec are switched on or off, new ones are completed.

The objects of a tree decide whether a feature is on for its target. Once all places are decided, new features
must not depend on what the component lacks, trees reuse a feature of the older spec where it equals a new
one, and features drop what the component removes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from kitgen.findings import Path
from kitgen.importing.list_decisions import identify_item
from kitgen.importing.older_spec import SpecLayer, merge_layers
from kitgen.importing.places import (
    COMPONENT,
    Merging,
    OwnerEdit,
    Solution,
    format_verbs,
    merging_for,
    parse_verbs,
)
from kitgen.kit.model import Component
from kitgen.kit.model.component import SectionForm, list_access_sets, list_section_forms, required_keys
from kitgen.kube.schema_interning import freeze_value
from kitgen.text.yaml import Json


def add_required_keys(wanted: Mapping[str, Mapping[Path, Json]], made: Solution) -> None:
    """Add to every new feature the required keys of the entries that it extends.

    Another feature says the same. `wanted` has the places of each tree. Lists stay empty, as those of layers
    add up.
    """
    edit = made.edits.get(COMPONENT, OwnerEdit())
    base = [*(path for path in made.own if path not in edit.gone), *edit.new]
    for owner, mine in made.edits.items():
        if isinstance(owner, str):
            continue
        things = dict.fromkeys(
            path[: 2 if list_section_forms().get(str(path[0])) is SectionForm.NAMED else 1]
            for path in mine.new
        )
        for place in [(*thing, key) for thing in things for key in required_keys().get(str(thing[0]), ())]:
            if not any(path[: len(place)] == place for path in (*base, *mine.new)):
                for path, value in wanted[min(owner)].items():
                    if path[: len(place)] == place:
                        mine.new[path] = [] if isinstance(value, list) else value


Layers: TypeAlias = Sequence[tuple[str, Mapping[Path, Json]]]


def reuse_older_features(said: Mapping[str, Layers], made: Solution) -> None:
    """Turn features on instead of saying the same again; `said` has the layers of each tree."""
    known = {owner: places for layers in said.values() for owner, places in layers if owner != COMPONENT}
    for owner, edit in list(made.edits.items()):
        if isinstance(owner, str):
            continue
        for feature, before in known.items():
            change = made.edits.get(feature, OwnerEdit())
            places = {path: value for path, value in before.items() if path not in change.gone} | change.new
            mine = [path for path in places if path in edit.new]
            if mine and all(_can_enable_feature(said[who], feature, places, edit) for who in owner):
                for path in mine:
                    del edit.new[path]
                for who in owner:
                    made.switched.setdefault(who, {})[feature] = True
        if not edit.new:
            del made.edits[owner]


def _can_enable_feature(layers: Layers, feature: str, places: Mapping[Path, Json], edit: OwnerEdit) -> bool:
    """Return whether a tree without a feature has all that it says from a new one, and from the component."""
    own = dict(layers).get(COMPONENT, {})
    others = {path for owner, some in layers if owner != COMPONENT for path in some}
    return feature not in dict(layers) and all(
        edit.new[path] == value and path not in others if path in edit.new else own.get(path) == value
        for path, value in places.items()
    )


AUDIENCES = "/accessRoles/aggregates"


def find_dangling_roles(remove: Sequence[str], older: Component | None) -> list[str]:
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


def find_needed_audiences(remove: Sequence[str], older: Component | None) -> set[str]:
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
        for _, content in list_access_sets(layer.data)
        for name in (*content["editors"], *content["viewers"])
    }
    return {f"{AUDIENCES}/{name}" for name in gone & used}


def switch_features(
    wanted: Mapping[Path, Json],
    layers: Sequence[SpecLayer],
    others: Iterable[SpecLayer],
    stale: Iterable[str],
) -> tuple[list[SpecLayer], dict[str, bool]]:
    """Return the layers that a tree goes by, and the features whose switch is another one now.

    A feature that was off is on if the tree has all that it says, and nothing else says that. One that was
    on is off if the tree has nothing of it, and none of its patches fits; `stale` are those that do not.
    """
    gone = set(stale)
    base = next((layer.places for layer in layers if layer.owner == COMPONENT), {})
    said = {
        path
        for layer in layers
        for path, value in layer.places.items()
        if merging_for(path, value) is not Merging.EXTEND and _has_value(wanted, path, value, {})
    }
    switches: dict[str, bool] = {}
    kept = []
    for layer in layers:
        fits = any(patch["name"] not in gone for patch in layer.words.get("patches", ()))
        own = _select_feature_values(layer, base)
        on = layer.owner == COMPONENT or not own or fits
        if on or any(_has_partial_value(wanted, path, value, base) for path, value in own.items()):
            kept.append(layer)
        else:
            switches[layer.owner] = False
    for layer in others:
        own, now = _select_feature_values(layer, base), merge_layers(kept)
        has_all = all(_has_value(wanted, path, value, now) for path, value in layer.places.items())
        if own and has_all and not own.keys() & said:
            kept.append(layer)
            switches[layer.owner] = True
    return kept, switches


def _select_feature_values(layer: SpecLayer, base: Mapping[Path, Json]) -> dict[Path, Json]:
    """Return what a feature says that the component does not: the kind of a webhook may be said by both."""
    found: dict[Path, Json] = {}
    for path, value in layer.places.items():
        if merging_for(path, value) is Merging.UNION:
            if verbs := parse_verbs(value) - parse_verbs(base.get(path, "")):
                found[path] = format_verbs(verbs)
        elif path not in base or base[path] != value or merging_for(path, value) is Merging.EXTEND:
            found[path] = value
    return found


def _has_value(wanted: Mapping[Path, Json], path: Path, value: Json, others: Mapping[Path, Json]) -> bool:
    """Return whether a tree has all that a layer says of a place, besides what others add there."""
    if path not in wanted:
        return False
    match merging_for(path, value):
        case Merging.UNION:
            return parse_verbs(value) <= parse_verbs(wanted[path])
        case Merging.EXTEND:
            return Counter(map(freeze_value, value)) <= Counter(
                map(freeze_value, _select_remaining_items(wanted, path, others))
            )
        case _:
            return bool(wanted[path] == value)


def _has_partial_value(
    wanted: Mapping[Path, Json], path: Path, value: Json, others: Mapping[Path, Json]
) -> bool:
    """Return whether a tree has something of what a layer says of a place, be it with another value."""
    if path not in wanted:
        return False
    match merging_for(path, value):
        case Merging.UNION:
            return bool(parse_verbs(value) & parse_verbs(wanted[path]))
        case Merging.EXTEND:
            return not {*map(identify_item, value)}.isdisjoint(
                map(identify_item, _select_remaining_items(wanted, path, others))
            )
        case _:
            return True


def _select_remaining_items(
    wanted: Mapping[Path, Json], path: Path, others: Mapping[Path, Json]
) -> list[Json]:
    """Return the items of a list that others do not add to it."""
    known = Counter(map(freeze_value, others.get(path, ())))
    left = []
    for item in wanted[path]:
        known[freeze_value(item)] -= 1
        if known[freeze_value(item)] < 0:
            left.append(item)
    return left
