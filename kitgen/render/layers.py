"""Merge the layers of an item into one value, and record which layer set what."""

from __future__ import annotations

from msgspec import Struct

from kitgen.findings import Cause, CauseKind, Origin, Path, Reads
from kitgen.kit.model import Layer
from kitgen.kube.manifest import FieldSource
from kitgen.text.values import map_at
from kitgen.text.yaml import JsonObject


class LayerTouch(Struct, frozen=True):
    """Says that a layer set the value at a path."""

    path: Path
    layer: Layer
    within: Path
    """Where the value stands inside the layer."""

    @property
    def origin(self) -> Origin:
        """Return the value's place in the specs."""
        return self.layer.origin_at(self.within)

    @property
    def reads(self) -> Reads:
        """Return what expressions there read."""
        return self.layer.reads_below(self.layer.find_existing_path(self.within)) if self.layer.reads else ()


class LayeredValue(Struct, frozen=True):
    """The value that layers make together."""

    data: JsonObject
    touches: tuple[LayerTouch, ...]
    last: dict[Path, LayerTouch]
    """Of each path the last one that set it; of the whole, the first layer did."""

    def touch_at(self, path: Path) -> LayerTouch:
        """Return who set the value at a path, the last one nearest to it, as if it had been set by itself."""
        above = (path[:size] for size in range(len(path), -1, -1))
        best = next(self.last[each] for each in above if each in self.last)
        return LayerTouch(path, best.layer, (*best.within, *path[len(best.path) :]))


def merge_layers(layers: tuple[Layer, ...], *, extend: bool = True) -> LayeredValue:
    """Merge maps key by key; a later list extends an earlier one, or replaces it."""
    data: JsonObject = {}
    touches = [LayerTouch((), layers[0], ())]
    for layer in layers:
        data, more = _merge_layer(data, layer.data, (), layer, extend=extend)
        touches += more
    return LayeredValue(data, tuple(touches), {touch.path: touch for touch in touches})


def _merge_layer(
    old: JsonObject, new: JsonObject, path: Path, layer: Layer, *, extend: bool
) -> tuple[JsonObject, list[LayerTouch]]:
    """Lay what a layer says over a map; return a new one, and what the layer set in it."""
    data, touches = dict(old), []
    for key, value in new.items():
        here, have = (*path, key), old.get(key)
        if extend and isinstance(value, list) and isinstance(have, list):
            touches += [LayerTouch((*here, len(have) + i), layer, (*here, i)) for i in range(len(value))]
            data[key] = [*have, *value]
            continue
        if not isinstance(value, dict) or not isinstance(have, dict):
            touches.append(LayerTouch(here, layer, here))
        data[key] = value
        if isinstance(value, dict):
            data[key], inside = _merge_layer(map_at(have), value, here, layer, extend=extend)
            touches += inside
    return data, touches


def build_source(touch: LayerTouch, path: Path, family: str) -> FieldSource:
    """Return the source of a field that a family made from a layer."""
    layer = touch.layer
    return FieldSource(
        path=path,
        cause=Cause(CauseKind.FAMILY, family),
        origin=touch.origin,
        asked=layer.cause,
        feature=layer.feature,
        why=layer.why,
        reads=touch.reads,
    )


def build_default_source(touch: LayerTouch, path: Path, family: str, why: str) -> FieldSource:
    """Return the source of a field that a family sets by default, with the reason."""
    return FieldSource(
        path=path,
        cause=Cause(CauseKind.FAMILY, family),
        origin=touch.origin,
        feature=touch.layer.feature,
        why=why,
        default=True,
    )
