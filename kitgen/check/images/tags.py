"""Image tags: mutable ones, and tags of releases that differ from their versions, in bundles too."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from kitgen.check.context import CheckContext, CheckHit
from kitgen.check.views import ObjectView
from kitgen.findings import Path, Problem, make_problem
from kitgen.kube.image_mentions import ImageMention, find_images_in_text
from kitgen.kube.image_reference import ImageReference, parse_image_reference
from kitgen.kube.manifest import Manifest
from kitgen.text.patterns import compile_late
from kitgen.text.wording import quote_text

if TYPE_CHECKING:
    from kitgen.kit.model import PublishedImage
    from kitgen.render.plan import TargetPlan

MOVING = frozenset(
    {
        *("latest", "main", "master", "trunk", "head", "tip", "dev", "devel", "develop", "development"),
        *("stable", "unstable", "testing", "staging", "nightly", "daily", "weekly", "edge", "canary"),
        *("rolling", "current", "snapshot"),
    }
)
VERSION = "take the tag of a version, or the digest"


def check_mutable_tag(parts: ImageReference, image: str = "") -> Problem | None:
    """Return that a tag says no version; without one, the image is named as it is written."""
    words = {parts.tag.casefold() or "latest", *({"latest", "nightly"} & set(parts.tag.split("-")))}
    if parts.digest or not words & MOVING:
        return None
    said = (
        f"the tag {quote_text(parts.tag)}"
        if parts.tag
        else f"the image {quote_text(image or parts.repository)} without a tag"
    )
    return make_problem("image-moves", f"found {said}, which may be another image tomorrow", hint=VERSION)


def check_mention_tag(parts: ImageReference, mention: ImageMention) -> Problem | None:
    """Return that a tag says no version, and that nodes do not even look for a newer one."""
    if (found := check_mutable_tag(parts, mention.image)) is None:
        return None
    # Where nothing is said, latest is always pulled, and any other tag only once.
    policy = mention.policy or ("" if parts.version == "latest" else "IfNotPresent")
    if not mention.runs or policy in ("", "Always"):
        return found
    kept = "keeps what it has" if policy == "IfNotPresent" else "pulls none"
    return replace(
        found, message=f"{found.message}, and a node {kept} (imagePullPolicy {quote_text(policy)})"
    )


EXPRESSION = compile_late(r"\{\{.*?\}\}")
NUMBERS = r"v?[0-9]+\.[0-9]+\.[0-9]+(?:-[0-9A-Za-z.-]+)?"
UNSEEN = "Secret"


def check(plan: TargetPlan, context: CheckContext) -> Iterator[CheckHit]:
    """Yield tags of published images that no version has, and tags of the bundle's images that move."""
    forms, target = _compile_tag_patterns(context.published), plan.target.name
    published = tuple(forms)
    objects = [(each, context.get_view(target, each)) for unit in plan.units for each in unit.final]
    found = [mention for _, view in objects for mention in view.mentions]
    told = {
        each.image
        for each in found
        if (parts := parse_image_reference(each.image)) and check_mutable_tag(parts)
    }
    named: set[str] = set()
    for manifest, view in objects:
        for path, image in context.views.recall(_find_published_images, view, published):
            named.add(image)
            if image not in told:
                yield from _to_hits(target, manifest, path, _check_version_tag(image, forms))
    told = {*named, *(each.image for each in found)}
    for manifest in (each for extra in plan.extras.values() for each in extra.manifests):
        for mention in context.get_view(target, manifest).mentions:
            if (parts := parse_image_reference(mention.image)) is not None and mention.image not in told:
                told.add(mention.image)
                wrong = check_mention_tag(parts, mention) or _check_version_tag(mention.image, forms)
                yield from _to_hits(target, manifest, mention.path, wrong)


def _to_hits(target: str, manifest: Manifest, path: Path, wrong: Problem | None) -> Iterator[CheckHit]:
    if wrong is not None:
        yield CheckHit(target, manifest, wrong.prefix_path(*path))


def _compile_tag_patterns(images: Sequence[PublishedImage]) -> dict[str, re.Pattern[str]]:
    """Return what the tags of versions look like, by image."""
    found: dict[str, list[str]] = {}
    for each in images:
        pieces = map(re.escape, EXPRESSION.split(each.tag))
        found.setdefault(each.image, []).append(NUMBERS.join(pieces))
    return {image: re.compile("|".join(forms)) for image, forms in found.items()}


def _check_version_tag(image: str, forms: Mapping[str, re.Pattern[str]]) -> Problem | None:
    """Return that an image which comes out with releases has a tag that none of them gives it."""
    parts = parse_image_reference(image)
    form = forms.get(parts.repository) if parts else None
    if parts is None or form is None or parts.digest or form.fullmatch(parts.tag or "latest"):
        return None
    return make_problem(
        "image-moves",
        (
            f"found the tag {quote_text(parts.tag or 'latest')} of {quote_text(parts.repository)}, which no "
            "version has"
        ),
        hint=VERSION,
    )


def _find_published_images(view: ObjectView, published: tuple[str, ...]) -> list[tuple[Path, str]]:
    """Return the published images that any text of an object names, with their places."""
    if view.id.kind == UNSEEN or not view.may_contain(*published):
        return []
    return [
        (path, image)
        for path, text in view.texts
        if any(each in text for each in published)
        for image in find_images_in_text(f"{path[-1]}={text}")
    ]
