"""bundle-patch.yaml, additional-images-patch.yaml and ImageStreams → images under names."""

from __future__ import annotations

import json
from collections.abc import Iterator

from kitgen.findings import Origin, Step
from kitgen.load.downstream.data import documents, inside, listed, misshapen, text
from kitgen.load.downstream.records import File, Record, RelatedImage, RelatedImages, Stream, StreamTag
from kitgen.load.foreign import objects_in
from kitgen.load.manifests import Intake
from kitgen.yamlio import JsonObject

PATCHED = ("patch", "relatedImages")
ADDED = ("additionalImages",)
STREAM = "ImageStream"
SOFTWARE = ("notebook-software", "notebook-python-dependencies")
"""How annotations end that list what is in an image."""
LONGEST = 10_000


def read_patch(file: File, intake: Intake) -> Iterator[Record]:
    """Yield the images that a build lists; nothing if it lists none."""
    found, wrong = documents(file, intake)
    yield from wrong
    for data, origin in found:
        for path in (PATCHED, ADDED):
            there = inside(data, *path)
            if there is not None and not isinstance(there, list):
                yield misshapen(data, path, "a list of name and value", origin)
            elif there is not None:
                images = tuple(_images(data, path, origin))
                yield RelatedImages(origin=origin.at(*path), images=images, whole=path == PATCHED)


def _images(data: JsonObject, path: tuple[str, ...], origin: Origin) -> Iterator[RelatedImage]:
    for index, each in listed(data, *path):
        steps: tuple[Step, ...] = (*path, index, "value")
        yield RelatedImage(name=text(each, "name"), image=text(each, "value"), origin=origin.at(*steps))


def read_stream(file: File, intake: Intake) -> Iterator[Record]:
    """Yield the ImageStreams of a file, out of lists too."""
    found, wrong = documents(file, intake)
    yield from wrong
    for data, origin in found:
        for each in objects_in(data, origin):
            if text(each.body, "kind") == STREAM:
                tags = tuple(_tags(each.body, each.origin))
                name = text(each.body, "metadata", "name")
                yield Stream(origin=each.origin, name=name, tags=tags)


def _tags(body: JsonObject, origin: Origin) -> Iterator[StreamTag]:
    for index, each in listed(body, "spec", "tags"):
        if text(each, "from", "kind") in ("", "DockerImage"):
            yield StreamTag(
                name=text(each, "name"),
                image=text(each, "from", "name"),
                software=tuple(_software(each)),
                origin=origin.at("spec", "tags", index),
            )


def _software(tag: JsonObject) -> Iterator[tuple[str, str]]:
    """Yield what annotations say of the software in an image: JSON, a list of names and versions."""
    notes = inside(tag, "annotations")
    for key, value in notes.items() if isinstance(notes, dict) else ():
        if str(key).endswith(SOFTWARE) and isinstance(value, str) and len(value) <= LONGEST:
            try:
                found = json.loads(value)
            except (ValueError, RecursionError):
                continue  # it is text for people then
            for _, each in listed({"": found}, ""):
                yield text(each, "name"), text(each, "version")
