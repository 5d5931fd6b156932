"""Inverse of access role sets: grouped by resource for comparison, and by name in specs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from itertools import chain, count

from msgspec import Struct

from kitgen.kit.model.component import list_access_sets, resource_entry, resource_key
from kitgen.render.inverse import SectionChange, SectionWords
from kitgen.render.section_changes import apply_section_change, drop_empty_values, format_remove_path
from kitgen.text.values import group_pairs, map_at
from kitgen.text.yaml import Json, JsonObject

TASKS = ("editors", "viewers")


class SharedRights(Struct, frozen=True):
    """What all resources of a set have in common."""

    editors: frozenset[str]
    viewers: frozenset[str]
    status: bool
    labels: frozenset[tuple[str, str]]

    @staticmethod
    def from_content(content: JsonObject) -> SharedRights:
        """Return what a set says, or a resource in the normal form."""
        names = (content.get(key, ()) for key in TASKS)
        editors, viewers = (frozenset(each.split() if isinstance(each, str) else each) for each in names)
        labels = frozenset(map_at(content, "labels").items())
        return SharedRights(editors, viewers, bool(content.get("status", True)), labels)

    def to_section(self, audiences: list[str]) -> JsonObject:
        """Write them down; audiences come in the order in which they are declared."""
        return {
            **{
                key: sorted(each, key=lambda name: (audiences.index(name) if name in audiences else -1, name))
                for key, each in zip(TASKS, (self.editors, self.viewers), strict=True)
            },
            **({} if self.status else {"status": False}),
            **({"labels": dict(sorted(self.labels))} if self.labels else {}),
        }

    def to_normal_form(self) -> JsonObject:
        """Return them as one value of the normal form."""
        words = self.to_section([])
        return {**words, **{key: " ".join(words[key]) for key in TASKS}}


def normalize_access_roles(section: Json) -> JsonObject:
    """Turn what a spec says of access roles into resources by name."""
    data = map_at(section)
    resources = {
        str(resource_key(given)): SharedRights.from_content(content).to_normal_form()
        for _, content in list_access_sets(data)
        for given in content["resources"]
    }
    aggregates = drop_empty_values(data.get("aggregates"))
    found = {"aggregates": aggregates, "labels": data.get("labels"), "resources": resources}
    return {key: value for key, value in found.items() if value}


def convert_access_role_changes(change: SectionChange) -> SectionWords:
    """Write what is new or different: aggregates, labels, and sets with their added resources."""
    old = map_at(change.old)
    known = normalize_access_roles(old)
    final = apply_section_change(known, change)
    want: JsonObject = _select_complete(drop_empty_values(final.get("aggregates")), "label")
    resources: JsonObject = _select_complete(final.get("resources"), "viewers")
    labels: JsonObject = final.get("labels") or {}
    if known and not want and not resources and not labels:
        return SectionWords(remove=("",))
    have = map_at(known, "aggregates")
    fresh = {name: _select_changed(map_at(have, name), each) for name, each in want.items()}
    remove = [format_remove_path("aggregates", name) for name in have if name not in want]
    remove += [
        format_remove_path("aggregates", n, key)
        for n in want
        for key in map_at(have, n)
        if key not in want[n]
    ]
    for name, each in want.items():
        has = map_at(each, "labels")
        gone = (key for key in map_at(have, name, "labels") if has and key not in has)
        remove += (format_remove_path("aggregates", name, "labels", key) for key in gone)
    remove += [format_remove_path("labels", key) for key in map_at(old, "labels") if key not in labels]
    sets, of_sets = _compare_sets(
        old, {key: SharedRights.from_content(each) for key, each in resources.items()}, [*want]
    )
    section = {
        "aggregates": {name: each for name, each in fresh.items() if each},
        "labels": _select_changed(map_at(old, "labels"), labels),
        "sets": sets,
    }
    section = {key: value for key, value in section.items() if value}
    return SectionWords(section=section or None, remove=(*remove, *of_sets))


def _select_complete(found: Json, key: str) -> JsonObject:
    """Return what has all that is needed; of a thing that goes, every part may go by itself."""
    return {name: each for name, each in (found or {}).items() if key in each}


def _select_changed(old: JsonObject, new: JsonObject) -> JsonObject:
    return {key: value for key, value in new.items() if old.get(key) != value}


def _compare_sets(
    old: JsonObject, rights: dict[str, SharedRights], audiences: list[str]
) -> tuple[dict[str, JsonObject], list[str]]:
    """Return what is to be said of sets, and what is removed, so that resources have these rights.

    A set all of whose resources have other rights now is changed in place. What comes goes to a set with
    its rights, or to a new one. Sets that are called by their places in a list are left alone.
    """
    said: dict[str, JsonObject] = {}
    homes: dict[SharedRights, str] = {}
    fresh = dict(rights)
    remove: list[str] = []
    for step, content in list_access_sets(old):
        is_named = not str(step).isdecimal()
        own, keys = (
            SharedRights.from_content(content),
            [str(resource_key(given)) for given in content["resources"]],
        )
        left = [key for key in keys if key in rights]
        if is_named and left and (now := _choose_rights(own, [rights[key] for key in left])) != own:
            said[str(step)], own = _compare_rights(own, now, audiences), now
        stay = [key for key in left if rights[key] == own]
        fresh = {key: each for key, each in fresh.items() if key not in stay}
        if is_named and stay:
            homes.setdefault(own, str(step))
        gone = [str(step)] if is_named and not left else [key for key in keys if key not in rights]
        remove += (format_remove_path("sets", each) for each in gone)
    if not rights:
        return {}, ["sets"] if remove else []
    taken = {str(step) for step, _ in list_access_sets(old)}
    for own, found in group_pairs((own, key) for key, own in fresh.items()).items():
        keys, home = sorted(found), homes.get(own)
        words = {} if home else own.to_section(audiences)
        home = home or _choose_set_name(keys[0], {*taken, *said})
        said[home] = {**said.get(home, {}), **words, "resources": [resource_entry(key) for key in keys]}
    return said, remove


def _choose_rights(own: SharedRights, found: Iterable[SharedRights]) -> SharedRights:
    """Return the rights that a set is for: its own if a resource has them, else those that most have.

    A set never has fewer labels than before, since what is laid over it cannot take one away.
    """
    counts = Counter(each for each in found if dict(own.labels).keys() <= dict(each.labels).keys())
    return own if own in counts or not counts else counts.most_common(1)[0][0]


def _compare_rights(own: SharedRights, now: SharedRights, audiences: list[str]) -> JsonObject:
    """Return what makes a set with some rights one with others."""
    before = own.to_section(audiences)
    made = {key: each for key, each in now.to_section(audiences).items() if before.get(key) != each}
    if now.status and not own.status:
        made["status"] = True
    if "labels" in made:
        made["labels"] = _select_changed(dict(own.labels), dict(now.labels))
    return made


def _choose_set_name(key: str, taken: Collection[str]) -> str:
    """Return a name for a set, after the first resource in it."""
    name = key.partition(":")[0].rpartition("/")[2]
    names = chain((name,), (f"{name}-{number}" for number in count(2)))
    return next(each for each in names if each not in taken)
