"""ImageStreams: whether names are names and images images, and whether they follow the release."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.check.downstream.terms import Terms, held, image_of, plain
from kitgen.findings import Chapter, Finding, Rule, Severity
from kitgen.load.downstream import Downstream, Stream
from kitgen.schema.wording import cut, shown
from kitgen.semver import is_version

STREAM_NAME = Rule(
    id="stream-name",
    chapter=Chapter.RELEASE,
    checks="An ImageStream has a name that is no version, and its tags stand for images.",
    fix="Bring back the names and the images from before, and change the version alone.",
    why="A script that replaces a version in every line hits what only looks like it.",
)

STREAM_VERSION = Rule(
    id="stream-version",
    chapter=Chapter.RELEASE,
    checks="A tag of an ImageStream stands for the image that comes out with the release.",
    fix="Write the tag that `publishing` in kit.yaml says.",
)

STREAM_SOFTWARE = Rule(
    id="stream-software",
    chapter=Chapter.RELEASE,
    checks="The first tag of an ImageStream lists what the release records, such as an SDK, in its version.",
    fix="Raise the version in the image and in its annotations, or correct the release.",
    severity=Severity.WARNING,
)


def check_streams(terms: Terms, found: Downstream) -> Iterator[Finding | str]:
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


def _software(terms: Terms, stream: Stream) -> Iterator[Finding]:
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
