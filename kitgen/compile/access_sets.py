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
            resource, name = _called(given)
            resources[resource] = {
                **({"name": name} if name else {}),
                "editors": editors,
                "viewers": viewers,
                **({} if status else {"status": False}),
            }
    found = {"aggregates": data.get("aggregates"), "resources": resources}
    return {key: value for key, value in found.items() if value}


def _called(given: Json) -> tuple[str, str]:
    return (given["resource"], given["name"]) if isinstance(given, dict) else (given, "")


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
    want: JsonObject = final.get("aggregates") or {}
    remove = [way("aggregates", name) for name in have if name not in want]
    fresh = {
        name: {key: value for key, value in each.items() if (have.get(name) or {}).get(key) != value}
        for name, each in want.items()
    }
    section: JsonObject = {"aggregates": {name: each for name, each in fresh.items() if each}}
    before = old.get("sets") or []
    after = _sets(before, final.get("resources") or {}, [*want])
    if after and after != before:
        section["sets"] = after
    if before and not after:
        remove.append("sets")
    if known and not want and not after:
        return Said(remove=("",))
    section = {key: value for key, value in section.items() if value}
    return Said(section=section or None, remove=tuple(remove))


def _sets(before: Iterable[JsonObject], resources: JsonObject, audiences: list[str]) -> list[JsonObject]:
    """Return the sets of a spec with other resources in them: those that stay keep their places."""
    rights = {resource: _rights_to(content) for resource, content in resources.items()}
    kept: list[tuple[JsonObject, list[Json]]] = []
    first: dict[Rights, int] = {}
    placed = set()
    for content in before:
        own = _rights(content)
        here = []
        for given in content["resources"]:
            resource, name = _called(given)
            if rights.get(resource) == own and resources[resource].get("name", "") == name:
                here.append(given)
                placed.add(resource)
        first.setdefault(own, len(kept))
        kept.append((content, here))
    fresh: dict[int, list[Json]] = {}
    for resource, content in resources.items():
        if resource in placed:
            continue
        name = content.get("name")
        own = rights[resource]
        if own not in first:
            first[own] = len(kept)
            kept.append((_set(own, audiences), []))
        entry: Json = {"resource": resource, "name": name} if name else resource
        fresh.setdefault(first[own], []).append(entry)
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
    names = [_called(each)[0] for each in here]
    ordered = names == sorted(names)
    return sorted((*here, *fresh), key=lambda each: _called(each)[0]) if ordered else [*here, *fresh]
