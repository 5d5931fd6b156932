"""Hold what a target of the kit renders to the images and parameters of its specs.

Hold the variables that a release lists to the images in params.env of those who ship it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from kitgen.check.context import Context, Hit
from kitgen.check.images.rules import (
    IMAGE_TAG,
    IMAGE_UNLISTED,
    IMAGE_UNWIRED,
    PARAM_INCOMPLETE,
    RELATED_IMAGE_MISSING,
    RELATED_IMAGE_UNUSED,
)
from kitgen.findings import Finding, Path, Problem, near, pointer
from kitgen.kit.model import Kit, Release, Target
from kitgen.kit.succession import said_by
from kitgen.kube.identity import ObjectId
from kitgen.kube.image_mentions import mentions
from kitgen.kube.image_reference import wrong_image
from kitgen.kube.manifest import Manifest
from kitgen.render.parameters import declared_images
from kitgen.render.placement import Placement, place, shipped
from kitgen.render.plan import Plan
from kitgen.text.wording import cut
from kitgen.text.yaml import Json

if TYPE_CHECKING:
    from kitgen.render.parameters import Params
    from kitgen.render.unit import Unit


def check(plan: Plan, context: Context) -> Iterator[Hit]:
    """Yield images that no spec lists, and images that do not follow the parameters of an export."""
    listed = {value for unit in plan.units for value in _listed_by(unit)}
    for unit in plan.units:
        given = _given(unit.params)
        for manifest in unit.final:
            for problem in _problems(manifest, unit, listed, given, context):
                yield Hit(plan.target.name, manifest, problem)


def _listed_by(unit: Unit) -> Iterator[str]:
    """Yield the images that a spec lists, also those that it says only code or users name."""
    context = unit.context
    yield from (value for value, _ in context.images.values())
    for each in context.component.runtime_images:
        yield context.renames.get(each.image, each.image)


def _problems(
    manifest: Manifest, unit: Unit, listed: set[str], given: dict[str, str], context: Context
) -> Iterator[Problem]:
    """Yield what is wrong with the images of one object, each of them once."""
    identity = manifest.id
    wired = _wired(unit.params, identity)
    seen: set[Path] = set()
    for mention in mentions(context.mappings(manifest)):
        seen.add(mention.path)
        image = cut(mention.image)
        if wrong_image(mention.image, IMAGE_TAG):
            continue  # that comes first
        if mention.image not in listed:
            yield IMAGE_UNLISTED(f"found the image {image}, which no images of a spec name", mention.path)
        elif mention.path in wired:
            continue
        elif key := given.get(mention.image):
            message = f"found the image of the parameter {cut(key)}, which does not follow it"
            yield PARAM_INCOMPLETE(message, mention.path, f"add this field of {identity} to its fills")
        elif unit.context.settings.export is not None:
            message = f"found the image {image}, which follows no parameter"
            yield IMAGE_UNWIRED(
                message, mention.path, "give it a key in params, which the ODH operator fills"
            )
    if given and not (identity.kind == "ConfigMap" and manifest.body.get("data") == _data(unit.params)):
        yield from _left(manifest, given, wired | seen, context)


def _given(params: Params | None) -> dict[str, str]:
    """Return the images that parameters hold, with their keys."""
    if params is None:
        return {}
    return {image: key for key, image in params.images.items() if image}


def _data(params: Params | None) -> dict[str, str]:
    return params.data if params else {}


def _wired(params: Params | None, identity: ObjectId) -> set[Path]:
    """Return the fields of an object that follow a parameter."""
    fills = params.fills if params else ()
    return {each.path for each in fills if (each.kind, each.name) == (identity.kind, identity.name)}


def _left(manifest: Manifest, given: dict[str, str], told: set[Path], context: Context) -> Iterator[Problem]:
    """Yield texts in which the image of a parameter would be left if the parameter got another one."""
    shortest = min(map(len, given))
    for path, text in _texts(manifest, context):
        if len(text) < shortest or path in told:
            continue
        key = next((key for image, key in given.items() if holds(text, image)), None)
        if key is not None:
            message = f"found the image of the parameter {cut(key)} in a text that does not follow it"
            yield IMAGE_UNWIRED(message, path, "whoever changes the parameter must change it, too")


def holds(text: str, image: str) -> bool:
    """Tell whether an image stands in a text, and not only the beginning or end of another one."""
    return image in text and re.search(rf"(?<![\w./-]){re.escape(image)}(?![\w.@-])", text) is not None


def _texts(manifest: Manifest, context: Context) -> Iterator[tuple[Path, str]]:
    """Yield every text in an object, with its path."""
    for path, mapping in context.mappings(manifest):
        for key, value in mapping.items():
            if isinstance(value, str):
                yield (*path, key), value
            elif isinstance(value, list):
                yield from _listed((*path, key), value)


def _listed(path: Path, items: list[Json]) -> Iterator[tuple[Path, str]]:
    for index, item in enumerate(items):
        if isinstance(item, str):
            yield (*path, index), item


def without_variable(plans: Iterable[Plan]) -> Iterator[Finding]:
    """Yield images in params.env that no variable changes, in releases that list variables."""
    for plan in plans:
        for unit in plan.units:
            if unit.params is not None and unit.context.settings.export is not None:
                yield from _missing(plan.release, unit.context.component.name, unit.params.images)


def without_key(kit: Kit) -> Iterator[Finding]:
    """Yield variables for keys that are in the params.env of no target."""
    for release in kit.building:
        if release.related_images:
            places = [
                place(kit, each, release) for each in kit.targets.values() if _ships(kit, each, release)
            ]
            yield from _unused(release, _exported(places))


def check_related(release: Release, places: Iterable[Placement]) -> Iterator[Finding]:
    """Yield both of one release, without compiling it for those who ship it."""
    if release.components and release.related_images:
        exported = _exported(places)
        for component, keys in exported:
            yield from _missing(release, component, keys)
        yield from _unused(release, exported)


def _missing(release: Release, component: str, keys: Iterable[str]) -> Iterator[Finding]:
    for key in keys if release.related_images else ():
        if key not in release.related_images:
            message = f"found no variable for {cut(key)}, which params.env of {component} has"
            problem = RELATED_IMAGE_MISSING(message, hint="add the key with its variable")
            yield problem.at(said_by(release, "relatedImages"))


def _unused(release: Release, exported: list[tuple[str, list[str]]]) -> Iterator[Finding]:
    known = [key for _, keys in exported for key in keys]
    for key in release.related_images:
        if key not in known:
            message = f"found {cut(key)}, which holds no image in params.env of any target"
            taken = release.origin.at("relatedImages", key).file != release.origin.file
            own = said_by(release, "relatedImages", key)
            hint = f"add {pointer(own.path)} to remove" if taken else near(key, known) or "remove it"
            yield RELATED_IMAGE_UNUSED(message, hint=hint).at(own)


def _ships(kit: Kit, target: Target, release: Release) -> bool:
    return any(each is release for each in shipped(kit, target))


def _exported(places: Iterable[Placement]) -> list[tuple[str, list[str]]]:
    """Return the components that targets export, with their keys that hold images."""
    return [
        (component.name, declared_images(component, settings))
        for each in places
        for component in each.units
        if (settings := each.settings(component)).export is not None
    ]
