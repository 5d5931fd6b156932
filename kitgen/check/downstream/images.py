"""Images that builds put into a platform's operator: their variables, and their digests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from kitgen.check.downstream.terms import Terms, image_of
from kitgen.findings import Chapter, Finding, Rule, Severity, near
from kitgen.load.downstream import Csv, Downstream, RelatedImage, RelatedImages
from kitgen.schema.wording import cut

DIGEST_BEHIND = Rule(
    id="digest-behind",
    chapter=Chapter.RELEASE,
    checks="A ClusterServiceVersion has the digests that bundle-patch.yaml has for the same variables.",
    fix="Build the bundle again.",
    why="The catalog serves the digests of the ClusterServiceVersion, whatever was built after it.",
)

DIGEST_SHARED = Rule(
    id="digest-shared",
    chapter=Chapter.RELEASE,
    checks=(
        "No two variables of a build hold the same digest in images of different repositories, or the same "
        "image if a release lists one of them."
    ),
    fix="Find out which of the two is meant, and correct the other one.",
    severity=Severity.WARNING,
)

RELATED_VARIABLE = Rule(
    id="related-variable",
    chapter=Chapter.RELEASE,
    checks="A build names the variables that the release lists under `relatedImages`, all of them.",
    fix="Write the name as the release has it, or correct `relatedImages`.",
    why="The platform's operator reads a variable by its name. It keeps a public tag if there is none.",
)

SHORT = 12
"""Characters of a digest that tell it from others."""
SURE = 0.95
"""How alike a variable is to another one that is mistyped; many differ in a word."""


def check_images(terms: Terms, found: Downstream) -> Iterator[Finding | str]:
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


def _shared(terms: Terms, images: Sequence[RelatedImage]) -> Iterator[Finding]:
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


def _variables(terms: Terms, listed: RelatedImages) -> Iterator[Finding]:
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


def _others(terms: Terms, related: Mapping[str, str]) -> dict[str, str]:
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
