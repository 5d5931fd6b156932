"""Forms in which digests of images come: outputs of skopeo, oc and crane, and relatedImages of bundles."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kitgen.findings import Origin, problem
from kitgen.images.digests.records import Found, platform_of, told
from kitgen.kit.model.release import EVERY_PLATFORM
from kitgen.olm.packages.records import CSV
from kitgen.text.values import entries_at, map_at, text_at
from kitgen.text.wording import cut, shown
from kitgen.text.yaml import JsonObject

RELATED = "relatedImages"
PACKAGE = "olm.package"
"""The property of a bundle in a catalog that says its version."""
REGISTRY = "docker://"
START = re.compile(r"sha(?:256|512):\S*(?:\s|\Z)|[^\s{\[\"'#-]\S*@sha(?:256|512):\S*(?:\s|\Z)")
"""How a line starts that tells a digest, be it right or not; no JSON or YAML of the other forms starts so."""
LONGEST = 4_000
EXPECTED = "sha256:…, IMAGE@sha256:… or sha256:… docker://IMAGE"


def read_data(data: JsonObject, origin: Origin) -> Iterator[Found]:
    """Yield what a mapping tells; one of none of the forms tells nothing."""
    if data.get("kind") == CSV or isinstance(data.get(RELATED), list):
        yield from _related(data, origin)
    elif {"name", "digest"} <= data.keys() and not data.keys().isdisjoint(
        ("contentDigest", "listDigest", "layers")
    ):
        yield _of_oc(data, origin)
    elif {"Name", "Digest"} <= data.keys():
        # What the tag leads to: the index, where there is one.
        where, tag = origin.at("Digest"), text_at(data, "Tag")
        source, platform = "skopeo inspect", EVERY_PLATFORM
        yield told(data["Name"], data["Digest"], source, where, platform=platform, tag=tag)


def _of_oc(data: JsonObject, origin: Origin) -> Found:
    """Return the digest of the index; without one, that of the only platform."""
    if data.get("listDigest"):
        key, platform = "listDigest", EVERY_PLATFORM
    else:
        key, platform = "digest", platform_of(map_at(data, "config"))
    return told(data["name"], data[key], "oc image info", origin.at(key), platform=platform)


def _related(data: JsonObject, origin: Origin) -> Iterator[Found]:
    """Yield the images that are listed by digest; what has a tag alone tells none."""
    package, version = _bundle(data)
    path = ("spec", RELATED) if data.get("kind") == CSV else (RELATED,)
    for at, each in entries_at(data, *path):
        image, where = each.get("image"), origin.at(*path, at, "image")
        if not isinstance(image, str):
            yield problem("digest-form", f"found {shown(image)}, expected an image with a digest").at(where)
        elif "@" in image:
            name, _, digest = image.partition("@")
            yield told(name, digest, RELATED, where, version=version, package=package)


def _bundle(data: JsonObject) -> tuple[str, str]:
    """Return package and version of a ClusterServiceVersion or of a bundle in a catalog, if it says them."""
    if data.get("kind") == CSV:
        version, name = text_at(data, "spec", "version"), text_at(data, "metadata", "name")
        package, ending, _ = name.rpartition(f".v{version}")
        return (package if version and ending else ""), version
    for _, each in entries_at(data, "properties"):
        if each.get("type") == PACKAGE:
            package = text_at(each, "value", "packageName") or text_at(data, "package")
            return package, text_at(each, "value", "version")
    return "", ""


def is_lines(text: str) -> bool:
    """Return whether the first line that says something tells a digest."""
    return any(START.match(line) for _, line in [*said_lines(text[: 10 * LONGEST])][:1])


def said_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines that say something, with their numbers and without space around them."""
    for number, line in enumerate(map(str.strip, text.splitlines()), 1):
        if line and not line.startswith("#"):
            yield number, line


def read_lines(file: str, text: str) -> Iterator[Found]:
    """Yield what each line tells; it does not say which tool printed it."""
    for number, line in said_lines(text):
        origin = Origin(file, (), number)
        match line.split(maxsplit=2) if len(line) <= LONGEST else []:
            case [word]:
                yield told(word if "@" in word else None, word.rpartition("@")[2], "", origin)
            case [digest, place] if place.startswith(REGISTRY):
                yield told(place.removeprefix(REGISTRY), digest, "", origin)
            case _:
                yield problem("digest-form", f"found {cut(line)}, expected {EXPECTED}").at(origin)
