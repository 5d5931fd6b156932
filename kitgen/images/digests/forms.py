"""Forms in which digests of images come: outputs of skopeo, oc and crane, and relatedImages of bundles."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.findings import Origin, make_problem
from kitgen.images.digests.records import Found, build_image_digest, format_platform
from kitgen.kit.model.release import EVERY_PLATFORM
from kitgen.olm.packages.records import CSV
from kitgen.text.patterns import compile_late
from kitgen.text.values import entries_at, map_at, text_at
from kitgen.text.wording import describe_value, quote_text
from kitgen.text.yaml import JsonObject

RELATED = "relatedImages"
PACKAGE = "olm.package"
"""The property of a bundle in a catalog that says its version."""
REGISTRY = "docker://"
START = compile_late(r"sha(?:256|512):\S*(?:\s|\Z)|[^\s{\[\"'#-]\S*@sha(?:256|512):\S*(?:\s|\Z)")
"""How a line starts that tells a digest, be it right or not; no JSON or YAML of the other forms starts so."""
LONGEST = 4_000
EXPECTED = "sha256:…, IMAGE@sha256:… or sha256:… docker://IMAGE"


def find_digests(data: JsonObject, origin: Origin) -> Iterator[Found]:
    """Yield what a mapping tells; one of none of the forms tells nothing."""
    if data.get("kind") == CSV or isinstance(data.get(RELATED), list):
        yield from _find_related_images(data, origin)
    elif {"name", "digest"} <= data.keys() and not data.keys().isdisjoint(
        ("contentDigest", "listDigest", "layers")
    ):
        yield _find_oc_digest(data, origin)
    elif {"Name", "Digest"} <= data.keys():
        # What the tag leads to: the index, where there is one.
        where, tag = origin.at("Digest"), text_at(data, "Tag")
        source, platform = "skopeo inspect", EVERY_PLATFORM
        yield build_image_digest(data["Name"], data["Digest"], source, where, platform=platform, tag=tag)


def _find_oc_digest(data: JsonObject, origin: Origin) -> Found:
    """Return the digest of the index; without one, that of the only platform."""
    if data.get("listDigest"):
        key, platform = "listDigest", EVERY_PLATFORM
    else:
        key, platform = "digest", format_platform(map_at(data, "config"))
    return build_image_digest(data["name"], data[key], "oc image info", origin.at(key), platform=platform)


def _find_related_images(data: JsonObject, origin: Origin) -> Iterator[Found]:
    """Yield the images that are listed by digest; what has a tag alone tells none."""
    package, version = _find_bundle_version(data)
    path = ("spec", RELATED) if data.get("kind") == CSV else (RELATED,)
    for at, each in entries_at(data, *path):
        image, where = each.get("image"), origin.at(*path, at, "image")
        if not isinstance(image, str):
            yield make_problem(
                "digest-form", f"found {describe_value(image)}, expected an image with a digest"
            ).to_finding(where)
        elif "@" in image:
            name, _, digest = image.partition("@")
            yield build_image_digest(name, digest, RELATED, where, version=version, package=package)


def _find_bundle_version(data: JsonObject) -> tuple[str, str]:
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


def has_digest_lines(text: str) -> bool:
    """Return whether the first line that says something tells a digest."""
    return any(START.match(line) for _, line in [*select_content_lines(text[: 10 * LONGEST])][:1])


def select_content_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines that say something, with their numbers and without space around them."""
    for number, line in enumerate(map(str.strip, text.splitlines()), 1):
        if line and not line.startswith("#"):
            yield number, line


def parse_digest_lines(file: str, text: str) -> Iterator[Found]:
    """Yield what each line tells; it does not say which tool printed it."""
    for number, line in select_content_lines(text):
        origin = Origin(file, (), number)
        match line.split(maxsplit=2) if len(line) <= LONGEST else []:
            case [word]:
                yield build_image_digest(word if "@" in word else None, word.rpartition("@")[2], "", origin)
            case [digest, place] if place.startswith(REGISTRY):
                yield build_image_digest(place.removeprefix(REGISTRY), digest, "", origin)
            case _:
                yield make_problem(
                    "digest-form", f"found {quote_text(line)}, expected {EXPECTED}"
                ).to_finding(origin)
