"""Switch features of the older spec: what a tree has of them says whether they are on for its target."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from kitgen.findings import Path
from kitgen.importing.list_decisions import flag
from kitgen.importing.older_spec import Layered, together
from kitgen.importing.places import COMPONENT, Merging, in_order, merging, verbs_of
from kitgen.kube.schema_interning import frozen
from kitgen.text.yaml import Json


def switched(
    wanted: Mapping[Path, Json], layers: Sequence[Layered], others: Iterable[Layered], stale: Iterable[str]
) -> tuple[list[Layered], dict[str, bool]]:
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
        if merging(path, value) is not Merging.EXTEND and _has(wanted, path, value, {})
    }
    switches: dict[str, bool] = {}
    kept = []
    for layer in layers:
        fits = any(patch["name"] not in gone for patch in layer.words.get("patches", ()))
        own = _own(layer, base)
        on = layer.owner == COMPONENT or not own or fits
        if on or any(_has_some(wanted, path, value, base) for path, value in own.items()):
            kept.append(layer)
        else:
            switches[layer.owner] = False
    for layer in others:
        own, now = _own(layer, base), together(kept)
        has_all = all(_has(wanted, path, value, now) for path, value in layer.places.items())
        if own and has_all and not own.keys() & said:
            kept.append(layer)
            switches[layer.owner] = True
    return kept, switches


def _own(layer: Layered, base: Mapping[Path, Json]) -> dict[Path, Json]:
    """Return what a feature says that the component does not: the kind of a webhook may be said by both."""
    found: dict[Path, Json] = {}
    for path, value in layer.places.items():
        if merging(path, value) is Merging.UNION:
            if verbs := verbs_of(value) - verbs_of(base.get(path, "")):
                found[path] = in_order(verbs)
        elif path not in base or base[path] != value or merging(path, value) is Merging.EXTEND:
            found[path] = value
    return found


def _has(wanted: Mapping[Path, Json], path: Path, value: Json, others: Mapping[Path, Json]) -> bool:
    """Tell whether a tree has all that a layer says of a place, besides what others add there."""
    if path not in wanted:
        return False
    match merging(path, value):
        case Merging.UNION:
            return verbs_of(value) <= verbs_of(wanted[path])
        case Merging.EXTEND:
            return Counter(map(frozen, value)) <= Counter(map(frozen, _left(wanted, path, others)))
        case _:
            return bool(wanted[path] == value)


def _has_some(wanted: Mapping[Path, Json], path: Path, value: Json, others: Mapping[Path, Json]) -> bool:
    """Tell whether a tree has something of what a layer says of a place, be it with another value."""
    if path not in wanted:
        return False
    match merging(path, value):
        case Merging.UNION:
            return bool(verbs_of(value) & verbs_of(wanted[path]))
        case Merging.EXTEND:
            return not {*map(flag, value)}.isdisjoint(map(flag, _left(wanted, path, others)))
        case _:
            return True


def _left(wanted: Mapping[Path, Json], path: Path, others: Mapping[Path, Json]) -> list[Json]:
    """Return the items of a list that others do not add to it."""
    known = Counter(map(frozen, others.get(path, ())))
    left = []
    for item in wanted[path]:
        known[frozen(item)] -= 1
        if known[frozen(item)] < 0:
            left.append(item)
    return left
