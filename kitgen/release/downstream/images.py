"""Images that builds put into a platform's operator, and ImageStreams.

bundle-patch.yaml, additional-images-patch.yaml and manifests-config.yaml list the first: their variables are
those that the release reads, and their digests the newest. Of ImageStreams, names are names and images
images, and they follow the release.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from kitgen.findings import Finding, Origin, near, problem, rule
from kitgen.release.downstream.records import (
    Csv,
    Downstream,
    DownstreamFile,
    NamedVersion,
    Record,
    RelatedImage,
    RelatedImages,
    Stream,
    maps_at,
    misshapen,
    scalar_at,
)
from kitgen.release.downstream.terms import ReleaseTerms, check_tag, held, image_of, plain
from kitgen.text.semver import is_version
from kitgen.text.values import entries_at, map_at, value_at
from kitgen.text.wording import cut, shown
from kitgen.text.yaml import JsonObject

STREAM_VERSION = rule("stream-version")

PATCHED = ("patch", "relatedImages")
ADDED = ("additionalImages",)
SOFTWARE = ("notebook-software", "notebook-python-dependencies")
"""How annotations end that list what is in an image."""
LONGEST = 10_000
SHORT = 12
"""Characters of a digest that tell it from others."""
SURE = 0.95
"""How alike a variable is to another one that is mistyped; many differ in a word."""


def overridden_images(data: JsonObject, origin: Origin) -> Iterator[RelatedImages]:
    """Yield the images that a manifests-config.yaml sets for each platform, if it does."""
    images = []
    for name, said in maps_at(data, "imageOverrides").items():
        for platform, image in maps_at(said).items():
            base = scalar_at(image, "base") or scalar_at(said, "base")
            digest = scalar_at(image, "digest")
            path = ("digest",) if value_at(image, "digest") else ()
            images.append(
                RelatedImage(
                    name=name,
                    value=f"{base}@{digest}" if digest else base,
                    key=scalar_at(said, "paramsEnvKey"),
                    platform=platform,
                    origin=origin.at("imageOverrides", name, platform, *path),
                )
            )
    if images:
        yield RelatedImages(origin=origin.at("imageOverrides"), entries=tuple(images))


def read_patch(data: JsonObject, origin: Origin, _file: DownstreamFile) -> Iterator[Record]:
    """Yield the images that a build lists; nothing if it lists none."""
    for path in (PATCHED, ADDED):
        if (there := value_at(data, *path)) is not None and not isinstance(there, list):
            yield misshapen(data, path, "a list of name and value", origin)
        elif there is not None:
            images = (
                RelatedImage(
                    name=scalar_at(each, "name"),
                    value=scalar_at(each, "value"),
                    origin=origin.at(*path, index, "value"),
                )
                for index, each in entries_at(there)
            )
            yield RelatedImages(origin=origin.at(*path), entries=tuple(images), whole=path == PATCHED)


def read_stream(body: JsonObject, origin: Origin, _file: DownstreamFile) -> Iterator[Record]:
    """Yield an ImageStream."""
    tags = [
        (origin.at("spec", "tags", index), each)
        for index, each in entries_at(body, "spec", "tags")
        if scalar_at(each, "from", "kind") in ("", "DockerImage")
    ]
    yield Stream(
        origin=origin,
        name=scalar_at(body, "metadata", "name"),
        entries=tuple(
            NamedVersion(value=scalar_at(each, "from", "name"), origin=at.at("from", "name"))
            for at, each in tags
        ),
        software=tuple(said for at, each in tags[:1] for said in _listed_software(each, at)),
    )


def _listed_software(tag: JsonObject, origin: Origin) -> Iterator[NamedVersion]:
    """Yield what annotations say of the software in an image: JSON, a list of names and versions."""
    for key, value in map_at(tag, "annotations").items():
        if str(key).endswith(SOFTWARE) and isinstance(value, str) and len(value) <= LONGEST:
            try:
                found = json.loads(value)
            except (ValueError, RecursionError):
                continue  # it is text for people then
            for _, each in entries_at(found):
                yield NamedVersion(
                    name=scalar_at(each, "name"),
                    value=scalar_at(each, "version"),
                    origin=origin.at("annotations"),
                )


def check_images(terms: ReleaseTerms, found: Downstream) -> Iterator[Finding | str]:
    """Yield digests that are behind or come twice, and variables that nobody reads."""
    lists = found.of(RelatedImages)
    for each in lists:
        yield from _shared(terms, each.entries)
        yield from _variables(terms, each)
    patched = {image.name: image for each in lists if each.whole for image in each.entries}
    for csv in found.of(Csv):
        yield from _behind(csv.related, patched)


def _brief(digest: str) -> str:
    return digest.partition(":")[2][:SHORT]


def _shared(terms: ReleaseTerms, images: Sequence[RelatedImage]) -> Iterator[Finding]:
    """Yield digests that come twice; one image under two names is meant, unless one of them is ours."""
    own = {name for each in terms.kit.releases.values() for name in each.related_images.values()}
    first: dict[tuple[str, str], RelatedImage] = {}
    for image in images:
        parts = image_of(image.value)
        if not parts.digest:
            continue
        other = first.setdefault((image.platform, parts.digest), image)
        same_place = image_of(other.value).repository == parts.repository
        alias = same_place and own.isdisjoint((other.name, image.name))
        if other.name != image.name and not alias:
            message = (
                f"found the digest {_brief(parts.digest)}… for {cut(image.name)} and for {cut(other.name)}"
            )
            yield problem("digest-shared", message).at(image.origin)


def _variables(terms: ReleaseTerms, listed: RelatedImages) -> Iterator[Finding]:
    """Yield variables that are written otherwise than the release has them, and those that are missing."""
    related = terms.release.related_images if terms.release else {}
    names = {each.name for each in listed.entries}
    missing = [each for each in dict.fromkeys(related.values()) if each not in names]
    others = _others(terms, related)
    for image in listed.entries:
        wanted = related.get(image.key) or others.get(image.name, image.name)
        slip = near(image.name, missing, sure=SURE)
        if wanted != image.name or slip:
            message = f"found {cut(image.name)}, which the release does not read"
            hint = slip or f"it reads {wanted}"
            missing = [each for each in missing if each != wanted and repr(each) not in slip]
            yield problem("related-variable", message, hint=hint).at(image.origin)
    for name in missing if listed.whole else ():
        yield problem("related-variable", f"found no {name}, which the release reads").at(listed.origin)


def _others(terms: ReleaseTerms, related: Mapping[str, str]) -> dict[str, str]:
    """Return variables that other releases read for an image, with the one that is read for it here."""
    return {
        name: related[key]
        for each in terms.kit.releases.values()
        for key, name in each.related_images.items()
        if key in related and name not in related.values()
    }


def _behind(related: Sequence[NamedVersion], patched: Mapping[str, RelatedImage]) -> Iterator[Finding]:
    told: set[str] = set()
    for image in related:
        other = patched.get(image.name)
        digest, wanted = image_of(image.value).digest, image_of(other.value).digest if other else ""
        if other and digest and wanted and digest != wanted and image.name not in told:
            told.add(image.name)
            message = f"found the digest {_brief(digest)}… for {cut(image.name)}, expected {_brief(wanted)}…"
            yield problem("digest-behind", message, hint=f"{other.origin.file} has it").at(image.origin)


def check_streams(terms: ReleaseTerms, found: Downstream) -> Iterator[Finding | str]:
    """Yield ImageStreams that a replacement hit, or that show another release."""
    for stream in found.of(Stream):
        if not stream.name or is_version(stream.name):
            message = f"found {shown(stream.name)}, expected the name of an ImageStream"
            yield problem("stream-name", message).at(stream.origin.at("metadata", "name"))
        yield from _software(terms, stream)
        for tag in stream.entries:
            if not tag.value or is_version(tag.value):  # what kustomize fills in may have any form
                message = f"found {shown(tag.value)}, expected an image with its registry"
                yield problem("stream-name", message).at(tag.origin)
            elif terms.release:
                yield from check_tag(STREAM_VERSION, tag, terms, terms.release)


def _software(terms: ReleaseTerms, stream: Stream) -> Iterator[Finding]:
    """Yield what the newest image of a stream lists otherwise; the others are of releases before it."""
    names = {plain(each): each for each in terms.release.records} if terms.release else {}
    for each in stream.software:
        known = terms.versions(names.get(plain(each.name), ""), terms.release)
        if known and not any(_begins(version, each.value) for version in known):
            yield problem("stream-software", f"{held(each.value, known)} for {cut(each.name)}").at(
                each.origin
            )


def _begins(known: str, version: str) -> bool:
    """Return whether a version, of which the last number may be left out, is another one."""
    numbers = version.removeprefix("v")
    return f"{known.removeprefix('v')}.".startswith(f"{numbers}.") if numbers else True
