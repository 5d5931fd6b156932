"""Who is at fault when a spec that builds on another one breaks its schema."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from msgspec.structs import replace

from kitgen.findings import Finding, Origin, Path, pointer
from kitgen.load.merging import Said
from kitgen.schema.shape import shape
from kitgen.yamlio import Json, JsonObject

NAMED = frozenset({"roles", "services", "bindings"})
FEATURED = NAMED | {"webhooks", "params"}
"""Sections whose things must say some keys, and in which a feature may say more of the component's."""
Cause: TypeAlias = Callable[[Path], Path]
"""Returns what in the file makes the value at a path wrong that another file says."""


def misshapen(kind: str, said: Said, file: str, cause: Cause, chain: str = "") -> list[Finding]:
    """Return what is wrong with the shape of a spec.

    What a spec builds on is right by itself. So if a part is wrong that another file says, this one made
    it so.
    """
    found = []
    for problem in [] if shape(kind).accepts(said.data) else shape(kind).violations(_completed(said.data)):
        place = said.origin.at(*problem.path)
        if place.file == file:
            found.append(problem.at(said.origin))
            continue
        moved = replace(problem, path=cause(problem.path), hint=problem.hint or f"see {place}")
        found.append(moved.at(Origin(file), chain))
    return found


def _completed(data: JsonObject) -> JsonObject:
    """Return a spec whose features have what the component says of the same things: they need not say it."""
    features: Json = data.get("features")
    if not isinstance(features, dict):
        return data
    return {**data, "features": {name: _over(data, feature) for name, feature in features.items()}}


def _over(whole: JsonObject, feature: Json) -> Json:
    if not isinstance(feature, dict):
        return feature
    made = dict(feature)
    for key in FEATURED & feature.keys() & whole.keys():
        own, base = feature[key], whole[key]
        if not isinstance(own, dict) or not isinstance(base, dict):
            continue
        if key in NAMED:
            both = {name: each for name, each in own.items() if isinstance(each, dict)}
            made[key] = own | {
                name: {**base[name], **each}
                for name, each in both.items()
                if isinstance(base.get(name), dict)
            }
        else:
            made[key] = {**base, **own}
    return made


def removing(texts: Iterable[str]) -> Cause:
    """Return what finds the path in `remove` that took something from a value."""
    plain = [text.replace("~1", "/").replace("~0", "~") for text in texts]

    def cause(path: Path) -> Path:
        above = pointer(path).replace("~1", "/").replace("~0", "~")
        index = next((at for at, text in enumerate(plain) if text.startswith(f"{above}/")), None)
        return ("from",) if index is None else ("remove", index)

    return cause
