"""manifests-config.yaml, of either kind → manifest sources and images."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kitgen.findings import Origin
from kitgen.load.downstream.data import documents, inside, misshapen, named, repository_of, text
from kitgen.load.downstream.records import (
    File,
    ManifestSource,
    Record,
    RelatedImage,
    RelatedImages,
    Sources,
)
from kitgen.load.manifests import Intake
from kitgen.yamlio import JsonObject

COMMIT = re.compile(r"[0-9a-f]{7,40}")
COMPUTED = "github."
"""How a ref begins that a workflow fills in."""


def read_config(file: File, intake: Intake) -> Iterator[Record]:
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


def _components(data: JsonObject, origin: Origin) -> Iterator[ManifestSource]:
    for key, platforms in named(data, "components").items():
        for platform, said in named(platforms).items():
            ref, _, commit = text(said, "ref").partition("@")
            yield ManifestSource(
                folder=key,
                repository=text(said, "repo"),
                ref=ref,
                commit=commit,
                path=text(said, "sourcePath"),
                platform=platform,
                origin=origin.at("components", key, platform),
            )


def _mapped(data: JsonObject, origin: Origin) -> Iterator[ManifestSource]:
    for key, said in named(data, "map").items():
        ref = text(said, "git.commit")
        is_commit = COMMIT.fullmatch(ref) is not None
        yield ManifestSource(
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
