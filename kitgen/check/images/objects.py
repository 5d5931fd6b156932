"""Check each image, and those of a target together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from kitgen.check.context import CheckContext, CheckHit
from kitgen.check.images import downloads, parameters, tags
from kitgen.check.images.rules import IMAGE_REFERENCE, IMAGE_TAG
from kitgen.check.images.tags import check_mention_tag
from kitgen.check.schemas.catalog import is_kubernetes_group
from kitgen.check.views import Minors, ObjectView
from kitgen.findings import Problem, make_problem
from kitgen.kube.image_mentions import ImageMention
from kitgen.kube.image_reference import ImageReference, check_image, parse_image_reference
from kitgen.kube.manifest import Manifest
from kitgen.text.wording import quote_text


def check(context: CheckContext) -> Iterator[CheckHit]:
    """Yield images that are mutable, ambiguous, or that cannot be replaced."""
    yield from context.check_each(_check_mentions)
    for target, manifests in context.targets.items():
        views = ((each, context.get_view(target, each)) for each in manifests)
        yield from _check_differences(
            target, [(each, mention) for each, view in views for mention in view.mentions]
        )
    for plan in context.plans:
        yield from parameters.check(plan, context)
        yield from tags.check(plan, context)
        rendered = [each for unit in plan.units for each in unit.final]
        yield from (
            CheckHit(plan.target.name, *each)
            for each in downloads.check_downloads(plan.target.name, rendered, context)
        )


def _check_mentions(each: ObjectView, minors: Minors) -> Iterator[Problem]:
    own = is_kubernetes_group(each.id.group, minors)
    for mention in each.mentions:
        if not each.rendered and _is_filled_in_later(mention, each.id.kind, own=own):
            continue
        if wrong := _check_image(mention, rendered=each.rendered):
            yield wrong.prefix_path(*mention.path)


def _is_filled_in_later(mention: ImageMention, kind: str, *, own: bool) -> bool:
    """Return whether an image is put in later: by OpenShift for a space, by operators for expressions."""
    if mention.image == " ":
        return mention.runs and kind != "Pod"
    return not own and any(sign in mention.image for sign in ("{{", "${"))


def _check_image(mention: ImageMention, *, rendered: bool) -> Problem | None:
    """Return what is wrong with one image."""
    if "$(" in mention.image:
        rule = IMAGE_TAG if rendered and mention.runs else IMAGE_REFERENCE
        return rule(f"found {quote_text(mention.image)} in its place, expected an image")
    if rendered and mention.runs and (wrong := check_image(mention.image, IMAGE_TAG)):
        return wrong
    if (parts := parse_image_reference(mention.image)) is None:
        rule = IMAGE_TAG if rendered else IMAGE_REFERENCE
        if "://" not in mention.image and (wrong := check_image(mention.image, rule)):
            return wrong
        return IMAGE_REFERENCE(f"found {quote_text(mention.image)}, expected an image that nodes can pull")
    if check_image(mention.image, IMAGE_REFERENCE) and (parts.digest or parts.tag):
        return check_image(mention.image, IMAGE_REFERENCE)
    return check_mention_tag(parts, mention)


def _check_differences(target: str, found: list[tuple[Manifest, ImageMention]]) -> Iterator[CheckHit]:
    """Yield images that the target has under another name or version, too; what most of them say counts."""
    known: dict[tuple[str, str], list[tuple[ImageReference, Manifest]]] = {}
    images = [(*each, parts) for each in found if (parts := parse_image_reference(each[1].image))]
    for manifest, mention, parts in images:
        for key in _list_comparison_keys(parts, mention):
            known.setdefault(key, []).append((parts, manifest))
    usual = {key: _find_most_common(key[0], some) for key, some in known.items()}
    for manifest, mention, parts in images:
        for key in _list_comparison_keys(parts, mention):
            other, there = usual[key]
            if message := _describe_difference(key[0], parts, other):
                hint = f"the other one is in {there.id}"
                yield CheckHit(target, manifest, make_problem("image-differs", message, mention.path, hint))
                break


def _list_comparison_keys(parts: ImageReference, mention: ImageMention) -> Iterator[tuple[str, str]]:
    """Yield what other images of the target may share; a mutable tag is reported by itself."""
    if not check_mention_tag(parts, mention):
        yield "version", parts.repository
    if not parts.path.startswith("library/"):
        yield "path", parts.path
    if parts.digest:
        yield "digest", parts.digest


def _find_most_common(
    way: str, some: list[tuple[ImageReference, Manifest]]
) -> tuple[ImageReference, Manifest]:
    """Return what most of some images say; the first of them, if none is named more often."""
    said = [each.version if way == "version" else each.repository for each, _ in some]
    return some[said.index(Counter(said).most_common(1)[0][0])]


def _describe_difference(way: str, parts: ImageReference, other: ImageReference) -> str:
    if way == "version":
        said = (
            f"found {quote_text(parts.version)} of {quote_text(parts.repository)}, and "
            f"{quote_text(other.version)} elsewhere"
        )
        return said if parts.version != other.version else ""
    if parts.repository == other.repository:
        return ""
    same = "path" if way == "path" else "digest"
    return (
        f"found {quote_text(parts.repository)}, and {quote_text(other.repository)} elsewhere with "
        f"the same {same}"
    )
