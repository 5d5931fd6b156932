"""Find images where only some kinds have them, and in documents that texts hold.

`mentions` finds what any pod has. Here are steps and scripts of pipelines, image streams, image volumes,
what fields, variables and parameters say that are called after images, and short names in arguments.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kitgen.findings import Path
from kitgen.objects.dockerfiles import built_upon, is_dockerfile
from kitgen.objects.mentions import CONTAINERS, is_named, is_sure, mappings, mentions
from kitgen.objects.parts import NAMES, Around, below, joined
from kitgen.objects.reference import LONGEST
from kitgen.objects.saying import ARGUMENT, OPTION, holds_image, says_image
from kitgen.yamlio import Dialect, Json, JsonObject, YamlError, read_all

STEPS = ("steps", "sidecars")
"""Lists whose items run an image, in Tekton."""
SINGLE = ("container", "script", "stepTemplate")
"""What runs an image by itself, in Argo Workflows and Tekton."""
BARE = re.compile(r"""^[ \t]*(?:-[ \t]+)?image:[ \t]*["']?([a-z0-9][a-z0-9._-]*)["']?[ \t]*$""", re.MULTILINE)
"""The image of a container that is only a name, on a line of its own."""
VALUES = ("value", "default")
"""Where variables and parameters have what they say."""
REFERENCES = ("ref", "reference", "url", "uri")
LARGEST = 200_000
"""Characters of a text that is read as documents."""
DEEPEST = 3
"""Documents in texts of documents."""


def loosely(body: Json, deepest: int = DEEPEST) -> Iterator[tuple[Path, str]]:
    """Yield images and their places; those in documents have the place of the text."""
    for path, value, around in _walk(body):
        if isinstance(value, str):
            yield path, value
            continue
        yield from (((*path, *steps), image) for steps, image in _in_mapping(value, around))
        for key, text in value.items():
            if isinstance(text, str):
                found = _in_text(text, deepest - 1) if deepest else iter(())
                yield from (((*path, key), image) for image in found)
                if is_dockerfile(key):
                    yield from (((*path, key), image) for image in built_upon(text))


def _walk(body: Json) -> Iterator[tuple[Path, Json, Around]]:
    """Yield every mapping with what is said of it above, and texts below images that are some for sure."""
    todo: list[tuple[Path, Json, Around]] = [((), body, Around())]
    for path, value, around in todo:  # which grows meanwhile
        if isinstance(value, dict):
            yield path, value, around
            inner = below(around, value)
            for key, each in value.items():
                if isinstance(each, dict | list):
                    said = around.of_images or says_image(key)
                    todo.append(((*path, key), each, inner._replace(of_images=said)))
                elif around.of_images and isinstance(each, str) and is_sure(each):
                    yield (*path, key), each, around
        elif isinstance(value, list):
            for at, each in enumerate(value):
                if isinstance(each, dict | list):
                    todo.append(((*path, at), each, around))
                elif around.of_images and is_named(each):
                    yield (*path, at), each, around


def _in_mapping(mapping: JsonObject, around: Around) -> Iterator[tuple[Path, str]]:
    yield from joined(mapping, around)
    for key, value in mapping.items():
        if key in STEPS or key in CONTAINERS:
            yield from _of_runners(key, value)
        elif key in SINGLE and isinstance(value, dict) and is_named(value.get("image"), sure=True):
            yield (key, "image"), value["image"]
        elif key not in NAMES and says_image(key) and is_named(value, sure=holds_image(key, value)):
            yield (key,), value
    if mapping.get("kind") == "DockerImage" and is_named(mapping.get("name"), sure=True):
        yield ("name",), mapping["name"]
    if is_named(mapping.get("dockerImageRepository"), sure=True):
        yield ("dockerImageRepository",), mapping["dockerImageRepository"]
    yield from _named(mapping, around)


def _named(mapping: JsonObject, around: Around) -> Iterator[tuple[Path, str]]:
    """Yield what a variable or parameter has that is called after images, and what refers to one."""
    if says_image(name := called(mapping)):
        for key in VALUES:
            if is_named(mapping.get(key), sure=holds_image(name, mapping.get(key))):
                yield (key,), mapping[key]
    if around.of_images:
        yield from (((key,), mapping[key]) for key in REFERENCES if is_named(mapping.get(key)))


def called(mapping: JsonObject) -> str:
    """Return what a variable or parameter is called; empty if it has no name."""
    name = mapping.get("name", mapping.get("key"))
    return name if isinstance(name, str) else ""


def _of_runners(key: str, items: Json) -> Iterator[tuple[Path, str]]:
    """Yield images of steps, and what containers name in arguments by a short name."""
    for index, each in enumerate(items if isinstance(items, list) else ()):
        if not isinstance(each, dict):
            continue
        if key in STEPS and is_named(each.get("image"), sure=True):
            yield (key, index, "image"), each["image"]
        for field in ("command", "args"):
            words = each.get(field)
            for at, word in _optioned(words if isinstance(words, list) else []):
                yield (key, index, field, at), word


def _optioned(words: list[Json]) -> Iterator[tuple[int, str]]:
    for at, word in enumerate(words):
        if not isinstance(word, str) or len(word) > LONGEST:
            continue
        if (match := ARGUMENT.fullmatch(word)) and is_named(match[1]):
            yield at, match[1]
        elif at and isinstance(words[at - 1], str) and OPTION.fullmatch(words[at - 1]) and is_named(word):
            yield at, word


def _in_text(text: str, deepest: int) -> Iterator[str]:
    """Yield the images of documents in a text, if it is some and speaks of images."""
    speaks = "mage" in text or "IMAGE" in text
    if len(text) > LARGEST or not speaks or not ("\n" in text or text.lstrip()[:1] in ("{", "[")):
        return
    try:
        documents = read_all(text, dialect=Dialect.KUBECTL)
    except YamlError:  # a template of documents: what has a registry or tag is found as a word
        yield from BARE.findall(text) if "ontainers:" in text else ()
        return
    for each in documents:
        if isinstance(each, dict | list):
            yield from (found.image for found in mentions(mappings(each)) if is_named(found.image, sure=True))
            yield from (image for _, image in loosely(each, deepest))
