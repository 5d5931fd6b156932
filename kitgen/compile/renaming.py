"""Other names of images in what a target renders: digests that are locked, and those of a mirror."""

from __future__ import annotations

import re
from collections.abc import Mapping

from msgspec.structs import replace

from kitgen.model import Item, Layer, Part, Release, Settings, Target
from kitgen.objects.loose import OPTION
from kitgen.objects.mentions import FEW, words
from kitgen.objects.reference import reference
from kitgen.objects.saying import says_image
from kitgen.yamlio import Json, JsonObject

NAMING = ("deployment", "params")
"""Sections that name images of the component, by words that may be images, too."""
BEHIND = re.compile(r"""(?:image|img)["']?(?:[ \t]*[:=])?[ \t]*["']?$""", re.ASCII | re.IGNORECASE)
"""What stands before a word of a text that is an image, even if it says no tag."""
JOINED = re.compile(r"""[{(]|["'][\w$]|\.\.""", re.ASCII)
"""What goes on with a word: a template, a variable of a shell, more of it behind quotes, or dots for more."""
STAR = "*"
"""Behind a word it stands for any text, unless one before it makes both an emphasis."""


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
    """Return a part in which every image has its other name: as a value, or as a word of a text."""
    if not renames:
        return part
    longer = {image: name for image, name in renames.items() if "/" in image or ":" in image}
    sections = part.sections.items()
    return Part({key: _items(items, longer if key in NAMING else renames) for key, items in sections})


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
    data = renamed(layer.data, renames)
    return layer if data == layer.data else replace(layer, data=data)


def renamed(value: Json, renames: Mapping[str, str], key: str = "") -> Json:
    """Return a value in which images have their other names; the key is what it stands under."""
    if not renames:
        return value
    if isinstance(value, str):
        return _text(value, renames, key)
    if isinstance(value, dict):
        return {name: renamed(item, renames, _under(value, name, item, key)) for name, item in value.items()}
    if not isinstance(value, list):
        return value
    before = ("", *value)
    return [
        renamed(item, renames, _beside(last, item, key)) for last, item in zip(before, value, strict=False)
    ]


def _under(mapping: JsonObject, name: str, item: Json, key: str) -> str:
    """Return what tells whether a value is an image: its key, the name of a variable, or a list of images."""
    if not isinstance(item, str):
        return name
    if name == "value":
        return str(mapping.get("name"))
    if name == "dockerImageRepository" or (name == "name" and mapping.get("kind") == "DockerImage"):
        return "image"
    return key if name == "reference" or key.lower().endswith("images") else name


def _beside(last: Json, item: Json, key: str) -> str:
    """Return the same of an item of a list, which may follow an option such as --image."""
    if not isinstance(item, str):
        return ""
    return "image" if isinstance(last, str) and OPTION.fullmatch(last) else key


def _text(text: str, renames: Mapping[str, str], key: str) -> str:
    """Return a text with other names for what is a whole image in it.

    What says no tag may be anything, unless it is said to be an image; a name alone is one by itself only.
    """
    if text in renames and (_says_which(text) or says_image(key)):
        return renames[text]
    made, done = [], 0
    for start, word, _ in words(text):
        end = start + len(word)
        if word in renames and _is_image(word, text[max(0, start - FEW) : start], text[end : end + 2]):
            made += [text[done:start], renames[word]]
            done = end
    return "".join((*made, text[done:]))


def _is_image(word: str, before: str, behind: str) -> bool:
    """Tell whether a word is an image by what is around it, and no part of a longer name."""
    if before.endswith((")", "}")) or JOINED.match(behind):
        return False
    if behind.startswith(STAR) and not before.endswith(STAR):
        return False
    return _says_which(word) or ("/" in word and BEHIND.search(before) is not None)


def _says_which(image: str) -> bool:
    return "@" in image or ":" in image.rpartition("/")[2]
