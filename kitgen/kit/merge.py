"""Merge a spec over the one that it builds on; every value keeps its origin.

Maps merge. Lists replace, except lists of named entries, which merge by name. Permissions merge by resource,
and so do named sets of access roles. What changes is copied once, however often it is changed.
"""

from __future__ import annotations

from collections.abc import Container
from typing import TypeAlias

from msgspec import Struct

from kitgen.findings import Origin, OriginTrail, Path, Step
from kitgen.kit.model.component import resource_key
from kitgen.text.values import group_pairs, list_at, value_at
from kitgen.text.yaml import Json, JsonObject


class SpecValue(Struct, frozen=True):
    """A value, and where it is said; its parts may be said elsewhere."""

    data: Json
    origin: Origin

    def part(self, step: Step) -> SpecValue:
        """Return what is said at a key or an index."""
        return SpecValue(self.data[step], self.origin.at(step))

    @property
    def parts(self) -> dict[Step, SpecValue]:
        """Return what is said at every key of a map, or at every index of a list."""
        steps = self.data if isinstance(self.data, dict) else range(len(self.data))
        return {step: self.part(step) for step in steps}


def build_mapping(parts: dict[Step, SpecValue], origin: Origin) -> SpecValue:
    """Put a map together of what is said at each of its keys."""
    data: JsonObject = {str(key): part.data for key, part in parts.items()}
    return SpecValue(data, _add_trail(origin, parts))


def build_sequence(parts: list[SpecValue], origin: Origin) -> SpecValue:
    """Put a list together of what is said of each of its items."""
    return SpecValue([part.data for part in parts], _add_trail(origin, dict(enumerate(parts))))


def _add_trail(origin: Origin, parts: dict[Step, SpecValue]) -> Origin:
    return Origin(
        origin.file, origin.path, trail=OriginTrail({step: part.origin for step, part in parts.items()})
    )


def merge_specs(old: SpecValue, new: SpecValue, path: Path = ()) -> SpecValue:
    """Return what a spec says at a path, laid over what the one that it builds on says there."""
    if is_sets_path(path) and isinstance(old.data, dict | list) and isinstance(new.data, dict):
        return _merge_sets(old, new, path)
    if isinstance(old.data, dict) and isinstance(new.data, dict):
        if is_permissions_path(path):
            again = {each for key in new.data for each in split_permission_key(key)}
            return build_mapping({**drop_resources(old, again, keep=new.data), **new.parts}, new.origin)
        have, more = old.parts, new.parts
        keys = dict.fromkeys((*have, *more))
        return build_mapping(
            {key: _merge_part(have.get(key), more.get(key), path, key) for key in keys}, new.origin
        )
    if is_feature_switches_path(path):
        was, now = _to_feature_switches(old), _to_feature_switches(new)
        return build_mapping({**was, **now}, new.origin) if was is not None and now is not None else new
    was, now = items_by_name(old, path), items_by_name(new, path)
    if was and now:
        names = [*dict.fromkeys((*was, *now))]
        if _is_set_resources_path(path) and [*was] == sorted(map(str, was)):
            names.sort(key=str)  # so that a version that adds one makes the objects of one that says all
        return build_sequence([_merge_part(was.get(n), now.get(n), path, n) for n in names], new.origin)
    return new


def _merge_part(old: SpecValue | None, new: SpecValue | None, path: Path, step: Step) -> SpecValue:
    if old is not None and new is not None:
        return merge_specs(old, new, (*path, step))
    found = old or new
    assert found is not None  # the step is of one of them
    return found


def items_by_name(said: SpecValue, path: Path) -> dict[Step, SpecValue] | None:
    """Return the items of a list by name; None if they have none, or two have the same."""
    if not isinstance(said.data, list):
        return None
    names = [name_of(item, path) for item in said.data]
    if None in names or len({*names}) != len(names):
        return None
    return {str(name): said.part(index) for index, name in enumerate(names)}


def name_of(item: Json, path: Path) -> str | None:
    """Return the name that identifies an item of the list at a path."""
    inside = _to_section_path(path)
    if inside[:1] == ("config",):
        return None  # order and length are the value
    if _is_set_resources_path(path):
        return resource_key(item)
    metadata = value_at(item, "metadata")
    if inside == ("objects",) and isinstance(metadata, dict):
        return f"{item.get('kind')}/{metadata.get('name')}"
    of_webhooks = inside == ("webhooks", "kinds")
    name = (
        item if of_webhooks and isinstance(item, str) else value_at(item, "kind" if of_webhooks else "name")
    )
    return name if isinstance(name, str) else None


def _to_section_path(path: Path) -> Path:
    """Return a path without the way to a feature of a component, or to what a target says of a component."""
    if path[:1] == ("features",):
        return path[2:]
    if path[:1] != ("components",):
        return path
    return path[4:] if path[2:3] in (("versions",), ("releases",)) else path[2:]


def is_feature_switches_path(path: Path) -> bool:
    """Return whether a path leads to the features that a target turns on or off."""
    return path[:1] == ("components",) and _to_section_path(path) == ("features",)


def _to_feature_switches(said: SpecValue) -> dict[Step, SpecValue] | None:
    """Return features by name, each turned on or off; None if they are written in no known way."""
    if isinstance(said.data, dict):
        return said.parts
    if not isinstance(said.data, list) or not all(isinstance(name, str) for name in said.data):
        return None
    if len({*said.data}) != len(said.data):
        return None  # which is wrong, and must not get lost
    return {name: SpecValue(data=True, origin=said.origin.at(index)) for index, name in enumerate(said.data)}


def is_permissions_path(path: Path) -> bool:
    """Return whether a path leads to the permissions of a role."""
    inside = _to_section_path(path)
    return len(inside) == 3 and (inside[0], inside[2]) == ("roles", "permissions")


