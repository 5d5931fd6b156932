"""Check each image, and those of a target together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from kitgen.check.context import CheckContext, CheckHit
from kitgen.check.images import downloads, parameters, tags
from kitgen.check.images.rules import IMAGE_REFERENCE, IMAGE_TAG
from kitgen.check.images.tags import moving_for
from kitgen.check.schemas.catalog import is_own
from kitgen.findings import Problem, problem
from kitgen.kube.image_mentions import ImageMention, mentions
from kitgen.kube.image_reference import ImageReference, reference, wrong_image
from kitgen.kube.manifest import Manifest
from kitgen.text.wording import cut


def check(context: CheckContext) -> Iterator[CheckHit]:
    """Yield images that are mutable, ambiguous, or that cannot be replaced."""
    for target, manifests in context.targets.items():
        found = [(each, mention) for each in manifests for mention in mentions(context.mappings(each))]
        for manifest, mention in found:
            own = is_own(manifest.id.group, context.minors)
            if not target and _is_filled_in(mention, manifest, own=own):
                continue
            if wrong := _problem(mention, rendered=bool(target)):
                yield CheckHit(target, manifest, wrong.below(*mention.path))
        yield from _differing(target, found)
    for plan in context.plans:
        yield from parameters.check(plan, context)
        yield from tags.check(plan, context)
        rendered = [each for unit in plan.units for each in unit.final]
        yield from (CheckHit(plan.target.name, *each) for each in downloads.problems(rendered, context))


def _is_filled_in(mention: ImageMention, manifest: Manifest, *, own: bool) -> bool:
    """Return whether an image is put in later: by OpenShift for a space, by operators for expressions."""
    if mention.image == " ":
        return mention.runs and manifest.id.kind != "Pod"
    return not own and any(sign in mention.image for sign in ("{{", "${"))


def _problem(mention: ImageMention, *, rendered: bool) -> Problem | None:
    """Return what is wrong with one image."""
    if "$(" in mention.image:
        rule = IMAGE_TAG if rendered and mention.runs else IMAGE_REFERENCE
        return rule(f"found {cut(mention.image)} in its place, expected an image")
    if rendered and mention.runs and (wrong := wrong_image(mention.image, IMAGE_TAG)):
        return wrong
    if (parts := reference(mention.image)) is None:
        rule = IMAGE_TAG if rendered else IMAGE_REFERENCE
        if "://" not in mention.image and (wrong := wrong_image(mention.image, rule)):
            return wrong
        return IMAGE_REFERENCE(f"found {cut(mention.image)}, expected an image that nodes can pull")
    if wrong_image(mention.image, IMAGE_REFERENCE) and (parts.digest or parts.tag):
        return wrong_image(mention.image, IMAGE_REFERENCE)
    return moving_for(parts, mention)


def _differing(target: str, found: list[tuple[Manifest, ImageMention]]) -> Iterator[CheckHit]:
    """Yield images that the target has under another name or version, too; what most of them say counts."""
    known: dict[tuple[str, str], list[tuple[ImageReference, Manifest]]] = {}
    images = [(*each, parts) for each in found if (parts := reference(each[1].image))]
    for manifest, mention, parts in images:
        for key in _ways(parts, mention):
            known.setdefault(key, []).append((parts, manifest))
    usual = {key: _usual(key[0], some) for key, some in known.items()}
    for manifest, mention, parts in images:
        for key in _ways(parts, mention):
            other, there = usual[key]
            if message := _difference(key[0], parts, other):
                hint = f"the other one is in {there.id}"
                yield CheckHit(target, manifest, problem("image-differs", message, mention.path, hint))
                break


def _ways(parts: ImageReference, mention: ImageMention) -> Iterator[tuple[str, str]]:
    """Yield what other images of the target may share; a mutable tag is reported by itself."""
    if not moving_for(parts, mention):
        yield "version", parts.repository
    if not parts.path.startswith("library/"):
        yield "path", parts.path
    if parts.digest:
        yield "digest", parts.digest


def _usual(way: str, some: list[tuple[ImageReference, Manifest]]) -> tuple[ImageReference, Manifest]:
    """Return what most of some images say; the first of them, if none is named more often."""
    said = [each.version if way == "version" else each.repository for each, _ in some]
    return some[said.index(Counter(said).most_common(1)[0][0])]


def _difference(way: str, parts: ImageReference, other: ImageReference) -> str:
    if way == "version":
        said = f"found {cut(parts.version)} of {cut(parts.repository)}, and {cut(other.version)} elsewhere"
        return said if parts.version != other.version else ""
    if parts.repository == other.repository:
        return ""
    same = "path" if way == "path" else "digest"
    return f"found {cut(parts.repository)}, and {cut(other.repository)} elsewhere with the same {same}"
