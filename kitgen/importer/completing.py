"""Complete what new features say of things that the component does not have, so that each is a thing by itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kitgen.findings import Path
from kitgen.importer.owners import COMPONENT, Edit, Solution
from kitgen.yamlio import Json

NAMED = {"services": ("ports",), "roles": ("permissions",), "bindings": ("role",)}
REQUIRED = {**NAMED, "webhooks": ("kinds",), "params": ("configMap", "keys")}
"""Section → the keys that a thing of it must have, unless the component says them of the same thing."""


def complete(wanted: Mapping[str, Mapping[Path, Json]], own: Mapping[Path, Json], made: Solution) -> None:
    """Let every new feature say the required keys of the things that it says more of.

    Another feature says what they hold, so maps and lists stay empty. `wanted` has the places of each tree, and
    `own` those of the component in the older spec.
    """
    edit = made.edits.get(COMPONENT, Edit())
    base = [*(path for path in own if path not in edit.gone), *edit.new]
    for owner, mine in made.edits.items():
        if isinstance(owner, str):
            continue
        have = wanted[min(owner)]
        for place in dict.fromkeys(place for path in mine.new for place in _required(path)):
            if not any(path[: len(place)] == place for path in (*base, *mine.new)):
                mine.new.update(_blank(place, have))


def _required(path: Path) -> Iterator[Path]:
    """Yield the places that the thing at or above a path must have."""
    thing = path[: 2 if path[0] in NAMED else 1]
    yield from ((*thing, key) for key in REQUIRED.get(str(path[0]), ()))


def _blank(place: Path, have: Mapping[Path, Json]) -> dict[Path, Json]:
    """Return a place with the text that a tree has there, or with an empty map or list."""
    if place not in have:
        return {place: {}} if any(path[: len(place)] == place for path in have) else {}
    value = have[place]
    return {place: [] if isinstance(value, list) else value}
