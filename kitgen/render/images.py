"""List every image that a target can run, with all that names it, and check the locked digests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

from msgspec import Struct

from kitgen.files.root import LOCKS
from kitgen.findings import Finding, Origin, get_rule, make_problem
from kitgen.kit.model import Release, Target
from kitgen.kube.image_mentions import find_images_under_key
from kitgen.kube.image_reference import parse_image_reference
from kitgen.kube.manifest import Manifest
from kitgen.render.families.config import image_values
from kitgen.render.image_places import OPTIONAL, ImageNaming, find_object_images
from kitgen.render.outputs import list_extra_image_uses
from kitgen.render.parameters import Params
from kitgen.render.plan import TargetPlan
from kitgen.render.unit import Unit
from kitgen.text.values import group_pairs
from kitgen.text.wording import quote_text

EXAMPLES = "alm-examples"
"""The annotation that has the examples of a bundle."""


class ImageUse(Struct, frozen=True, kw_only=True):
    """An image, and one place that names it."""

    image: str
    """As it is written."""
    use: ImageNaming
    component: str
    place: str
    """The object and what of it, the key, the field, or who names it."""
    origin: Origin | None = None


class TargetUse(Struct, frozen=True):
    """One place that names an image, and the target that it is of, or what else was looked at."""

    target: str
    release: str
    """Empty if it is of no release."""
    use: ImageUse


class ListedImage(Struct, frozen=True, kw_only=True):
    """An image with all that names it."""

    image: str
    uses: tuple[TargetUse, ...]


def list_image_uses(plan: TargetPlan) -> list[ImageUse]:
    """Return every use of an image in a target, component by component."""
    found = [use for unit in plan.units for use in list_unit_image_uses(unit)]
    found += list_extra_image_uses(plan, frozenset(each.image for each in found))
    return [*dict.fromkeys(found)]


def list_object_image_uses(objects: Iterable[Manifest]) -> list[ImageUse]:
    """Return every use of an image in objects that no spec made, such as a real tree or a bundle."""
    found = (
        ImageUse(image=image, use=classify_bundle_use(place, use), component="", place=place, origin=origin)
        for each in objects
        for image, place, use, origin in find_object_images(each)
    )
    return [*dict.fromkeys(found)]


def classify_bundle_use(place: str, use: ImageNaming) -> ImageNaming:
    """Return how an image is used that a bundle may name in an example alone."""
    return ImageNaming.EXAMPLE if place.endswith(EXAMPLES) else use


def list_plan_images(plans: Iterable[TargetPlan]) -> list[ListedImage]:
    """Return the images of plans, each once, by name."""
    return group_by_image(
        TargetUse(plan.target.name, plan.release.name, use) for plan in plans for use in list_image_uses(plan)
    )


def group_by_image(uses: Iterable[TargetUse]) -> list[ListedImage]:
    """Return images with all that names them, each once, by name."""
    found = group_pairs((each.use.image, each) for each in uses)
    return [ListedImage(image=image, uses=tuple(uses)) for image, uses in sorted(found.items())]


def list_unit_image_uses(unit: Unit) -> Iterator[ImageUse]:
    """Yield every use of an image in one component."""
    context = unit.context
    use_of = partial(ImageUse, component=context.component.name)
    own = {unit.params.config_map, unit.params.to_manifest().id.name} if unit.params else set()
    for manifest in unit.final:
        if manifest.id.kind == "ConfigMap" and manifest.id.name in own:
            continue  # told by its keys
        for image, place, use, origin in find_object_images(manifest):
            yield use_of(image=image, use=use, place=place, origin=origin)
    if unit.params:
        yield from _list_param_image_uses(unit.params, context.component.name)
    for path, image, origin in image_values(context):
        yield use_of(image=image, use=ImageNaming.CONFIG, place=".".join(map(str, path)), origin=origin)
    for each in context.component.runtime_images:
        image = context.renames.get(each.image, each.image)
        yield use_of(image=image, use=ImageNaming.RUNTIME, place=each.source, origin=each.origin)


def _list_param_image_uses(params: Params, component: str) -> Iterator[ImageUse]:
    """Yield what keys of params.env hold: images of the component, and those that they say themselves."""
    own = params.images
    use_of = partial(ImageUse, use=ImageNaming.PARAMETER, component=component)
    yield from (use_of(image=image, place=key) for key, image in own.items() if image)
    for key in (each for each in params.data if each not in own):
        images, origin = (
            find_images_under_key(key, params.data[key]),
            params.to_manifest().find_origin(("data", key)),
        )
        yield from (use_of(image=image, place=key, origin=origin) for image in images)


LOCK_MISSING = get_rule("lock-missing")


def check_locked_digests(target: Target, release: Release, uses: Iterable[ImageUse]) -> Iterator[Finding]:
    """Yield the images that are left without a digest, each once; nothing where all go by tags."""
    if not target.digests or _is_unlocked_release(target, release):
        return
    file, told = f"{LOCKS}/{release.name}.yaml", set[str]()
    where = file if release.lock else f"{file}, which is not there"
    for each in uses:
        parts = parse_image_reference(each.image)
        if parts is None or parts.digest or each.image in told or each.use in OPTIONAL:
            continue
        if target.mirrored and each.use is ImageNaming.CATALOG:
            continue  # oc-mirror makes the one in a mirror anew, so nobody knows its digest before
        told.add(each.image)
        message, hint = f"found no digest of {quote_text(each.image)} in {where}", f"{each.place} names it"
        if release.lock and each.image in release.lock.images:
            message = f"found {quote_text(each.image)} by its tag, though {file} has its digest"
            hint += ", in parts, as a part of a longer word or by default; write it as one word"
        yield LOCK_MISSING(message, hint=hint).to_finding(target.origin.at("digests"))


def check_lock_file(target: Target, release: Release) -> list[Finding]:
    """Return a finding if a target goes by tags in a release, though it says digests."""
    if not _is_unlocked_release(target, release):
        return []
    return [
        make_problem(
            "lock-absent",
            f"found no {LOCKS}/{release.name}.yaml, so that images of {release.name} go by their tags",
            hint=f"kitgen images lock --release {release.name} writes it",
        ).to_finding(target.origin.at("digests"))
    ]


def _is_unlocked_release(target: Target, release: Release) -> bool:
    """Return whether a release came before digests: it is not the pinned one, and has no lock."""
    return target.digests and release.name != target.release and release.lock is None
