"""Complete what new features say of things that the component does not have: each is one by itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kitgen.findings import Path
from kitgen.importer.owners import COMPONENT, Edit, Solution
from kitgen.yamlio import Json

NAMED = {"services": ("ports",), "roles": ("permissions",), "bindings": ("role",)}
REQUIRED = {**NAMED, "webhooks": ("kinds",), "params": ("configMap", "keys")}
"""Section → the keys that a thing of it must have, unless the component says them of the same thing."""


def complete(wanted: Mapping[str, Mapping[Path, Json]], made: Solution) -> None:
    """Let every new feature say the required keys of the things that it says more of.

    Another feature says the same. `wanted` has the places of each tree.
    """
    edit = made.edits.get(COMPONENT, Edit())
    base = [*(path for path in made.own if path not in edit.gone), *edit.new]
    for owner, mine in made.edits.items():
        if isinstance(owner, str):
            continue
        have = wanted[min(owner)]
        for place in dict.fromkeys(place for path in mine.new for place in _required(path)):
            if not any(path[: len(place)] == place for path in (*base, *mine.new)):
                mine.new.update(_said(place, have))


def _required(path: Path) -> Iterator[Path]:
    """Yield the places that the thing at or above a path must have."""
    thing = path[: 2 if path[0] in NAMED else 1]
    yield from ((*thing, key) for key in REQUIRED.get(str(path[0]), ()))


def _said(place: Path, have: Mapping[Path, Json]) -> dict[Path, Json]:
    """Return what a tree has at a place and below it; lists stay empty, as those of layers add up."""
    found = {path: value for path, value in have.items() if path[: len(place)] == place}
    return {path: [] if isinstance(value, list) else value for path, value in found.items()}
