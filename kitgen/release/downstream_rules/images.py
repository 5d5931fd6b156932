"""Images that builds put into a platform's operator: their variables, and their digests.

ImageStreams: whether names are names and images images, and whether they follow the release.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from kitgen.findings import Finding, near, rule
from kitgen.release.downstream.reading import Downstream
from kitgen.release.downstream.records import Csv, RelatedImage, RelatedImages, Stream
from kitgen.release.downstream_rules.terms import ReleaseTerms, held, image_of, plain
from kitgen.text.semver import is_version
from kitgen.text.wording import cut, shown

DIGEST_BEHIND = rule("digest-behind")
DIGEST_SHARED = rule("digest-shared")
RELATED_VARIABLE = rule("related-variable")

SHORT = 12
"""Characters of a digest that tell it from others."""
SURE = 0.95
"""How alike a variable is to another one that is mistyped; many differ in a word."""


def check_images(terms: ReleaseTerms, found: Downstream) -> Iterator[Finding | str]:
    """Yield digests that are behind or come twice, and variables that nobody reads."""
    lists = found.of(RelatedImages)
    for each in lists:
        yield from _shared(terms, each.images)
        yield from _variables(terms, each)
    patched = {image.name: image for each in lists if each.whole for image in each.images}
    for csv in found.of(Csv):
        yield from _behind(csv.related, patched)


def _digest(image: RelatedImage) -> str:
    return image_of(image.image).digest


def _brief(digest: str) -> str:
    return digest.partition(":")[2][:SHORT]


def _shared(terms: ReleaseTerms, images: Sequence[RelatedImage]) -> Iterator[Finding]:
    """Yield digests that come twice; one image under two names is meant, unless one of them is ours."""
    own = {name for each in terms.kit.releases.values() for name in each.related_images.values()}
    first: dict[tuple[str, str], RelatedImage] = {}
    for image in images:
        if not (digest := _digest(image)):
            continue
        other = first.setdefault((image.platform, digest), image)
        alias = _repository(other) == _repository(image) and own.isdisjoint((other.name, image.name))
        if other.name != image.name and not alias:
            message = f"found the digest {_brief(digest)}… for {cut(image.name)} and for {cut(other.name)}"
            yield DIGEST_SHARED(message).at(image.origin)


def _repository(image: RelatedImage) -> str:
    return image_of(image.image).repository


def _variables(terms: ReleaseTerms, listed: RelatedImages) -> Iterator[Finding]:
    """Yield variables that are written otherwise than the release has them, and those that are missing."""
    related = terms.release.related_images if terms.release else {}
    names = {each.name for each in listed.images}
    missing = [each for each in dict.fromkeys(related.values()) if each not in names]
    others = _others(terms, related)
    for image in listed.images:
        wanted = related.get(image.key) or others.get(image.name, image.name)
        slip = near(image.name, missing, sure=SURE)
        if wanted != image.name or slip:
            message = f"found {cut(image.name)}, which the release does not read"
            hint = slip or f"it reads {wanted}"
            missing = [each for each in missing if each != wanted and repr(each) not in slip]
            yield RELATED_VARIABLE(message, hint=hint).at(image.origin)
    for name in missing if listed.whole else ():
        yield RELATED_VARIABLE(f"found no {name}, which the release reads").at(listed.origin)


def _others(terms: ReleaseTerms, related: Mapping[str, str]) -> dict[str, str]:
    """Return variables that other releases read for an image, with the one that is read for it here."""
    return {
        name: related[key]
        for each in terms.kit.releases.values()
        for key, name in each.related_images.items()
        if key in related and name not in related.values()
    }


def _behind(related: Sequence[RelatedImage], patched: dict[str, RelatedImage]) -> Iterator[Finding]:
    told: set[str] = set()
    for image in related:
        other = patched.get(image.name)
        digest, wanted = _digest(image), _digest(other) if other else ""
        if other and digest and wanted and digest != wanted and image.name not in told:
            told.add(image.name)
            message = f"found the digest {_brief(digest)}… for {cut(image.name)}, expected {_brief(wanted)}…"
            yield DIGEST_BEHIND(message, hint=f"{other.origin.file} has it").at(image.origin)


STREAM_NAME = rule("stream-name")
STREAM_VERSION = rule("stream-version")
STREAM_SOFTWARE = rule("stream-software")


def check_streams(terms: ReleaseTerms, found: Downstream) -> Iterator[Finding | str]:
    """Yield ImageStreams that a replacement hit, or that show another release."""
    for stream in found.of(Stream):
        if not stream.name or is_version(stream.name):
            message = f"found {shown(stream.name)}, expected the name of an ImageStream"
            yield STREAM_NAME(message).at(stream.origin.at("metadata", "name"))
        yield from _software(terms, stream)
        for tag in stream.tags:
            reference = image_of(tag.image)
            if not tag.image or is_version(tag.image):  # what kustomize fills in may have any form
                message = f"found {shown(tag.image)}, expected an image with its registry"
                yield STREAM_NAME(message).at(tag.origin.at("from", "name"))
                continue
            known = terms.image_tag(reference.repository, terms.release) if terms.release else None
            if known and reference.tag and reference.tag not in known:
                message = f"{held(reference.tag, known)} in {cut(tag.image)}"
                yield STREAM_VERSION(message).at(tag.origin.at("from", "name"))


def _software(terms: ReleaseTerms, stream: Stream) -> Iterator[Finding]:
    """Hold what the newest image of a stream lists to the release; the others are of releases before it."""
    first = next(iter(stream.tags), None)
    names = {plain(each): each for each in terms.release.records} if terms.release else {}
    for name, version in first.software if first else ():
        known = terms.versions(names.get(plain(name), ""), terms.release)
        if first and known and not any(_begins(each, version) for each in known):
            message = f"{held(version, known)} for {cut(name)}"
            yield STREAM_SOFTWARE(message).at(first.origin.at("annotations"))


def _begins(known: str, version: str) -> bool:
    """Tell whether a version, of which the last number may be left out, is another one."""
    numbers = version.removeprefix("v")
    return f"{known.removeprefix('v')}.".startswith(f"{numbers}.") if numbers else True
