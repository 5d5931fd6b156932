"""Rewrite images of rendered objects: to locked digests, and to the names of a mirror."""

from __future__ import annotations

import re
from collections.abc import Mapping

from msgspec.structs import replace

from kitgen.kit.model import ComponentPart, Layer, Release, SectionItem, Settings, Target
from kitgen.kube.image_fields import REFERENCES, VALUES, find_image_fields, get_variable_name, is_image_part
from kitgen.kube.image_mentions import (
    FEW,
    KEY,
    OPTION,
    ImageWord,
    is_image_key,
    parse_escaped_json,
    split_image_words,
)
from kitgen.kube.image_reference import is_tagged, parse_image_reference, remove_tag
from kitgen.text.patterns import compile_late
from kitgen.text.yaml import Json, JsonObject

NAMING = ("deployment", "params")
"""Sections that name images of the component, by words that may be images, too."""
BEHIND = compile_late(rf"""(?:{KEY}|img)["']?(?:[ \t]*[:=])?[ \t]*["']?$""", re.ASCII | re.IGNORECASE)
"""What stands before a word of a text that is an image, even if it says no tag."""
JOINED = compile_late(r"""[{(]|["'][\w$]|\.\.""", re.ASCII)
"""What goes on with a word: a template, a variable of a shell, more of it behind quotes, or dots for more."""
SLASH = compile_late(r"(?<!\\)((?:\\\\)*)\\/")
"""A slash behind a backslash, as some programs write it in JSON."""
STAR = "*"
"""Behind a word it stands for any text, unless one before it makes both an emphasis."""


def find_image_renames(target: Target, release: Release) -> dict[str, str]:
    """Return image as specs write it → as it is rendered, of those that get another name."""
    renames = dict(target.mirrored)
    for each in release.lock.images.values() if target.digests and release.lock else ():
        parts = parse_image_reference(each.image)
        tag = f":{parts.tag}" if parts and parts.tag else ""
        named = f"{each.image.removesuffix(tag)}@{each.digest}"
        renames[each.image] = target.mirrored.get(named, named)
    return renames


def rename_images_in_part(part: ComponentPart, renames: Mapping[str, str]) -> ComponentPart:
    """Return a part in which every image has its other name: as a value, or as a word of a text."""
    if not renames:
        return part
    longer = {image: name for image, name in renames.items() if "/" in image or ":" in image}
    return ComponentPart(
        {
            key: _rename_in_items(items, longer if key in NAMING else renames)
            for key, items in part.sections.items()
        }
    )


def rename_images_in_settings(settings: Settings, renames: Mapping[str, str]) -> Settings:
    """Return settings of a target with the same in configuration, variables and patches."""
    if not renames:
        return settings
    return replace(
        settings,
        config=tuple(_rename_in_layer(each, renames) for each in settings.config),
        env={name: _rename_in_layer(each, renames) for name, each in settings.env.items()},
        patches=_rename_in_items(settings.patches, renames),
    )


def _rename_in_items(items: tuple[SectionItem, ...], renames: Mapping[str, str]) -> tuple[SectionItem, ...]:
    return tuple(
        replace(item, layers=tuple(_rename_in_layer(each, renames) for each in item.layers)) for item in items
    )


def _rename_in_layer(layer: Layer, renames: Mapping[str, str]) -> Layer:
    data = rename_images(layer.data, renames)
    return layer if data == layer.data else replace(layer, data=data)


def rename_images(value: Json, renames: Mapping[str, str]) -> Json:
    """Return a value in which images have their other names."""
    return _rename_in_value(value, renames, "") if renames else value


def _rename_in_value(value: Json, renames: Mapping[str, str], key: str) -> Json:
    """Return the same of what stands under a key."""
    if isinstance(value, str):
        return _rename_in_text(value, renames, key)
    if isinstance(value, dict):
        return {
            name: _rename_in_value(item, renames, _find_image_key(value, name, key))
            for name, item in value.items()
        }
    if isinstance(value, list):
        return [
            _rename_in_value(item, renames, _find_item_key(last, item, key))
            for last, item in zip(("", *value), value, strict=False)
        ]
    return value


def _find_image_key(mapping: JsonObject, name: str, key: str) -> str:
    """Return what marks a value as an image: its key, the name of a variable, or a list of images.

    Of what is a part of an image, nothing does: with another name, the parts beside it would be wrong.
    """
    if not isinstance(mapping[name], str):
        return name
    if is_image_part(mapping, name):
        return ""
    if name in VALUES and (said := get_variable_name(mapping)):
        return said
    if name == "dockerImageRepository" or (name == "name" and mapping.get("kind") == "DockerImage"):
        return "image"
    return key if name in REFERENCES or key.lower().endswith("images") else name


def _find_item_key(last: Json, item: Json, key: str) -> str:
    """Return the same of an item of a list, which may follow an option such as --image."""
    if not isinstance(item, str):
        return ""
    return "image" if isinstance(last, str) and OPTION.fullmatch(last) else key


def _rename_in_text(text: str, renames: Mapping[str, str], key: str) -> str:
    """Return a text with other names for what is a whole image in it.

    What says no tag may be anything, unless it is said to be an image; a name alone is one by itself only.
    """
    if text in renames and (is_tagged(text) or is_image_key(key)):
        return renames[text]
    if "\\/" in text and parse_escaped_json(text) is not None:
        plain = SLASH.sub(r"\1/", text)
        made = _rename_in_text(plain, renames, key)
        return made if made != plain else text
    return _rename_words(text, renames)


def _rename_words(text: str, renames: Mapping[str, str]) -> str:
    """Return a text with other names for the words of it that are images."""
    found = [each for each in split_image_words(text) if each.text in renames and _is_image(each, text)]
    parts = set()
    if not all(is_tagged(each.text) for each in found):
        # What documents in the text say without their tags, which stand in other fields.
        said = {each.text for each in split_image_words(text)}
        parts = {remove_tag(image) for _, image in find_image_fields({"": text}) if image not in said}
    made, done = [], 0
    for start, word in (each for each in found if each.text not in parts):
        made += [text[done:start], renames[word]]
        done = start + len(word)
    return "".join((*made, text[done:]))


def _is_image(word: ImageWord, text: str) -> bool:
    """Return whether a word is an image by what is around it, and no part of a longer name."""
    end = word.start + len(word.text)
    before, behind = text[max(0, word.start - FEW) : word.start], text[end : end + 2]
    if before.endswith((")", "}")) or JOINED.match(behind):
        return False
    if behind.startswith(STAR) and not before.endswith(STAR):
        return False
    return is_tagged(word.text) or ("/" in word.text and BEHIND.search(before) is not None)
