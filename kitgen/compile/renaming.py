"""Other names of images in what a target renders: digests that are locked, and those of a mirror."""

from __future__ import annotations

import re
from collections.abc import Mapping

from msgspec.structs import replace

from kitgen.model import Item, Layer, Part, Release, Settings, Target
from kitgen.objects.reference import reference
from kitgen.yamlio import Json

PART = re.compile(r"[^=,\n]+")
"""What may be a whole image: in an argument such as --image=REF, a list such as A=REF,B=REF, or a line."""


def renames_of(target: Target, release: Release) -> dict[str, str]:
    """Return image as specs write it → as it is rendered, of those that get another name."""
    locked = {}
    if target.digests and release.lock:
        locked = {each.image: with_digest(each.image, each.digest) for each in release.lock.images.values()}
    mirrored = target.mirrored
    return {**mirrored, **{image: mirrored.get(named, named) for image, named in locked.items()}}


def with_digest(image: str, digest: str) -> str:
    """Return an image by its digest, in place of the tag."""
    parts = reference(image)
    tag = f":{parts.tag}" if parts and parts.tag else ""
    return f"{image.removesuffix(tag)}@{digest}"


def rename_part(part: Part, renames: Mapping[str, str]) -> Part:
    """Return a part in which every image has its other name: as a value, or whole in a text."""
    return Part({key: _items(items, renames) for key, items in part.sections.items()}) if renames else part


def rename_settings(settings: Settings, renames: Mapping[str, str]) -> Settings:
    """Return settings of a target with the same in configuration, variables and patches."""
    if not renames:
        return settings
    return replace(
        settings,
        config=tuple(_layer(each, renames) for each in settings.config),
        env={name: _layer(each, renames) for name, each in settings.env.items()},
        patches=_items(settings.patches, renames),
    )


def _items(items: tuple[Item, ...], renames: Mapping[str, str]) -> tuple[Item, ...]:
    return tuple(replace(item, layers=tuple(_layer(each, renames) for each in item.layers)) for item in items)


def _layer(layer: Layer, renames: Mapping[str, str]) -> Layer:
    data = _value(layer.data, renames)
    return layer if data == layer.data else replace(layer, data=data)


def _value(value: Json, renames: Mapping[str, str]) -> Json:
    if isinstance(value, str):
        return renames.get(value) or PART.sub(lambda part: _part(part[0], renames), value)
    if isinstance(value, dict):
        return {key: _value(item, renames) for key, item in value.items()}
    return [_value(item, renames) for item in value] if isinstance(value, list) else value


def _part(text: str, renames: Mapping[str, str]) -> str:
    """Return the other name of an image; a word alone may be anything beside = and commas."""
    return renames.get(text, text) if "/" in text or ":" in text else text
