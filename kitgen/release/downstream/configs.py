"""manifests-config.yaml, of either kind → manifest sources and images.

bundle-patch.yaml, additional-images-patch.yaml and ImageStreams → images under names.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from kitgen.findings import Origin, Step
from kitgen.kit.foreign_objects import objects_in
from kitgen.kit.manifests import Intake
from kitgen.release.downstream.data import documents, inside, listed, misshapen, named, repository_of, text
from kitgen.release.downstream.records import (
    DownstreamFile,
    DownstreamManifestSource,
    Record,
    RelatedImage,
    RelatedImages,
    Sources,
    Stream,
    StreamTag,
)
from kitgen.text.yaml import JsonObject

COMMIT = re.compile(r"[0-9a-f]{7,40}")
COMPUTED = "github."
"""How a ref begins that a workflow fills in."""


def read_config(file: DownstreamFile, intake: Intake) -> Iterator[Record]:
    """Yield what a file says of sources and images; nothing if it says neither."""
    found, wrong = documents(file, intake)
    yield from wrong
    for data, origin in found:
        for key, read in (("components", _components), ("map", _mapped)):
            if key in data and not isinstance(data[key], dict):
                yield misshapen(data, (key,), "a mapping of manifest sources", origin)
            elif key in data:
                yield Sources(origin=origin.at(key), entries=tuple(read(data, origin)))
        if images := tuple(_overrides(data, origin)):
            yield RelatedImages(origin=origin.at("imageOverrides"), images=images)


def _components(data: JsonObject, origin: Origin) -> Iterator[DownstreamManifestSource]:
    for key, platforms in named(data, "components").items():
        for platform, said in named(platforms).items():
            ref, _, commit = text(said, "ref").partition("@")
            yield DownstreamManifestSource(
                folder=key,
                repository=text(said, "repo"),
                ref=ref,
                commit=commit,
                path=text(said, "sourcePath"),
                platform=platform,
                origin=origin.at("components", key, platform),
            )


def _mapped(data: JsonObject, origin: Origin) -> Iterator[DownstreamManifestSource]:
    for key, said in named(data, "map").items():
        ref = text(said, "git.commit")
        is_commit = COMMIT.fullmatch(ref) is not None
        yield DownstreamManifestSource(
            folder=text(said, "dest"),
            repository=repository_of(text(said, "git.url")),
            ref="" if is_commit or ref.startswith(COMPUTED) else ref,
            commit=ref if is_commit else "",
            path=text(said, "src"),
            origin=origin.at("map", key),
        )


def _overrides(data: JsonObject, origin: Origin) -> Iterator[RelatedImage]:
    for name, said in named(data, "imageOverrides").items():
        for platform, image in named(said).items():
            base = text(image, "base") or text(said, "base")
            digest = text(image, "digest")
            path = ("digest",) if inside(image, "digest") else ()
            yield RelatedImage(
                name=name,
                image=f"{base}@{digest}" if digest else base,
                key=text(said, "paramsEnvKey"),
                platform=platform,
                origin=origin.at("imageOverrides", name, platform, *path),
            )


PATCHED = ("patch", "relatedImages")
ADDED = ("additionalImages",)
STREAM = "ImageStream"
SOFTWARE = ("notebook-software", "notebook-python-dependencies")
"""How annotations end that list what is in an image."""
LONGEST = 10_000


def read_patch(file: DownstreamFile, intake: Intake) -> Iterator[Record]:
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


def read_stream(file: DownstreamFile, intake: Intake) -> Iterator[Record]:
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
