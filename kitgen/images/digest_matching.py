"""Find out which image of a release a digest is of, and which one counts of several."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from msgspec import Struct

from kitgen.findings import Finding, make_problem
from kitgen.images.catalogs import rank_bundle
from kitgen.images.digests.records import ImageDigest
from kitgen.images.locked_images import LockImages
from kitgen.kit.model.release import EVERY_PLATFORM
from kitgen.kube.image_reference import ImageReference
from kitgen.text.wording import join_words, quote_text

SHORT = 19
"""Characters of a digest that people compare."""


class DigestPairs(Struct, frozen=True, kw_only=True):
    """Digests of images of a release, and those of others."""

    found: dict[ImageReference, list[ImageDigest]]
    aside: tuple[ImageDigest, ...]
    findings: tuple[Finding, ...]
    guesses: tuple[Finding, ...]
    """What was taken for the image of a repository, without a tag that says so."""


def match_digests(
    told: Sequence[ImageDigest], wanted: LockImages, release: str, named: ImageReference | None = None
) -> DigestPairs:
    """Find the image of each digest; if one is named, all are of it."""
    found: dict[ImageReference, list[ImageDigest]] = {}
    aside, findings, guesses = [], [], []
    fixed = {each.digest for each in wanted.fixed}
    for each in told:
        if named is None and each.image and not each.image.tag and each.digest in fixed:
            continue  # by the digest that specs name; where it was copied to does not matter
        if named and each.version and each.image and each.image.repository != named.repository:
            continue  # a bundle lists all of its images, not only the one that is asked for
        which = _resolve_named_image(each, named) if named else _resolve_image(each, wanted, release)
        if isinstance(which, Finding):
            findings.append(which)
        elif which is not None:
            found.setdefault(which, []).append(each)
            if named is None and each.image and not each.image.tag:
                guesses.append(_report_guess(each, which, release))
        elif each.image and each.digest not in fixed:
            aside.append(each)
    if named and told and not found and not findings:
        message = f"found no digest of {quote_text(str(named))}, as --image says, in the bundle"
        findings.append(make_problem("digest-image", message).to_finding(told[0].origin))
    return DigestPairs(found=found, aside=tuple(aside), findings=tuple(findings), guesses=tuple(guesses))


def _report_guess(told: ImageDigest, taken: ImageReference, release: str) -> Finding:
    """Say that the tag is a guess."""
    return make_problem(
        "digest-untagged",
        (
            f"found no tag of {quote_text(str(told.image))}, taken for {quote_text(str(taken))}, the only "
            f"one of {release}"
        ),
        hint=f"--image {taken} says that it is that one",
    ).to_finding(told.origin)


def _resolve_named_image(told: ImageDigest, named: ImageReference) -> ImageReference | Finding:
    """Return the image that is named, unless the file says another one."""
    if (image := told.image) and (image.repository != named.repository or image.tag not in ("", named.tag)):
        return make_problem(
            "digest-image",
            f"found {quote_text(str(image))}, expected {quote_text(str(named))}, as --image says",
        ).to_finding(told.origin)
    return named


def _resolve_image(told: ImageDigest, wanted: LockImages, release: str) -> ImageReference | Finding | None:
    if told.image is None:
        return make_problem(
            "digest-image",
            "found a digest alone, expected the image that it is of",
            hint="name it with --image, and lock one file at a time",
        ).to_finding(told.origin)
    if told.image.tag:
        return told.image if told.image in wanted.names else None
    if len(others := wanted.find_in_repository(told.image)) > 1:
        tags = join_words([each.tag for each in others], last="and")
        return make_problem(
            "digest-image",
            f"found {quote_text(str(told.image))} without its tag, and the release has {tags} of it",
            hint="name it with --image, and lock one file at a time",
        ).to_finding(told.origin)
    return _resolve_untagged_image(told, others[0], wanted, release) if others else None


def _resolve_untagged_image(
    told: ImageDigest, image: ImageReference, wanted: LockImages, release: str
) -> ImageReference | Finding:
    """Return the only image that it can be, unless the bundle that tells it is of another version."""
    if not told.version or rank_bundle(told, wanted, release, [image]):
        return image
    return make_problem(
        "digest-image",
        f"found {quote_text(str(told.image))} without its tag in a bundle of {quote_text(told.version)}, "
        f"expected one of {release}",
        hint="lock from the bundle of the release",
    ).to_finding(told.origin)


def choose_digest(image: ImageReference, told: Sequence[ImageDigest]) -> ImageDigest | Finding:
    """Return what counts of all that is told of an image: an index before platforms."""
    index = any(each.platform == EVERY_PLATFORM for each in told)
    left = [each for each in told if not index or not is_single_platform(each.platform)]
    first = left[0]
    if (other := next((each for each in left if each.digest != first.digest), None)) is not None:
        alone = is_single_platform(first.platform) and is_single_platform(other.platform)
        hint = "lock the digest of the index" if alone else "leave out the one that is not right"
        known = first.origin
        there = f"{known.file}:{known.line}" if known.line else str(known)
        return make_problem(
            "digest-differs",
            (
                f"found {shorten_digest(other.digest)} for {quote_text(str(image))}, and {there} has "
                f"{shorten_digest(first.digest)}"
            ),
            hint=hint,
        ).to_finding(other.origin)
    return max(
        (each for each in told if each.digest == first.digest), key=lambda each: rank_platform(each.platform)
    )


def is_single_platform(platform: str) -> bool:
    """Tell whether a digest is that of one platform alone."""
    return platform not in ("", EVERY_PLATFORM)


def rank_platform(platform: str) -> int:
    """Say how much a word for a platform tells; skopeo says all of an image that has one platform, too."""
    return 2 if is_single_platform(platform) else 1 if platform else 0


def shorten_digest(digest: str) -> str:
    """Return the start of a digest."""
    return f"{digest[:SHORT]}…"


def describe_unused_digests(aside: Iterable[ImageDigest], wanted: LockImages, release: str) -> Iterator[str]:
    """Say which images were left out, and what the release has of the same name."""
    if images := [*dict.fromkeys(str(each.image) for each in aside)]:
        yield f"left out, since no target of {release} uses it: {join_words(images, last='and', most=5)}"
    stale = dict.fromkeys(each.image for each in aside if each.image and each.image.tag)
    for image in islice((each for each in stale if each.repository in wanted.repositories), 5):
        used = join_words([str(each) for each in wanted.repositories[image.repository]], last="and")
        yield f"{image} is not what the release has: {used}"
