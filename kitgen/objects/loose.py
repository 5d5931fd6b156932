"""Find images where only some kinds have them, and in documents that texts hold.

`mentions` finds what any pod has. Here are steps and scripts of pipelines, image streams, image volumes,
images that are written in parts, and short names in variables and arguments.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kitgen.findings import Path
from kitgen.objects.mentions import CONTAINERS, is_named, mappings, mentions
from kitgen.objects.reference import LONGEST
from kitgen.yamlio import Dialect, Json, JsonObject, YamlError, read_all

STEPS = ("steps", "sidecars")
"""Lists whose items run an image, in Tekton."""
SINGLE = ("container", "script", "stepTemplate")
"""What runs an image by itself, in Argo Workflows and Tekton."""
VARIABLE = re.compile(r"RELATED_IMAGE_\w+|(?:\w+_)?(?:IMAGE|IMG)(?:_URL|_REF)?", re.ASCII)
OPTION = re.compile(r"--?(?:[a-z0-9-]+-)?(?:image|img)", re.ASCII)
ASSIGNED = re.compile(r"--?(?:[a-z0-9-]+-)?(?:image|img)=(.+)", re.ASCII)
IMAGES = re.compile(r"(?:.*[a-z_-])?images?|.*Images?", re.ASCII)
LARGEST = 200_000
"""Characters of a text that is read as documents."""
DEEPEST = 3
"""Documents in texts of documents."""


def says_image(key: str) -> bool:
    """Tell whether a key, or the name of a variable, says that its value is an image."""
    return bool(IMAGES.fullmatch(key) or VARIABLE.fullmatch(key)) or key == "dockerImageRepository"


def loosely(body: Json, deepest: int = DEEPEST) -> Iterator[tuple[Path, str]]:
    """Yield images and their places; those in documents have the place of the text."""
    for path, mapping in mappings(body):
        for steps, image in _in_mapping(mapping):
            yield (*path, *steps), image
        if deepest:
            for key, value in mapping.items():
                if isinstance(value, str):
                    for image in _in_text(value, deepest - 1):
                        yield (*path, key), image


def _in_mapping(mapping: JsonObject) -> Iterator[tuple[Path, str]]:
    for key, value in mapping.items():
        if key in STEPS or key in CONTAINERS:
            yield from _of_runners(key, value)
        elif key in SINGLE and isinstance(value, dict) and is_named(value.get("image"), sure=True):
            yield (key, "image"), value["image"]
        elif isinstance(key, str) and IMAGES.fullmatch(key):
            yield from _of_images(key, value)
    if mapping.get("kind") == "DockerImage" and is_named(mapping.get("name"), sure=True):
        yield ("name",), mapping["name"]
    if is_named(mapping.get("dockerImageRepository"), sure=True):
        yield ("dockerImageRepository",), mapping["dockerImageRepository"]


def _of_runners(key: str, items: Json) -> Iterator[tuple[Path, str]]:
    """Yield images of steps, and what containers name in variables and arguments by a short name."""
    for index, each in enumerate(items if isinstance(items, list) else ()):
        if not isinstance(each, dict):
            continue
        if key in STEPS and is_named(each.get("image"), sure=True):
            yield (key, index, "image"), each["image"]
        env = each.get("env")
        for at, item in enumerate(env if isinstance(env, list) else ()):
            named = isinstance(item, dict) and VARIABLE.fullmatch(str(item.get("name")))
            if named and is_named(item.get("value")):
                yield (key, index, "env", at, "value"), item["value"]
        for field in ("command", "args"):
            words = each.get(field)
            for at, word in _optioned(words if isinstance(words, list) else []):
                yield (key, index, field, at), word


def _optioned(words: list[Json]) -> Iterator[tuple[int, str]]:
    for at, word in enumerate(words):
        if not isinstance(word, str) or len(word) > LONGEST:
            continue
        if (match := ASSIGNED.fullmatch(word)) and is_named(match[1]):
            yield at, match[1]
        elif at and isinstance(words[at - 1], str) and OPTION.fullmatch(words[at - 1]) and is_named(word):
            yield at, word


def _of_images(key: str, value: Json) -> Iterator[tuple[Path, str]]:
    """Yield what a field says that is called after images: one, some, or one in parts."""
    if is_named(value):
        yield (key,), value
    elif isinstance(value, list):
        yield from (((key, at), each) for at, each in enumerate(value) if is_named(each))
    elif isinstance(value, dict):
        if is_named(value.get("reference")):
            yield (key, "reference"), value["reference"]
        elif whole := _joined(value):
            yield (key, "repository"), whole
        elif key.lower().endswith("images"):
            yield from (((key, name), each) for name, each in value.items() if is_named(each))


def _joined(parts: JsonObject) -> str:
    """Return an image that is written in parts; empty if they make none."""
    named = [parts.get(key) for key in ("registry", "repository", "tag", "digest")]
    registry, repository, tag, digest = (str(each) if isinstance(each, str | int) else "" for each in named)
    if not repository:
        return ""
    whole = f"{registry}/{repository}" if registry else repository
    whole += f"@{digest}" if digest else f":{tag}" if tag else ""
    return whole if is_named(whole) else ""


def _in_text(text: str, deepest: int) -> Iterator[str]:
    """Yield the images of documents in a text, if it is some and speaks of images."""
    if len(text) > LARGEST or "mage" not in text or not ("\n" in text or text.lstrip()[:1] in ("{", "[")):
        return
    try:
        documents = read_all(text, dialect=Dialect.KUBECTL)
    except YamlError:
        return
    for each in documents:
        if isinstance(each, dict | list):
            yield from (found.image for found in mentions(mappings(each)) if is_named(found.image, sure=True))
            yield from (image for _, image in loosely(each, deepest))
