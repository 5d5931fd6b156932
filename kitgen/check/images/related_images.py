"""Compare the image variables of a release with params.env of the targets that ship it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kitgen.findings import Finding, near, pointer, problem
from kitgen.kit.model import Kit, Release, Target
from kitgen.kit.succession import said_by
from kitgen.render.parameters import declared_images
from kitgen.render.placement import Placement, place, shipped
from kitgen.render.plan import TargetPlan
from kitgen.text.wording import cut


def without_variable(plans: Iterable[TargetPlan]) -> Iterator[Finding]:
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
            wrong = problem("related-image-missing", message, hint="add the key with its variable")
            yield wrong.at(said_by(release, "relatedImages"))


def _unused(release: Release, exported: list[tuple[str, list[str]]]) -> Iterator[Finding]:
    known = [key for _, keys in exported for key in keys]
    for key in release.related_images:
        if key not in known:
            message = f"found {cut(key)}, which holds no image in params.env of any target"
            taken = release.origin.at("relatedImages", key).file != release.origin.file
            own = said_by(release, "relatedImages", key)
            hint = f"add {pointer(own.path)} to remove" if taken else near(key, known) or "remove it"
            yield problem("related-image-unused", message, hint=hint).at(own)


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
