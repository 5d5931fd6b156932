"""Replace every image in params.env, and see what follows.

Two things are made of it: what kustomize would make of the overlay, where fields follow parameters, and what
kitgen makes of specs that say the other images. Where the two differ, something was computed from an image
and does not follow its parameter. Where both hold the old image, it is written out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from kitgen.check.context import Hit
from kitgen.check.images.parameters import holds
from kitgen.findings import Path, problem
from kitgen.kube.image_mentions import is_sure
from kitgen.kube.manifest import Manifest
from kitgen.text.wording import cut
from kitgen.text.yaml import Json

if TYPE_CHECKING:
    from kitgen.render.parameters import Params
    from kitgen.render.unit import Unit

SENTINEL = f"sentinel.invalid/kitgen/image-{{}}@sha256:{'0' * 64}"
CRD = "CustomResourceDefinition"
HINT = "name the field in the fills of the parameter"


class SentinelImages(NamedTuple):
    """Other images to try, for a component as a target has it."""

    values: dict[str, str]
    """Key of params.env → the other image."""
    images: dict[str, str]
    """Image name of the component → the same."""
    keys: dict[str, str]
    """Image as it is now → the key that holds it."""
    shortest: int
    """Characters of the shortest of all these images: a shorter text holds none."""


def trial(unit: Unit) -> SentinelImages | None:
    """Return what to try; nothing where params.env holds no image."""
    if unit.params is None:
        return None
    named = {key: image for key, image in unit.params.images.items() if image}
    held = {**{key: value for key, value in unit.params.data.items() if is_sure(value)}, **named}
    others = {image: SENTINEL.format(at) for at, image in enumerate(dict.fromkeys(held.values()))}
    values = {key: others[image] for key, image in held.items()}
    images = {name: others[image] for name, (image, _) in unit.context.images.items() if image in others}
    keys = {image: key for key, image in reversed(held.items())}
    return SentinelImages(values, images, keys, min(map(len, (*keys, *others.values())))) if held else None


def left(unit: Unit, again: Unit, tried: SentinelImages, target: str) -> Iterator[Hit]:
    """Yield the places at which something of the old images is left."""
    assert unit.params is not None
    made = {manifest.id: manifest for manifest in again.final}
    names = _hashed(unit.params, unit), _hashed(again.params, again)
    for manifest in unit.final:
        if manifest.id.kind == CRD or _is_own(manifest, unit.params):
            continue
        filled = unit.params.replaced(manifest, tried.values)
        if (other := made.get(manifest.id)) is None:
            yield Hit(
                target, manifest, problem("param-left", "found a name that is made from an image", (), HINT)
            )
            continue
        for path, value, wanted in _pairs(filled, other.body):
            named = value.replace(*names) if isinstance(value, str) else value
            if (message := _left(named, wanted, tried)) is not None:
                yield Hit(target, manifest, problem("param-left", message, path, HINT))


def _left(value: Json, wanted: Json, tried: SentinelImages) -> str | None:
    """Return what is left at a place that has one value by parameters and another by specs."""
    if value == wanted and (not isinstance(value, str) or len(value) < tried.shortest):
        return None
    text = value if isinstance(value, str) else ""
    key = next((key for image, key in tried.keys.items() if holds(text, image)), None)
    if key is None and isinstance(wanted, str):
        key = next((key for key, image in tried.values.items() if image in wanted), None)
        # What follows another parameter than the spec says is for the operator to fill.
        if value == wanted or any(image in text for image in tried.values.values()):
            return None
    if key is not None:
        return f"found the image of the parameter {cut(key)}, which does not follow it"
    if value == wanted:
        return None
    return "found a value that is made from an image of params.env, and does not follow it"


def _pairs(value: Json, other: Json, path: Path = ()) -> Iterator[tuple[Path, Json, Json]]:
    """Yield the leaves of two values at the same places, and what only one of them has."""
    if isinstance(value, dict) and isinstance(other, dict):
        for key in value.keys() | other.keys():
            yield from _pairs(value.get(key), other.get(key), (*path, key))
    elif isinstance(value, list) and isinstance(other, list) and len(value) == len(other):
        for index, (each, there) in enumerate(zip(value, other, strict=True)):
            yield from _pairs(each, there, (*path, index))
    else:
        yield path, value, other


def _is_own(manifest: Manifest, params: Params) -> bool:
    return manifest.id.kind == "ConfigMap" and manifest.body.get("data") == params.data


def _hashed(params: Params | None, unit: Unit) -> str:
    """Return what the ConfigMap of parameters is called, which kustomize puts wherever it is named."""
    assert params is not None
    return next((each.id.name for each in unit.final if _is_own(each, params)), params.config_map)
