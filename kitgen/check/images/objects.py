"""Look at each image, and at those of a target together."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.check.context import Context, Hit
from kitgen.check.images import wiring
from kitgen.check.images.mentions import Mention, Reference, mentions, reference
from kitgen.check.images.rules import IMAGE_DIFFERS, IMAGE_MOVES, IMAGE_REFERENCE, IMAGE_TAG
from kitgen.findings import Problem
from kitgen.objects import Manifest, wrong_image
from kitgen.schema.wording import cut

MOVING = frozenset({"latest", "main", "master", "dev", "devel", "develop", "stable", "nightly", "edge"})
VERSION = "take the tag of a version, or the digest"


def check(context: Context) -> Iterator[Hit]:
    """Yield images that may be another one tomorrow, or are two today, or that nobody can change."""
    for target, manifests in context.targets.items():
        found = [(each, mention) for each in manifests for mention in mentions(context.mappings(each))]
        for manifest, mention in found:
            if problem := _problem(mention, rendered=bool(target)):
                yield Hit(target, manifest, problem.below(*mention.path))
        yield from _differing(target, found)
    for plan in context.plans:
        yield from wiring.check(plan, context)


def _problem(mention: Mention, *, rendered: bool) -> Problem | None:
    """Return what is wrong with one image."""
    if rendered and mention.runs and (problem := wrong_image(mention.image, IMAGE_TAG)):
        return problem
    parts = reference(mention.image)
    if parts is None:
        if problem := wrong_image(mention.image, IMAGE_REFERENCE):
            return problem
        return IMAGE_REFERENCE(f"found {cut(mention.image)}, expected an image that nodes can pull")
    if wrong_image(mention.image, IMAGE_REFERENCE) and (parts.digest or parts.tag):
        return wrong_image(mention.image, IMAGE_REFERENCE)
    return _moving(parts, mention)


def _moving(parts: Reference, mention: Mention) -> Problem | None:
    """Return that a tag says no version, and that nodes do not even look for a newer one."""
    if parts.digest or not ({parts.tag or "latest"} | set(parts.tag.split("-")) & {"latest"}) & MOVING:
        return None
    said = f"the tag {cut(parts.tag)}" if parts.tag else f"the image {cut(mention.image)} without a tag"
    message = f"found {said}, which may be another image tomorrow"
    # Where nothing is said, latest is always pulled, and any other tag only once.
    if (policy := mention.policy or ("" if parts.version == "latest" else "IfNotPresent")) not in (
        "",
        "Always",
    ):
        kept = "keeps what it has" if policy == "IfNotPresent" else "pulls none"
        message += f", and a node {kept} (imagePullPolicy {cut(policy)})" if mention.runs else ""
    return IMAGE_MOVES(message, hint=VERSION)


def _differing(target: str, found: list[tuple[Manifest, Mention]]) -> Iterator[Hit]:
    """Yield images that the target has under another name or version, too; the first of them counts."""
    first: dict[tuple[str, str], tuple[Reference, Manifest]] = {}
    for manifest, mention in found:
        parts = reference(mention.image)
        if parts is None:
            continue
        ways = [("version", parts.repository), ("path", parts.path), ("digest", parts.digest)]
        for way, key in ways:
            if not key or (way == "path" and parts.path.startswith("library/")):
                continue
            other, there = first.setdefault((way, key), (parts, manifest))
            if message := _difference(way, parts, other):
                hint = f"the other one is in {there.id}"
                yield Hit(target, manifest, IMAGE_DIFFERS(message, mention.path, hint))
                break


def _difference(way: str, parts: Reference, other: Reference) -> str:
    if way == "version":
        said = f"found {cut(parts.version)} of {cut(parts.repository)}, and {cut(other.version)} elsewhere"
        return said if parts.version != other.version else ""
    if parts.repository == other.repository:
        return ""
    same = "path" if way == "path" else "digest"
    return f"found {cut(parts.repository)}, and {cut(other.repository)} elsewhere with the same {same}"
