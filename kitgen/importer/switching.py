"""Switch features of the older spec: what a tree has of them says whether they are on for its target."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from kitgen.findings import Path
from kitgen.importer.older import Layered
from kitgen.importer.owners import COMPONENT
from kitgen.importer.places import Merging, merging
from kitgen.yamlio import Json


def switched(
    wanted: Mapping[Path, Json], layers: Sequence[Layered], others: Iterable[Layered], stale: Iterable[str]
) -> tuple[list[Layered], dict[str, bool]]:
    """Return the layers that a tree goes by, and the features whose switch is another one now.

    A feature that was off is on if the tree has all that it says, and nothing else says that. One that was
    on is off if the tree has nothing of it, and none of its patches fits; `stale` are those that do not.
    """
    gone = set(stale)
    base = next((layer.places for layer in layers if layer.owner == COMPONENT), {})
    said = {path for layer in layers for path, value in layer.places.items() if _has(wanted, path, value)}
    switches: dict[str, bool] = {}
    kept = []
    for layer in layers:
        fits = any(patch["name"] not in gone for patch in layer.words.get("patches", ()))
        own = _own(layer, base)
        on = layer.owner == COMPONENT or not own or fits
        if on or any(_has(wanted, path, value, some=True) for path, value in own.items()):
            kept.append(layer)
        else:
            switches[layer.owner] = False
    for layer in others:
        own = _own(layer, base)
        if own and all(_has(wanted, *each) for each in layer.places.items()) and not own.keys() & said:
            kept.append(layer)
            switches[layer.owner] = True
    return kept, switches


def _own(layer: Layered, base: Mapping[Path, Json]) -> dict[Path, Json]:
    """Return what a feature says that the component does not: the kind of a webhook may be said by both."""
    return {path: value for path, value in layer.places.items() if path not in base or base[path] != value}


def _has(wanted: Mapping[Path, Json], path: Path, value: Json, *, some: bool = False) -> bool:
    """Tell whether a tree has what a layer says of a place; with `some`, anything there will do."""
    if path not in wanted:
        return False
    have = wanted[path]
    if merging(path, value) is Merging.UNION:
        verbs = set(str(value).split())
        return bool(verbs & set(str(have).split())) if some else verbs <= set(str(have).split())
    return some or have == value
