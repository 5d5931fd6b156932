"""Sets of access roles: by resource to compare them, and as a list in specs."""

from __future__ import annotations

from collections.abc import Iterable

from kitgen.compile.bare import changed, way
from kitgen.compile.inverse import Change, Said
from kitgen.yamlio import Json, JsonObject

Rights = tuple[str, str, bool]
"""Who may edit, who may view, and whether they may read the status."""


def normal(section: Json) -> JsonObject:
    """Turn what a spec says of access roles into resources by name."""
    data: JsonObject = section if isinstance(section, dict) else {}
    resources: JsonObject = {}
    for content in data.get("sets") or ():
        editors, viewers, status = _rights(content)
        for given in content["resources"]:
            resources[_key(given)] = {
                "editors": editors,
                "viewers": viewers,
                **({} if status else {"status": False}),
            }
    found = {"aggregates": data.get("aggregates"), "resources": resources}
    return {key: value for key, value in found.items() if value}


def _key(given: Json) -> str:
    """Return a resource as one text: `group/plural`, or `group/plural:name` if it has a name of its own."""
    return f"{given['resource']}:{given['name']}" if isinstance(given, dict) else str(given)


def _entry(key: str) -> Json:
    """Return a resource as specs write it."""
    resource, colon, name = key.partition(":")
    return {"resource": resource, "name": name} if colon else resource


def _rights(content: JsonObject) -> Rights:
    """Return the rights that a set gives, audiences in order."""
    editors, viewers = (" ".join(sorted({*content[key]})) for key in ("editors", "viewers"))
    return editors, viewers, bool(content.get("status", True))


def _rights_to(content: JsonObject) -> Rights:
    """Return the rights to a resource in the normal form."""
    return content.get("editors", ""), content.get("viewers", ""), bool(content.get("status", True))


def terms(change: Change) -> Said:
    """Say aggregates that come, and all sets if one of them is different, since a list replaces another."""
    old: JsonObject = change.old if isinstance(change.old, dict) else {}
    known = normal(old)
    final = changed(known, change)
    have: JsonObject = old.get("aggregates") or {}
    want: JsonObject = _complete(final.get("aggregates"), "label")
    remove = [way("aggregates", name) for name in have if name not in want]
    fresh = {
        name: {key: value for key, value in each.items() if (have.get(name) or {}).get(key) != value}
        for name, each in want.items()
    }
    section: JsonObject = {"aggregates": {name: each for name, each in fresh.items() if each}}
    before = old.get("sets") or []
    after = _sets(before, _complete(final.get("resources"), "viewers"), [*want])
    if after and after != before:
        section["sets"] = after
    if before and not after:
        remove.append("sets")
    if known and not want and not after:
        return Said(remove=("",))
    section = {key: value for key, value in section.items() if value}
    return Said(section=section or None, remove=tuple(remove))


def _complete(found: Json, key: str) -> JsonObject:
    """Return what has all that is needed; of a thing that goes, every part may go by itself."""
    return {name: each for name, each in (found or {}).items() if key in each}


def _sets(before: Iterable[JsonObject], resources: JsonObject, audiences: list[str]) -> list[JsonObject]:
    """Return the sets of a spec with other resources in them: those that stay keep their places."""
    rights = {key: _rights_to(content) for key, content in resources.items()}
    kept: list[tuple[JsonObject, list[Json]]] = []
    first: dict[Rights, int] = {}
    placed = set()
    for content in before:
        own = _rights(content)
        here = []
        for given in content["resources"]:
            if rights.get(_key(given)) == own:
                here.append(given)
                placed.add(_key(given))
        first.setdefault(own, len(kept))
        kept.append((content, here))
    fresh: dict[int, list[Json]] = {}
    for key, own in rights.items():
        if key in placed:
            continue
        if own not in first:
            first[own] = len(kept)
            kept.append((_set(own, audiences), []))
        fresh.setdefault(first[own], []).append(_entry(key))
    sets = ((content, _together(here, fresh.get(at, []))) for at, (content, here) in enumerate(kept))
    return [{**content, "resources": found} for content, found in sets if found]


def _set(rights: Rights, audiences: list[str]) -> JsonObject:
    """Write a new set; audiences come in the order in which they are declared."""
    editors, viewers = (
        sorted(each.split(), key=lambda name: (audiences.index(name) if name in audiences else -1, name))
        for each in rights[:2]
    )
    return {"editors": editors, "viewers": viewers, **({} if rights[2] else {"status": False})}


def _together(here: list[Json], fresh: list[Json]) -> list[Json]:
    """Put new resources where they belong if the others are in order, else at the end."""
    ordered = here == sorted(here, key=_key)
    return sorted((*here, *fresh), key=_key) if ordered else [*here, *fresh]
