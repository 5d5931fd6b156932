"""Assemble a spec: the component's own sections, its features, and the settings of each target."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from kitgen.importing.features import find_dangling_roles, find_needed_audiences
from kitgen.importing.images import select_component_images, was_container_image
from kitgen.importing.inversion import list_container_images
from kitgen.importing.labels import (
    collect_label_pairs,
    is_relabelled,
    select_component_rules,
    select_fitting_rules,
    select_target_rules,
    to_rule_data,
)
from kitgen.importing.older_spec import SpecLayer
from kitgen.importing.places import COMPONENT, Group, Owner, OwnerEdit, Solution, reserve_name
from kitgen.importing.solver import build_withhold_entries
from kitgen.importing.survey import TreeSurvey
from kitgen.importing.trees import InvertedTree
from kitgen.importing.wording import build_sections
from kitgen.kit.model import Component, LabelScope
from kitgen.text.schema_check import read_schema
from kitgen.text.yaml import Json, JsonObject


class Spec(Struct, frozen=True, kw_only=True):
    """The new spec, and what targets need for it."""

    data: JsonObject
    """component.yaml, but for its first lines."""
    remove: tuple[str, ...] = ()
    settings: Mapping[str, JsonObject] = field(default_factory=dict)
    """Target → what it sets for this version."""
    dropped: tuple[str, ...] = ()
    """Features of the older spec that are there no more."""
    relabelled: frozenset[str] = frozenset()
    """Targets whose label rules for older versions are not for this one."""


def build_spec(reads: Sequence[InvertedTree], solution: Solution, older: Component | None) -> Spec:
    """Return the spec that was decided."""
    switched = solution.switched
    reads = [replace(each, switches={**each.switches, **switched.get(each.given.who, {})}) for each in reads]
    names = _name_features(solution.edits, older)
    data, remove = _build_common_settings(reads, older)
    own, gone = _build_owner_sections(COMPONENT, solution.edits.get(COMPONENT, OwnerEdit()), reads)
    data |= own
    stale = {name for read in reads for name in read.stale}
    patches = (
        f"{f'/features/{layer.owner}' if layer.owner else ''}/patches/{patch['name']}"
        for read in reads
        for layer in read.layers
        for patch in layer.words.get("patches", ())
        if patch["name"] in stale
    )
    remove += [*gone, *dict.fromkeys(patches)]
    features: JsonObject = {}
    dropped = []
    for owner, edit in solution.edits.items():
        if owner == COMPONENT:
            continue
        said, less = _build_owner_sections(owner, edit, reads)
        if less == [""]:
            dropped.append(str(owner))
            remove.append(f"/features/{owner}")
            continue
        fresh: JsonObject = {}
        if isinstance(owner, frozenset):
            fresh = {"about": "", **({"default": True} if solution.is_default_feature(owner) else {})}
        features[names[owner]] = {**fresh, **sort_sections(said)}
        remove += [f"/features/{names[owner]}{path}" for path in less]
    kept = find_needed_audiences(remove, older)
    remove = [each for each in remove if each not in kept]
    remove += [each for each in find_dangling_roles(remove, older) if each not in remove]
    flips = dict(reads[0].switches) if not reads[0].given.who else {}
    for name, value in flips.items():
        if f"/features/{name}" not in remove:
            features[name] = {"default": value, **features.get(name, {})}
    if features := {name: body for name, body in features.items() if body}:
        data["features"] = features
    settings = {
        read.given.who: found
        for read in reads
        if read.given.who and (found := _build_target_settings(read, reads, names, solution, older, flips))
    }
    relabelled = frozenset(read.given.who for read in reads if is_relabelled(read))
    return Spec(
        data=sort_sections(data),
        remove=tuple(remove),
        settings=settings,
        dropped=tuple(dropped),
        relabelled=relabelled,
    )


def _build_owner_sections(
    owner: Owner, edit: OwnerEdit, reads: Sequence[InvertedTree]
) -> tuple[JsonObject, list[str]]:
    """Return what an owner says, and removes."""
    layers = (each for read in reads for each in read.layers if each.owner == owner)
    layer = next(layers, SpecLayer(owner="", words={}))
    stale = {name for read in reads for name in read.stale}
    keep = owner == COMPONENT or any(each["name"] not in stale for each in layer.words.get("patches", ()))
    return build_sections(edit, layer, keep=keep) if edit.new or edit.gone else ({}, [])


def _name_features(edits: Mapping[Owner, OwnerEdit], older: Component | None) -> dict[Owner, str]:
    """Return what features are called: new ones after the targets that they are for."""
    taken = set(older.features if older else ())
    return {
        owner: owner
        if isinstance(owner, str)
        else reserve_name("-".join(sorted(filter(None, owner))) or "upstream", taken)
        for owner in edits
    }


def sort_sections(data: JsonObject) -> JsonObject:
    """Return sections in the order in which specs have them."""
    shared = read_schema("component")["$defs"]["feature"]["properties"]
    order = (
        "images",
        "runtimeImages",
        *(key for key in shared if key not in ("about", "default")),
        "features",
    )
    first = {key: value for key, value in data.items() if key not in order}
    return {**first, **{key: data[key] for key in order if key in data}}


def _build_common_settings(
    reads: Sequence[InvertedTree], older: Component | None
) -> tuple[JsonObject, list[str]]:
    """Return what the component says of all its objects, where that is not what an older spec says."""
    first = reads[0].found
    data: JsonObject = {}
    remove: list[str] = []
    if older is None:
        if first.prefix:
            data["prefix"] = first.prefix
        data["namespace"] = first.namespace if reads[0].given.who else _build_namespace(first)
        if rules := select_component_rules(reads):
            data["labels"] = [to_rule_data(each) for each in rules]
    elif first.prefix != older.prefix:
        data["prefix"] = first.prefix
    if older is not None and not reads[0].given.who:
        home = (first.namespace, _find_namespace_labels(first))
        if first.namespace and home != (older.namespace, older.creates):  # of CRDs alone, none can be told
            data["namespace"] = _build_namespace(first)
            less = [key for key in older.creates or () if key not in (home[1] or {})]
            remove += [f"/namespace/labels/{key}" for key in less] if home[1] is not None else []
        if collect_label_pairs(first.labels) != collect_label_pairs(older.labels):
            data["labels"] = [to_rule_data(each) for each in first.labels]
    if (
        older is not None
        and reads[0].given.who
        and (rules := select_fitting_rules(reads, older)) != older.labels
    ):
        data |= {"labels": [to_rule_data(each) for each in rules]} if rules else {}
        remove += [] if rules else ["/labels"]
    images = select_component_images(reads, older)
    known = older.images if older else {}
    if fresh := {name: image for name, image in images.items() if known.get(name) != image}:
        data["images"] = fresh
    used = {
        name for read in reads for name in (*read.taken.images, *list_container_images(read.taken.sections))
    }
    whole = all(read.given.older is not None for read in reads)
    gone = [name for name in known if name not in used and whole and was_container_image(reads, name)]
    return data, [*remove, *(f"/images/{name}" for name in gone)]


def _build_target_settings(
    read: InvertedTree,
    reads: Sequence[InvertedTree],
    names: Mapping[Owner, str],
    solution: Solution,
    older: Component | None,
    flips: Mapping[str, bool],
) -> JsonObject:
    """Return what a target sets for the new version, besides what it sets for all."""
    made: JsonObject = {}
    if (place := _build_namespace_setting(read, reads[0], older)) is not None:
        made["namespace"] = place
    if labels := select_target_rules(read, reads):
        made["labels"] = labels
    images = {**(older.images if older else {}), **select_component_images(reads, older)}
    before = read.given.older.settings.images if read.given.older else {}
    different = {
        name: image
        for name, image in read.taken.images.items()
        if image != (before[name].value if name in before else images.get(name))
    }
    if different:
        made["images"] = different
    if features := _build_feature_switches(read, names, solution, flips):
        made["features"] = features
    if lacking := solution.withheld.get(read.given.who):
        made["withhold"] = build_withhold_entries(lacking, solution.kept.get(read.given.who, {}))
    return made


def _build_feature_switches(
    read: InvertedTree, names: Mapping[Owner, str], solution: Solution, flips: Mapping[str, bool]
) -> Json:
    """Return which features a target turns on, and which off that are on by themselves or were before.

    `flips` are those that the component by itself has on now, or off: a target keeps what it has.
    """
    who = read.given.who
    said = read.given.older.settings.features if read.given.older else {}
    have = {each.owner for each in read.layers}
    kept = {name: name in have for name in flips if name not in (*said, *read.switches)}
    switches = {**read.switches, **{name: on for name, on in kept.items() if on != flips[name]}}
    groups: list[tuple[Group, str]] = [
        (owner, name) for owner, name in names.items() if isinstance(owner, frozenset)
    ]
    on = [name for name, value in switches.items() if value]
    on += [name for owner, name in groups if who in owner and not solution.is_default_feature(owner)]
    off = [name for name, value in switches.items() if not value]
    off += [name for owner, name in groups if who not in owner and solution.is_default_feature(owner)]
    return {**dict.fromkeys(on, True), **dict.fromkeys(off, False)} if off else on


def _build_namespace_setting(
    read: InvertedTree, lead: InvertedTree, older: Component | None
) -> JsonObject | str | None:
    """Return where a target runs a component, if that is not what is said already."""
    found, context, first = read.found, read.given.older, lead.found
    labels = _find_namespace_labels(found)
    if context is not None:
        setting = context.settings.namespace.value if context.settings.namespace else None
        have = (setting.labels if setting.create else None) if setting else context.component.creates
        same = read.given.was == found.namespace and have == labels
        # A target that runs where the component does would move with it.
        moves = older is not None and read.given.was == older.namespace != first.namespace
        if same and (setting or found.namespace == first.namespace or not moves):
            return None
    elif found.namespace == first.namespace and not read.given.home:
        if labels == (None if lead.given.who else _find_namespace_labels(first)):
            return None
    elif labels is None and found.namespace == read.given.home:
        return None
    return _build_namespace(found)


def _find_namespace_labels(found: TreeSurvey) -> JsonObject | None:
    """Return the labels of the Namespace that a tree has, besides those of rules; None if it has none."""
    if found.created is None:
        return None
    given = {key for rule in found.labels if rule.scope is LabelScope.ALL for key in rule.pairs}
    labels: JsonObject = (found.created.get("metadata") or {}).get("labels") or {}
    return {key: value for key, value in labels.items() if key not in given}


def _build_namespace(found: TreeSurvey) -> JsonObject | str:
    """Return where the objects of a tree are, as specs say it."""
    if (labels := _find_namespace_labels(found)) is None:
        return found.namespace
    return {"name": found.namespace, "create": True, **({"labels": labels} if labels else {})}