def is_sets_path(path: Path) -> bool:
    """Return whether a path leads to the sets of access roles."""
    return _to_section_path(path) == ("accessRoles", "sets")


def _is_set_resources_path(path: Path) -> bool:
    """Return whether a path leads to the resources of a set of access roles."""
    return path[-1:] == ("resources",) and is_sets_path(path[:-2])


def _merge_sets(old: SpecValue, new: SpecValue, path: Path) -> SpecValue:
    """Lay sets with names over others: a resource that is said again leaves the sets that it was in.

    Sets of a list are called by their places in it.
    """
    have, more = ({str(step): part for step, part in said.parts.items()} for said in (old, new))
    again = group_pairs((key, name) for name, part in more.items() for key in list_resource_keys(part.data))
    found: dict[Step, SpecValue] = {}
    for name in dict.fromkeys((*have, *more)):
        whole = _merge_part(have.get(name), more.get(name), path, name)
        moved = {key for key in list_resource_keys(whole.data) if name not in again.get(key, [name])}
        if (left := drop_resource_keys(whole, moved)) is not None:
            found[name] = left
    return build_mapping(found, new.origin)


def list_resource_keys(found: Json) -> list[str]:
    """Return the resources of a set."""
    return [key for key in map(resource_key, list_at(found, "resources")) if key is not None]


def drop_resource_keys(said: SpecValue, gone: Container[str]) -> SpecValue | None:
    """Return a set without some of its resources; None if that leaves none."""
    if not any(key in gone for key in list_resource_keys(said.data)):
        return said
    listed = said.part("resources")
    left = [part for part in listed.parts.values() if (resource_key(part.data) or "") not in gone]
    return (
        build_mapping({**said.parts, "resources": build_sequence(left, listed.origin)}, said.origin)
        if left
        else None
    )


def drop_resources(said: SpecValue, gone: Container[str], keep: Container[str] = ()) -> dict[Step, SpecValue]:
    """Return permissions without some of the resources; a key that is kept holds its place."""
    found: dict[Step, SpecValue] = {}
    for key, part in said.parts.items():
        if (
            not (left := [each for each in split_permission_key(str(key)) if each not in gone])
            and key not in keep
        ):
            continue
        name = (
            key
            if key in keep or len(left) == len(split_permission_key(str(key)))
            else _join_permission_key(left)
        )
        first = found.get(name, part)  # another key of which the same resources are left
        verbs = dict.fromkeys(f"{first.data} {part.data}".split())
        found[name] = part if first is part else SpecValue(" ".join(verbs), first.origin)
    return found


def split_permission_key(key: str) -> list[str]:
    """Return what a key of permissions is for, one resource each: `core/secrets[a]`."""
    if key.startswith("/"):
        return [key]
    named, bracket, names = key.removesuffix("]").partition("[")
    group, _, rest = named.partition("/")
    only = f"[{','.join(sorted(names.split(',')))}]" if bracket else ""
    return [f"{group}/{resource}{only}" for resource in rest.split(",")]


def _join_permission_key(found: list[str]) -> str:
    """Write resources of one group, and with the same names, as one key."""
    group, bracket, only = found[0].partition("/")[0], *found[0].partition("[")[1:]
    names = (each.partition("[")[0].removeprefix(f"{group}/") for each in found)
    return f"{group}/{','.join(names)}{bracket}{only}"


Part: TypeAlias = "SpecValue | DraftNode"


class DraftNode:
    """A map or list that is being changed; anything else has no parts."""

    __slots__ = ("_parts", "_said")

    def __init__(self, said: SpecValue) -> None:
        self._said = said
        self._parts: dict[Step, Part | None] | None = None

    @property
    def is_map(self) -> bool:
        """Return whether it has keys."""
        return isinstance(self._said.data, dict)

    @property
    def is_list(self) -> bool:
        """Return whether it has items; each keeps the index that it had."""
        return isinstance(self._said.data, list)

    @property
    def parts(self) -> dict[Step, Part | None]:
        """Return what is new at every key or index, or None; changing that changes the draft."""
        if self._parts is None:
            data = self._said.data
            self._parts = dict.fromkeys(data if self.is_map else range(len(data)) if self.is_list else ())
        return self._parts

    def get_value(self, step: Step) -> SpecValue:
        """Return what is said by now at a key or an index."""
        part = self.parts[step]
        return self._said.part(step) if part is None else to_spec_value(part)

    def get_data(self, step: Step) -> Json:
        """Return the data there."""
        return self._said.data[step] if self.parts[step] is None else self.get_value(step).data

    def get_child(self, step: Step) -> DraftNode:
        """Return what is at a key or an index, to be changed."""
        part = self.parts[step]
        if not isinstance(part, DraftNode):
            part = self.parts[step] = DraftNode(self.get_value(step))
        return part

    def to_value(self) -> SpecValue:
        """Return what has become of it."""
        if self._parts is None or not (self.is_map or self.is_list):
            return self._said
        at, parts = self._said.origin, self._parts
        if self.is_list:
            return build_sequence([self.get_value(step) for step in parts], at)
        old, new = self._said.data, {step: to_spec_value(part) for step, part in parts.items() if part}
        data = {str(step): new[step].data if step in new else old[step] for step in parts}
        # What is not new stands where it did, so that its place need not be worked out.
        below = {step: each for step, each in (at.trail.below if at.trail else {}).items() if step in parts}
        trail = OriginTrail({**below, **{step: part.origin for step, part in new.items()}})
        return SpecValue(data, Origin(at.file, at.path, trail=trail))


def to_spec_value(part: Part) -> SpecValue:
    """Return what is said there by now."""
    return part.to_value() if isinstance(part, DraftNode) else part
